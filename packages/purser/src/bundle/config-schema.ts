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
  problem(text: string): string | undefined;
}

/** A fault with the faults that explain it, as upstream's schema library nests them. */
interface Fault {
  readonly text: string;
  readonly kind: "plain" | "group" | "reference";
  readonly causes: readonly Fault[];
}

const namespacePattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

/** Upstream's lines about a configuration, flat, in upstream's order; empty when it fits. */
export function configFaults(schema: ConfigSchema, value: JsonValue): readonly string[] {
  const root = check(schema, value, []);
  if (root === undefined) return [];
  const causes = root.kind === "group" ? root.causes : [root];
  return causes.flatMap(flatten);
}

function flatten(fault: Fault): readonly string[] {
  if (fault.kind === "reference" && fault.causes.length === 1) return [fault.text];
  return [fault.text, ...fault.causes.flatMap(flatten)];
}

function together(faults: readonly (Fault | undefined)[]): Fault | undefined {
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length <= 1) return found[0];
  return { text: "validation failed", kind: "group", causes: found };
}

function plain(text: string, causes: readonly Fault[] = []): Fault {
  return { text, kind: "plain", causes };
}

function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

function fieldOf(path: readonly string[]): string {
  return path.length === 0 ? "" : ` for field "${path.join(".")}"`;
}

function mistyped(value: JsonValue, wanted: string, path: readonly string[]): Fault {
  const last = path.at(-1);
  if (value === null && last !== undefined) return plain(`required field "${last}" is missing`);
  return plain(`invalid type${fieldOf(path)}: got ${kindOf(value)}, want ${wanted}`);
}

function check(schema: ConfigSchema, value: JsonValue, path: readonly string[]): Fault | undefined {
  switch (schema.kind) {
    case "any":
      return undefined;
    case "null":
      return value === null ? undefined : mistyped(value, "null", path);
    case "boolean":
      return typeof value === "boolean" ? undefined : mistyped(value, "boolean", path);
    case "number":
      return typeof value === "number" ? undefined : mistyped(value, "number", path);
    case "integer":
      return Number.isInteger(value) ? undefined : mistyped(value, "integer", path);
    case "string":
      return checkText(schema, value, path);
    case "list":
      if (!Array.isArray(value)) return mistyped(value, "array", path);
      return together(value.map((item: JsonValue, i) => check(schema.of, item, [...path, String(i)])));
    case "map":
      if (!isJsonObject(value)) return mistyped(value, "object", path);
      return together(
        Object.keys(value)
          .toSorted()
          .map((key) => check(schema.of, member(value, key) ?? null, [...path, key])),
      );
    case "object":
      return isJsonObject(value) ? checkObject(schema, value, path) : mistyped(value, "object", path);
    case "anyOf":
    case "oneOf": {
      const faults = schema.of.map((option) => check(option, value, path));
      if (faults.includes(undefined)) return undefined;
      return plain(
        `invalid value${fieldOf(path)}`,
        faults.filter((fault) => fault !== undefined),
      );
    }
    case "reference": {
      const fault = check(structSchema(schema.struct), value, path);
      if (fault === undefined) return undefined;
      const causes = fault.kind === "group" ? fault.causes : [fault];
      return { text: "validation failed", kind: "reference", causes };
    }
  }
}

function checkText(
  schema: Extract<ConfigSchema, { kind: "string" }>,
  value: JsonValue,
  path: readonly string[],
): Fault | undefined {
  if (typeof value !== "string") return mistyped(value, "string", path);
  const field = path.join(".");
  const faults: Fault[] = [];
  const misfit = schema.format?.problem(value);
  if (schema.format !== undefined && misfit !== undefined) {
    faults.push(plain(`invalid format for field "${field}": '${value}' is not valid ${schema.format.name}: ${misfit}`));
  }
  if (schema.limits === true) {
    // Code points, as Go counts runes.
    const length = Array.from(value).length;
    if (length < 1) faults.push(plain(`field "${field}" must have minimum length of 1 (len=${length})`));
    if (length > 63) faults.push(plain(`field "${field}" must have maximum length of 63 (len=${length})`));
    if (!new RegExp(namespacePattern, "u").test(value)) {
      faults.push(plain(`field "${field}" must match pattern "${namespacePattern}"`));
    }
  }
  return together(faults);
}

function checkObject(
  { members, required, open }: Extract<ConfigSchema, { kind: "object" }>,
  value: JsonObject,
  path: readonly string[],
): Fault | undefined {
  const missing = required
    .filter((name) => member(value, name) === undefined)
    .map((name) => plain(`required field "${name}" is missing`));
  const keys = Object.keys(value).toSorted();
  const faults = keys.map((key) => {
    const schema = members.get(key);
    return schema === undefined ? undefined : check(schema, member(value, key) ?? null, [...path, key]);
  });
  // Upstream names one of several at random; we name the first.
  const unknown = open ? undefined : keys.find((key) => !members.has(key));
  return together([
    ...missing.slice(0, 1),
    ...faults,
    unknown === undefined ? undefined : plain(`unknown field "${unknown}"`),
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
