import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { type ApiType, fieldsOf } from "./api-types/struct-table.ts";

/** The part of JSON Schema that an extension's configuration needs. */
export type ConfigSchema =
  | { readonly kind: "null" | "any" | "boolean" | "integer" | "number" }
  | { readonly kind: "string"; readonly limits?: boolean; readonly format?: ConfigFormat }
  | { readonly kind: "list"; readonly of: ConfigSchema }
  | { readonly kind: "map"; readonly of: ConfigSchema }
  | {
      readonly kind: "object";
      readonly members: ReadonlyMap<string, ConfigSchema>;
      readonly required: readonly string[];
      readonly open: boolean;
    }
  | { readonly kind: "anyOf" | "oneOf"; readonly of: readonly ConfigSchema[] }
  /** A shared definition: upstream's report keeps the details of a single fault below it to itself. */
  | { readonly kind: "reference"; readonly struct: string };

/** A named rule for a text; the problem is upstream's sentence. */
export interface ConfigFormat {
  readonly name: string;
  /** The one text that fits, if there is only one. */
  readonly only?: string;
  problem(text: string): string | undefined;
}

/** One broken rule of the schema. */
export interface ConfigFault {
  /** Upstream's line about it. */
  readonly text: string;
  /** Members and indexes from the root of the configuration; empty: the whole of it. */
  readonly field: readonly string[];
  /** JSON pointer of the keyword within the schema, such as `#/properties/watchNamespace/format`. */
  readonly schemaPath: string;
  /** The one value that the field may have, where there is only one. */
  readonly wanted?: string;
}

/** `root.member[0]`: where the fault is, below the field that holds the configuration. */
export const faultPath = (root: string, { field }: ConfigFault): string =>
  [root, ...field].reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : `${path}.${part}`));

export interface ConfigReport {
  /** Upstream's lines, flat, in upstream's order. */
  readonly lines: readonly string[];
  /** The rules that are broken, without the lines that only lead to them. At least one. */
  readonly faults: readonly ConfigFault[];
}

/** A place in the configuration and the part of the schema that judges it. */
interface Spot {
  readonly field: readonly string[];
  readonly rule: readonly string[];
}

/** A fault with the faults that explain it, as upstream's schema library nests them. */
interface Fault extends ConfigFault {
  readonly kind: "plain" | "group" | "reference";
  readonly causes: readonly Fault[];
}

const namespacePattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

/** What is wrong with a configuration; undefined when it fits. */
export function configFaults(schema: ConfigSchema, value: JsonValue): ConfigReport | undefined {
  const root = check(schema, value, { field: [], rule: [] });
  if (root === undefined) return undefined;
  const causes = root.kind === "group" ? root.causes : [root];
  return { lines: causes.flatMap(flatten), faults: causes.flatMap(leaves) };
}

/** Of several options, those that want another type are no help beside one that fits the type. */
function leaves(fault: Fault): readonly ConfigFault[] {
  const { causes, kind, ...own } = fault;
  const isChoice = kind === "plain" && /\/(anyOf|oneOf)$/.test(own.schemaPath);
  const nearer = isChoice ? causes.filter((cause) => !cause.schemaPath.endsWith("/type")) : causes;
  return nearer.length === 0 ? [own] : nearer.flatMap(leaves);
}

function flatten(fault: Fault): readonly string[] {
  if (fault.kind === "reference" && fault.causes.length === 1) return [fault.text];
  return [fault.text, ...fault.causes.flatMap(flatten)];
}

function together(faults: readonly (Fault | undefined)[]): Fault | undefined {
  const found = faults.filter((fault) => fault !== undefined);
  const [first] = found;
  if (first === undefined || found.length === 1) return first;
  return { text: "validation failed", kind: "group", causes: found, field: first.field, schemaPath: first.schemaPath };
}

function plain(text: string, { field, rule }: Spot, keyword: string, causes: readonly Fault[] = []): Fault {
  return { text, kind: "plain", causes, field, schemaPath: pointer([...rule, keyword]) };
}

/** As JSON pointers escape their parts. */
const pointer = (parts: readonly string[]): string =>
  `#${parts.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")}`;

const below = ({ field, rule }: Spot, name: string, ...parts: readonly string[]): Spot => ({
  field: [...field, name],
  rule: [...rule, ...parts],
});

function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

function fieldOf(path: readonly string[]): string {
  return path.length === 0 ? "" : ` for field "${path.join(".")}"`;
}

function mistyped(value: JsonValue, wanted: string, spot: Spot): Fault {
  const last = spot.field.at(-1);
  if (value === null && last !== undefined) return plain(`required field "${last}" is missing`, spot, "type");
  return plain(`invalid type${fieldOf(spot.field)}: got ${kindOf(value)}, want ${wanted}`, spot, "type");
}

