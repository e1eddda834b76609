import { goQuote } from "@purser/kubernetes/go-quote";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { goJson } from "@purser/kubernetes/text/documents";
import { sameMember } from "./schema-equality.ts";

/** Names of a schema's members in the Go type, in declared order, and how a value of theirs is shown. */
const shown: readonly (readonly [string, string, (value: JsonValue | undefined) => string])[] = [
  ["id", "ID", text],
  ["$schema", "Schema", text],
  ["$ref", "Ref", pointer],
  ["format", "Format", text],
  ["title", "Title", text],
  ["exclusiveMaximum", "ExclusiveMaximum", flag],
  ["exclusiveMinimum", "ExclusiveMinimum", flag],
  ["uniqueItems", "UniqueItems", flag],
  ["multipleOf", "MultipleOf", pointer],
  ["allOf", "AllOf", complex],
  ["anyOf", "AnyOf", complex],
  ["not", "Not", complex],
  ["additionalProperties", "AdditionalProperties", complex],
  ["patternProperties", "PatternProperties", complex],
  ["dependencies", "Dependencies", complex],
  ["additionalItems", "AdditionalItems", complex],
  ["definitions", "Definitions", complex],
  ["externalDocs", "ExternalDocs", complex],
  ["example", "Example", complex],
  ["x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields", pointer],
  ["x-kubernetes-embedded-resource", "XEmbeddedResource", flag],
  ["x-kubernetes-int-or-string", "XIntOrString", flag],
  ["x-kubernetes-list-map-keys", "XListMapKeys", texts],
  ["x-kubernetes-list-type", "XListType", pointer],
  ["x-kubernetes-map-type", "XMapType", pointer],
  ["x-kubernetes-validations", "XValidations", validations],
];

/** Upstream's sentence about changes that no rule of its upgrade check understands; undefined when there are none. */
export function unhandledChanges(old: JsonObject, next: JsonObject): string | undefined {
  const changes = shown.flatMap(([name, field, show]) => {
    const [before, after] = [member(old, name), member(next, name)];
    if (sameMember(name, before, after)) return [];
    if (isJsonObject(before) && isJsonObject(after)) return innerChanges(before, after);
    if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
      return before.flatMap((item: JsonValue, i) => {
        const other: JsonValue | undefined = after[i];
        return isJsonObject(item) && isJsonObject(other) ? innerChanges(item, other) : [];
      });
    }
    return [`${field} ${show(before)} -> ${show(after)}`];
  });
  const known = new Set(shown.map(([name]) => name));
  const others = [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .filter((name) => !known.has(name) && !sameMember(name, member(old, name), member(next, name)))
    .toSorted();
  const all = [
    ...changes,
    ...others.map((name) => `${name} ${complex(member(old, name))} -> ${complex(member(next, name))}`),
  ];
  const changed = all.length > 0 || !sameMember("", old, next);
  if (!changed) return undefined;
  return all.length === 0 ? "unhandled changes found" : `unhandled changes found (${all.join("; ")})`;
}

/** Simple members that differ inside of a nested schema. */
function innerChanges(old: JsonObject, next: JsonObject): readonly string[] {
  const simple: readonly (readonly [string, string, (value: JsonValue | undefined) => string])[] = [
    ["description", "Description", text],
    ["type", "Type", text],
    ...shown,
    ["maximum", "Maximum", pointer],
    ["minimum", "Minimum", pointer],
    ["maxLength", "MaxLength", pointer],
    ["minLength", "MinLength", pointer],
    ["pattern", "Pattern", text],
    ["maxItems", "MaxItems", pointer],
    ["minItems", "MinItems", pointer],
    ["maxProperties", "MaxProperties", pointer],
    ["minProperties", "MinProperties", pointer],
    ["required", "Required", texts],
    ["oneOf", "OneOf", complex],
    ["nullable", "Nullable", flag],
    ["default", "Default", complex],
  ];
  return simple.flatMap(([name, field, show]) => {
    const [before, after] = [member(old, name), member(next, name)];
    if (sameMember(name, before, after)) return [];
    return [`${field} ${show(before)} -> ${show(after)}`];
  });
}

function text(value: JsonValue | undefined): string {
  const held = typeof value === "string" ? value : "";
  return /["\\]/.test(held) && !/[`\n]/.test(held) ? `\`${held}\`` : goQuote(held);
}

function flag(value: JsonValue | undefined): string {
  return value === true ? "true" : "false";
}

function pointer(value: JsonValue | undefined): string {
  if (value === undefined) return "nil";
  return `&${typeof value === "string" ? text(value) : goJson(value)}`;
}

function texts(value: JsonValue | undefined): string {
  return Array.isArray(value) ? `[]string{${value.map((item: JsonValue) => text(item)).join(", ")}}` : "nil";
}

function complex(value: JsonValue | undefined): string {
  return value === undefined ? "nil" : "<complex value>";
}

function validations(value: JsonValue | undefined): string {
  if (!Array.isArray(value)) return "nil";
  const rules = value.map((rule: JsonValue) => {
    const given = isJsonObject(rule) ? rule : {};
    const members = [
      ["rule", "Rule"],
      ["message", "Message"],
    ].flatMap(([name = "", field = ""]) => {
      const held = member(given, name);
      return held === undefined ? [] : [`${field}: ${text(held)}`];
    });
    return `{${members.join(", ")}}`;
  });
  return `ValidationRules{${rules.join(", ")}}`;
}
