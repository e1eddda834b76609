import { compilePattern } from "../../cel/pattern.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { isKnownFormat } from "../schema/schema-formats.ts";
import type { Steps } from "../../steps.ts";
import type { RuleSource, SchemaType, StructuralSchema, ValueChecks } from "../schema/schema-node.ts";

const schemaTypes: ReadonlySet<string> = new Set(["object", "array", "string", "integer", "number", "boolean"]);

/** Nodes by what they were built from. */
export type BuiltNodes = WeakMap<JsonObject, StructuralSchema>;

/**
 * Turns a JSON schema that has been checked (or that a server accepted before) into nodes. Never fails: what it does not
 * know it leaves out.
 * @param built nodes of earlier calls, which are used again; gets those of this call
 */
export function buildSchema(source: JsonObject, built?: BuiltNodes): StructuralSchema {
  return build(source, false, built);
}

/** Nodes that are built between two pauses: about a millisecond. */
const nodesPerStep = 512;

/** As {@link buildSchema}, with pauses. */
export function* buildSchemaInSteps(source: JsonObject, built: BuiltNodes): Steps<StructuralSchema> {
  const open = [source];
  const below: JsonObject[] = [];
  // Those behind others in the list lie deeper or beside them: from its end on, nodes find what lies below them built.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (built.has(next)) continue;
    below.push(next);
    if (below.length % nodesPerStep === 0) yield;
    const [items, additional] = [member(next, "items"), member(next, "additionalProperties")];
    for (const each of [...Object.values(objectAt(next, "properties")), items, additional])
      if (isJsonObject(each)) open.push(each);
  }
  for (let index = below.length - 1; index >= 0; index--) {
    build(below[index] ?? source, false, built);
    if (index % nodesPerStep === 0) yield;
  }
  return buildSchema(source, built);
}

/** As {@link buildSchema} with every format as written: defaults of a definition are held against formats that values are not held against. */
export function buildWrittenSchema(source: JsonObject): StructuralSchema {
  return build(source, true);
}

function build(source: JsonObject, isWritten: boolean, built?: BuiltNodes): StructuralSchema {
  const known = built?.get(source);
  if (known !== undefined) return known;
  const below = (schema: JsonObject): StructuralSchema => build(schema, isWritten, built);
  const properties = new Map<string, StructuralSchema>();
  for (const [key, value] of Object.entries(objectAt(source, "properties"))) {
    if (isJsonObject(value)) properties.set(key, below(value));
  }
  const additionalSource = member(source, "additionalProperties");
  const additional = isJsonObject(additionalSource)
    ? below(additionalSource)
    : typeof additionalSource === "boolean"
      ? additionalSource
      : undefined;
  const itemsSource = member(source, "items");
  const items = isJsonObject(itemsSource) ? below(itemsSource) : undefined;
  const children = [
    ...properties.values(),
    ...(typeof additional === "object" ? [additional] : []),
    ...(items === undefined ? [] : [items]),
  ];
  const fallback = member(source, "default");
  const rules = rulesOf(source);
  const listType = oneOfTexts(member(source, "x-kubernetes-list-type"), ["atomic", "set", "map"] as const) ?? "atomic";
  const embedded = flag(source, "x-kubernetes-embedded-resource");
  const type = text(source, "type");
  const node: StructuralSchema = {
    type: isSchemaType(type) ? type : "",
    nullable: flag(source, "nullable"),
    intOrString: flag(source, "x-kubernetes-int-or-string"),
    preserveUnknown: flag(source, "x-kubernetes-preserve-unknown-fields"),
    embedded,
    properties,
    ...(additional === undefined ? {} : { additional }),
    ...(items === undefined ? {} : { items }),
    listType,
    listMapKeys: texts(source, "x-kubernetes-list-map-keys"),
    mapType: oneOfTexts(member(source, "x-kubernetes-map-type"), ["granular", "atomic"] as const) ?? "granular",
    format: isWritten || isKnownFormat(type, text(source, "format")) ? text(source, "format") : "",
    // `default: null` counts as none: that is how the server's own decoder reads it.
    ...(fallback === undefined || fallback === null ? {} : { default: fallback }),
    checks: checksOf(source),
    rules,
    hasDefaults: (fallback !== undefined && fallback !== null) || children.some((child) => child.hasDefaults),
    hasRules: rules.length > 0 || children.some((child) => child.hasRules),
    hasUniqueLists: listType !== "atomic" || children.some((child) => child.hasUniqueLists),
    hasEmbedded: embedded || children.some((child) => child.hasEmbedded),
    source,
  };
  built?.set(source, node);
  return node;
}

function isSchemaType(type: string): type is SchemaType {
  return schemaTypes.has(type);
}

function checksOf(source: JsonObject): ValueChecks {
  const enumeration = member(source, "enum");
  const patternText = text(source, "pattern");
  const pattern = patternText === "" ? undefined : compilePattern(patternText);
  const not = member(source, "not");
  return {
    required: texts(source, "required"),
    ...(Array.isArray(enumeration) && enumeration.length > 0 ? { enum: enumeration } : {}),
    ...(pattern?.ok === true ? { pattern: pattern.value } : {}),
    ...limit(source, "minLength"),
    ...limit(source, "maxLength"),
    ...limit(source, "minimum"),
    exclusiveMinimum: flag(source, "exclusiveMinimum"),
    ...limit(source, "maximum"),
    exclusiveMaximum: flag(source, "exclusiveMaximum"),
    ...limit(source, "multipleOf"),
    ...limit(source, "minItems"),
    ...limit(source, "maxItems"),
    uniqueItems: flag(source, "uniqueItems"),
    ...limit(source, "minProperties"),
    ...limit(source, "maxProperties"),
    allOf: branches(source, "allOf"),
    anyOf: branches(source, "anyOf"),
    oneOf: branches(source, "oneOf"),
    ...(isJsonObject(not) ? { not: buildSchema(not) } : {}),
  };
}

function rulesOf(source: JsonObject): readonly RuleSource[] {
  const rules = member(source, "x-kubernetes-validations");
  if (!Array.isArray(rules)) return [];
  return rules.filter(isJsonObject).map((rule) => {
    const optionalOldSelf = member(rule, "optionalOldSelf");
    return {
      rule: text(rule, "rule"),
      message: text(rule, "message"),
      messageExpression: text(rule, "messageExpression"),
      reason: text(rule, "reason"),
      fieldPath: text(rule, "fieldPath"),
      ...(typeof optionalOldSelf === "boolean" ? { optionalOldSelf } : {}),
    };
  });
}

function branches(source: JsonObject, key: string): readonly StructuralSchema[] {
  const list = member(source, key);
  return Array.isArray(list) ? list.filter(isJsonObject).map((each) => buildSchema(each)) : [];
}

function limit<Key extends string>(source: JsonObject, key: Key): { readonly [K in Key]?: number } {
  const value = member(source, key);
  const found: { [K in Key]?: number } = {};
  if (typeof value === "number") found[key] = value;
  return found;
}

function flag(source: JsonObject, key: string): boolean {
  return member(source, key) === true;
}

function text(source: JsonObject, key: string): string {
  const value = member(source, key);
  return typeof value === "string" ? value : "";
}

function texts(source: JsonObject, key: string): readonly string[] {
  const value = member(source, key);
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

function objectAt(source: JsonObject, key: string): JsonObject {
  const value = member(source, key);
  return isJsonObject(value) ? value : {};
}

function oneOfTexts<Text extends string>(value: JsonValue | undefined, allowed: readonly Text[]): Text | undefined {
  return allowed.find((candidate) => candidate === value);
}
