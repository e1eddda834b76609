import { mergeSchemaOf } from "@purser/kubernetes/object/apply/builtin-merge-schemas";
import { type MergeSchema, memberSchema, shapeFor, untyped } from "@purser/kubernetes/object/apply/merge-schema";
import { deepEqual, semanticEqual } from "@purser/kubernetes/object/semantic-equal";
import { parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { builtInDefault } from "./built-in-defaults.ts";
import { type ItemKey, itemsByKey, keyFieldsOf } from "./list-keys.ts";

/** A member of an object, or an item of a list by the values of its key fields. */
export type PathSegment = { readonly field: string } | { readonly item: ItemKey };

/** One difference of two objects. A list without keys is one value; the order of a list with keys is a difference of its own. */
export type FieldChange =
  | { readonly kind: "added"; readonly path: readonly PathSegment[]; readonly after: JsonValue }
  | { readonly kind: "removed"; readonly path: readonly PathSegment[]; readonly before: JsonValue }
  | {
      readonly kind: "changed";
      readonly path: readonly PathSegment[];
      readonly before: JsonValue;
      readonly after: JsonValue;
    }
  | { readonly kind: "reordered"; readonly path: readonly PathSegment[]; readonly order: readonly ItemKey[] };

/** How the fields of an object of this kind compare; kinds that are not built in have no key fields but `name`. */
export function schemaOfObject(object: JsonObject): MergeSchema {
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return untyped;
  return mergeSchemaOf({ ...parseApiVersion(apiVersion), kind }) ?? untyped;
}

/**
 * The differences of two states of one object, members in order of their names. Fields at their default equal absent ones, and so
 * do empty lists and maps; quantities compare by amount.
 */
export function fieldChanges(before: JsonObject, after: JsonObject): readonly FieldChange[] {
  return valueChanges(before, after, schemaOfObject(after), []);
}

function valueChanges(
  before: JsonValue,
  after: JsonValue,
  schema: MergeSchema,
  path: readonly PathSegment[],
): readonly FieldChange[] {
  if (before === after) return [];
  if (isJsonObject(before) && isJsonObject(after)) return memberChanges(before, after, schema, path);
  if (Array.isArray(before) && Array.isArray(after)) return listChanges(before, after, schema, path);
  return equal(before, after, path) ? [] : [{ kind: "changed", path, before, after }];
}

/** Amounts compare as such below `limits` and its like, which {@link semanticEqual} sees only from above. */
function equal(before: JsonValue, after: JsonValue, path: readonly PathSegment[]): boolean {
  if (semanticEqual(before, after)) return true;
  const parent = path.at(-2);
  return (
    parent !== undefined &&
    "field" in parent &&
    semanticEqual({ [parent.field]: { of: before } }, { [parent.field]: { of: after } })
  );
}

function memberChanges(
  left: JsonObject,
  right: JsonObject,
  schema: MergeSchema,
  path: readonly PathSegment[],
): readonly FieldChange[] {
  const [before, after] =
    schema.kind === "map" && schema.name === "PodSpec" ? withOneAccount(left, right) : [left, right];
  return differingMembers(before, after).flatMap((name): readonly FieldChange[] => {
    const at = [...path, { field: name }];
    const inner = innerSchema(schema, after, name);
    const [old, next] = [member(before, name), member(after, name)];
    const says = (value: JsonValue | undefined, holder: JsonObject): value is JsonValue =>
      value !== undefined && !isDefault(schema, name, value, holder) && !isNothing(value, inner);
    if (!says(old, before) && !says(next, after)) return [];
    if (isJsonObject(old) && isJsonObject(next)) return valueChanges(old, next, inner, at);
    if (old === undefined || isNothing(old, inner)) return [{ kind: "added", path: at, after: next ?? null }];
    if (next === undefined || isNothing(next, inner)) return [{ kind: "removed", path: at, before: old }];
    return valueChanges(old, next, inner, at);
  });
}

/** Names of the members that are not equal to the last character, sorted: most of two versions of an object are. */
function differingMembers(before: JsonObject, after: JsonObject): readonly string[] {
  const changed = Object.keys(before).filter((name) => !deepEqual(member(before, name), member(after, name)));
  const added = Object.keys(after).filter((name) => !Object.hasOwn(before, name));
  return [...changed, ...added].toSorted();
}

/**
 * Two pod specs with their account under one name: `serviceAccount` is an older alias of `serviceAccountName`, which wins where both
 * are set, and the API server sets both. Those of which one has no account stay as they are.
 */
function withOneAccount(left: JsonObject, right: JsonObject): readonly [JsonObject, JsonObject] {
  const accountOf = (spec: JsonObject): JsonValue =>
    [member(spec, "serviceAccountName"), member(spec, "serviceAccount")].find(
      (one) => one !== undefined && one !== "",
    ) ?? "";
  const [before, after] = [accountOf(left), accountOf(right)];
  if (before === "" || after === "") return [left, right];
  const named = ({ serviceAccount: _alias, ...spec }: JsonObject, serviceAccountName: JsonValue): JsonObject => ({
    ...spec,
    serviceAccountName,
  });
  return [named(left, before), named(right, after)];
}

/** Empty, or an object that holds nothing but defaults. */
function isNothing(value: JsonValue, schema: MergeSchema): boolean {
  if (semanticEqual(value, undefined)) return true;
  if (!isJsonObject(value)) return false;
  // Ends at the first member that says something, as it is asked at every level of a schema.
  return Object.keys(value).every((name) => {
    const one = member(value, name);
    return one === undefined || isDefault(schema, name, one, value) || isNothing(one, innerSchema(schema, value, name));
  });
}

function isDefault(schema: MergeSchema, name: string, value: JsonValue, holder: JsonObject): boolean {
  if (schema.kind !== "map" || schema.name === undefined) return false;
  // Go writes an absent IntOrString as 0, and the API server takes both for the port.
  if (schema.name === "ServicePort" && name === "targetPort" && (value === 0 || value === "")) return true;
  return semanticEqual(builtInDefault(schema.name, name, holder), value);
}

/** The schema of a member; `untyped` where none is declared. */
export function innerSchema(schema: MergeSchema, holder: JsonObject, name: string): MergeSchema {
  const shape = shapeFor(schema, holder);
  return shape.kind === "map" ? (memberSchema(shape, name) ?? untyped) : untyped;
}

/** The schema of the items of a list. */
export function itemSchema(schema: MergeSchema): MergeSchema {
  return schema.kind === "list" ? schema.items() : untyped;
}

function listChanges(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  schema: MergeSchema,
  path: readonly PathSegment[],
): readonly FieldChange[] {
  const fields = keyFieldsOf(schema, [before, after]);
  const inner = itemSchema(schema);
  const whole = (): readonly FieldChange[] => {
    const isSame =
      before.length === after.length &&
      before.every((item, at) => valueChanges(item, after[at] ?? null, inner, path).length === 0);
    return isSame ? [] : [{ kind: "changed", path, before, after }];
  };
  if (fields === undefined) return whole();
  const [old, next] = [itemsByKey(before, fields), itemsByKey(after, fields)];
  if (old === undefined || next === undefined) return whole();
  const removed = [...old.values()].filter(({ text }) => !next.has(text));
  const added = [...next.values()].filter(({ text }) => !old.has(text));
  const changes: FieldChange[] = [...next.values()].flatMap(({ text, key, item }) => {
    const at = [...path, { item: key }];
    const held = old.get(text);
    return held === undefined ? [] : valueChanges(held.item, item, inner, at);
  });
  const unordered = [...old.keys()].filter((text) => next.has(text)).concat(added.map(({ text }) => text));
  const inOrder = [...next.keys()].every((text, index) => unordered[index] === text);
  return [
    ...removed.map(({ key, item }): FieldChange => ({ kind: "removed", path: [...path, { item: key }], before: item })),
    ...added.map(({ key, item }): FieldChange => ({ kind: "added", path: [...path, { item: key }], after: item })),
    ...changes,
    ...(inOrder ? [] : [{ kind: "reordered", path, order: [...next.values()].map(({ key }) => key) } as const]),
  ];
}

/** `spec.template.spec.containers[manager].image`; names with dots are quoted in brackets. */
export function formatPath(path: readonly PathSegment[]): string {
  return path
    .map((segment, index) => {
      if ("item" in segment) return `[${Object.values(segment.item).map(String).join(" ")}]`;
      if (!/^[\w-]+$/.test(segment.field)) return `[${JSON.stringify(segment.field)}]`;
      return index === 0 ? segment.field : `.${segment.field}`;
    })
    .join("");
}