function check(schema: ConfigSchema, value: JsonValue, spot: Spot): Fault | undefined {
  switch (schema.kind) {
    case "any":
      return undefined;
    case "null":
      return value === null ? undefined : mistyped(value, "null", spot);
    case "boolean":
      return typeof value === "boolean" ? undefined : mistyped(value, "boolean", spot);
    case "number":
      return typeof value === "number" ? undefined : mistyped(value, "number", spot);
    case "integer":
      return Number.isInteger(value) ? undefined : mistyped(value, "integer", spot);
    case "string":
      return checkText(schema, value, spot);
    case "list":
      if (!Array.isArray(value)) return mistyped(value, "array", spot);
      return together(value.map((item: JsonValue, i) => check(schema.of, item, below(spot, String(i), "items"))));
    case "map":
      if (!isJsonObject(value)) return mistyped(value, "object", spot);
      return together(
        Object.keys(value)
          .toSorted()
          .map((key) => check(schema.of, member(value, key) ?? null, below(spot, key, "additionalProperties"))),
      );
    case "object":
      return isJsonObject(value) ? checkObject(schema, value, spot) : mistyped(value, "object", spot);
    case "anyOf":
    case "oneOf": {
      const faults = schema.of.map((option, i) =>
        check(option, value, { ...spot, rule: [...spot.rule, schema.kind, String(i)] }),
      );
      if (faults.includes(undefined)) return undefined;
      return plain(
        `invalid value${fieldOf(spot.field)}`,
        spot,
        schema.kind,
        faults.filter((fault) => fault !== undefined),
      );
    }
    case "reference": {
      const fault = check(structSchema(schema.struct), value, spot);
      if (fault === undefined) return undefined;
      const causes = fault.kind === "group" ? fault.causes : [fault];
      return { ...fault, text: "validation failed", kind: "reference", causes };
    }
  }
}

function checkText(schema: Extract<ConfigSchema, { kind: "string" }>, value: JsonValue, spot: Spot): Fault | undefined {
  const wanted = wantedOf(schema);
  if (typeof value !== "string") return { ...mistyped(value, "string", spot), ...wanted };
  const field = spot.field.join(".");
  const faults: Fault[] = [];
  const misfit = schema.format?.problem(value);
  if (schema.format !== undefined && misfit !== undefined) {
    const text = `invalid format for field "${field}": '${value}' is not valid ${schema.format.name}: ${misfit}`;
    faults.push({ ...plain(text, spot, "format"), ...wanted });
  }
  if (schema.limits === true) {
    // Code points, as Go counts runes.
    const length = Array.from(value).length;
    if (length < 1)
      faults.push(plain(`field "${field}" must have minimum length of 1 (len=${length})`, spot, "minLength"));
    if (length > 63)
      faults.push(plain(`field "${field}" must have maximum length of 63 (len=${length})`, spot, "maxLength"));
    if (!new RegExp(namespacePattern, "u").test(value)) {
      faults.push(plain(`field "${field}" must match pattern "${namespacePattern}"`, spot, "pattern"));
    }
  }
  return together(faults);
}

function wantedOf(schema: ConfigSchema | undefined): Pick<ConfigFault, "wanted"> {
  const only = schema?.kind === "string" ? schema.format?.only : undefined;
  return only === undefined ? {} : { wanted: only };
}

function checkObject(
  { members, required, open }: Extract<ConfigSchema, { kind: "object" }>,
  value: JsonObject,
  spot: Spot,
): Fault | undefined {
  const missing = required
    .filter((name) => member(value, name) === undefined)
    .map((name) => ({
      ...plain(`required field "${name}" is missing`, below(spot, name), "required"),
      ...wantedOf(members.get(name)),
    }));
  const keys = Object.keys(value).toSorted();
  const faults = keys.map((key) => {
    const schema = members.get(key);
    return schema === undefined
      ? undefined
      : check(schema, member(value, key) ?? null, below(spot, key, "properties", key));
  });
  // Upstream names one of several at random; we name the first.
  const unknown = open ? undefined : keys.find((key) => !members.has(key));
  return together([
    ...missing.slice(0, 1),
    ...faults,
    unknown === undefined
      ? undefined
      : plain(`unknown field "${unknown}"`, below(spot, unknown), "additionalProperties"),
  ]);
}

const structs = new Map<string, ConfigSchema>();

/** The published schema of a core/v1 type: unknown members pass, what is always written is required. */
function structSchema(struct: string): ConfigSchema {
  const known = structs.get(struct);
  if (known !== undefined) return known;
  const fields = fieldsOf(struct);
  const schema: ConfigSchema = {
    kind: "object",
    members: new Map(fields.map(({ name, type }) => [name, schemaOf(type)])),
    required: fields.filter(({ type, omitEmpty }) => !omitEmpty && type.kind !== "pointer").map(({ name }) => name),
    open: true,
  };
  structs.set(struct, schema);
  return schema;
}

/** @returns the schema of a value of a type of the Kubernetes API */
export function schemaOf(type: ApiType): ConfigSchema {
  switch (type.kind) {
    case "pointer":
      return schemaOf(type.to);
    case "list":
      return { kind: "list", of: schemaOf(type.of) };
    case "map":
      return { kind: "map", of: schemaOf(type.of) };
    case "struct":
      return { kind: "reference", struct: type.name };
    case "scalar":
      switch (type.scalar) {
        case "bool":
          return { kind: "boolean" };
        case "int32":
        case "int64":
          return { kind: "integer" };
        case "float64":
          return { kind: "number" };
        case "string":
        case "bytes":
        case "time":
        case "microTime":
        case "version":
        case "release":
          return { kind: "string" };
        case "quantity":
        case "intOrString":
          return { kind: "oneOf", of: [{ kind: "string" }, { kind: "number" }] };
        case "json":
        case "schemaOrArray":
        case "schemaOrBool":
        case "schemaOrStrings":
          return { kind: "any" };
      }
  }
}
