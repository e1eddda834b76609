import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { done, failed, type Result } from "../../result.ts";
import { knownKeys } from "../../known-keys.ts";
import { type Steps, Strides } from "../../steps.ts";
import { goJson } from "../../text/go-json.ts";
import { goText } from "../go-text.ts";
import { ObjectDraft, setMember, withMember } from "./json-edit.ts";
import { memberSchema, type MergeField, type MergeSchema, untyped } from "../apply/merge-schema.ts";
import { badType, goTypeOf, noMergeKey } from "./patch-faults.ts";
import { orderItems } from "./patch-order.ts";
import { orderAfterDeletes, orderFault } from "./set-element-order.ts";

export interface StrategicPatchProblem {
  readonly message: string;
  /** A directive is malformed: a bad request. The server answers all others with a 500 that carries only the message. */
  readonly isFormat: boolean;
}

type Patched<Value> = Result<Value, StrategicPatchProblem>;
/** A part of the merge, with pauses. */
type Merging<Value> = Steps<Patched<Value>>;

const orderMark = "$setElementOrder";
const deleteMark = "$deleteFromPrimitiveList";
const orderPrefix = `${orderMark}/`;
const deletePrefix = `${deleteMark}/`;

/** Applies a strategic merge patch to an object of a built-in kind. Nothing is mutated. */
export function* applyStrategicMergePatch(
  document: JsonObject,
  patch: JsonObject,
  schema: MergeSchema,
): Merging<JsonObject> {
  return yield* mergeObject(document, patch, schema, new Strides());
}

function problem(message: string): Patched<never> {
  return failed({ message, isFormat: false });
}

function malformed(message: string): Patched<never> {
  return failed({ message, isFormat: true });
}

function isDirective(key: string): boolean {
  return key === "$patch" || key === "$retainKeys" || key.startsWith(orderPrefix) || key.startsWith(deletePrefix);
}

function fieldOf(schema: MergeSchema, key: string): MergeField | undefined {
  return schema.kind === "map" ? schema.fields.get(key) : undefined;
}

function schemaOfMember(schema: MergeSchema, key: string): MergeSchema {
  return (schema.kind === "map" ? memberSchema(schema, key) : undefined) ?? untyped;
}

function* mergeObject(live: JsonObject, patch: JsonObject, schema: MergeSchema, strides: Strides): Merging<JsonObject> {
  const directive = member(patch, "$patch");
  if (directive === "replace") return done(withMember(patch, "$patch", undefined));
  if (directive === "delete") return done({});
  if (directive !== undefined) return problem(badDirective(directive, patch));
  const merged = new ObjectDraft(live);
  const retained = retainKeys(merged, patch);
  if (!retained.ok) return retained;
  const ordered = new Set<string>();
  for (const directiveKey of knownKeys(patch)) {
    const order = patch[directiveKey];
    if (strides.isDue()) yield;
    if (!directiveKey.startsWith(orderMark) || order === undefined) continue;
    if (!Array.isArray(order)) return problem(badType("[]interface {}", order));
    if (!directiveKey.startsWith(orderPrefix)) return malformed("invalid patch format of setElementOrder list");
    const key = directiveKey.slice(orderPrefix.length);
    const next = yield* mergeOrdered(merged, patch, { key, order, schema, strides });
    if (!next.ok) return next;
    ordered.add(key);
  }
  // Deletions from a list come before what the patch adds to it.
  const deletions = knownKeys(patch).filter((key) => key.startsWith(deletePrefix));
  const others =
    deletions.length === 0 ? knownKeys(patch) : knownKeys(patch).filter((key) => !key.startsWith(deletePrefix));
  for (const key of deletions.length === 0 ? others : [...deletions, ...others]) {
    const wanted = patch[key];
    if (strides.isDue()) yield;
    if (wanted === undefined || ordered.has(key) || key === "$retainKeys" || key.startsWith(orderPrefix)) continue;
    if (key.startsWith(deleteMark) && !key.startsWith(deletePrefix))
      return malformed("invalid patch format of primitive list");
    const next = yield* mergeMember(merged, key, wanted, { schema, strides });
    if (!next.ok) return next;
  }
  return done(merged.value);
}

function badDirective(directive: JsonValue, patch: JsonObject): string {
  // Go prints what is no text with the complaint of its `%s`.
  const text =
    typeof directive === "string"
      ? directive
      : directive === null
        ? "%!s(<nil>)"
        : `%!s(${goTypeOf(directive)}=${goText(directive)})`;
  return `unknown patch type: ${text} in map: ${goText(patch)}`;
}

function retainKeys(live: ObjectDraft, patch: JsonObject): Patched<void> {
  const list = member(patch, "$retainKeys");
  if (list === undefined) return done(undefined);
  const fault = malformed("invalid patch format of retainKeys");
  if (!Array.isArray(list)) return fault;
  const kept = new Set<JsonValue>(list);
  for (const [key, value] of Object.entries(patch)) {
    if (value !== null && !isDirective(key) && !kept.has(key)) return fault;
  }
  for (const key of Object.keys(live.value)) if (!kept.has(key)) live.set(key, undefined);
  return done(undefined);
}

interface Within {
  readonly schema: MergeSchema;
  readonly strides: Strides;
}

function* mergeMember(live: ObjectDraft, patchKey: string, wanted: JsonValue, within: Within): Merging<void> {
  const deletes = patchKey.startsWith(deletePrefix);
  const key = deletes ? patchKey.slice(deletePrefix.length) : patchKey;
  const held = member(live.value, key);
  const merged =
    wanted === null
      ? done(undefined)
      : deletes
        ? yield* withoutListed(held, wanted, key, within)
        : held === undefined
          ? done(withoutDirectives(wanted))
          : yield* mergeValue(held, wanted, key, within);
  if (!merged.ok) return merged;
  if (merged.value !== held) live.set(key, merged.value);
  return done(undefined);
}

/** The list without the items that `$deleteFromPrimitiveList` names. */
function* withoutListed(
  held: JsonValue | undefined,
  listed: JsonValue,
  key: string,
  { schema, strides }: Within,
): Merging<JsonValue | undefined> {
  if (!Array.isArray(held) || !Array.isArray(listed)) return done(held);
  if (held.length === 0 && listed.length === 0) return done(held);
  const alike = sameTypes(held, listed);
  if (!alike.ok) return alike;
  if (isJsonObject(held[0] ?? listed[0])) {
    // Objects are not deleted so: the list merges.
    const below = schemaOfMember(schema, key);
    return yield* mergeList(held, listed, fieldOf(schema, key)?.patch?.key, {
      schema: below.kind === "list" ? below.items() : untyped,
      strides,
    });
  }
  yield;
  const gone = new Set(listed.map(goJson));
  yield;
  return done(held.filter((item) => !gone.has(goJson(item))));
}

function* mergeValue(
  held: JsonValue,
  wanted: JsonValue,
  key: string,
  { schema, strides }: Within,
): Merging<JsonValue | undefined> {
  const strategy = fieldOf(schema, key)?.patch;
  const below = schemaOfMember(schema, key);
  if (isJsonObject(held) && isJsonObject(wanted)) {
    return strategy?.replace === true ? done(wanted) : yield* mergeObject(held, wanted, below, strides);
  }
  if (Array.isArray(held) && Array.isArray(wanted)) {
    if (strategy?.merge !== true) return done(wanted);
    return yield* mergeList(held, wanted, strategy.key, {
      schema: below.kind === "list" ? below.items() : untyped,
      strides,
    });
  }
  return done(withoutDirectives(wanted));
}

/** Merges a list that comes with `$setElementOrder`, then puts it in that order. */
function* mergeOrdered(
  live: ObjectDraft,
  patch: JsonObject,
  { key, order, ...within }: Within & { readonly key: string; readonly order: readonly JsonValue[] },
): Merging<void> {
  const { schema, strides } = within;
  const held = member(live.value, key);
  const wanted = member(patch, key);
  if (held !== undefined && !Array.isArray(held)) return problem(badType("[]interface {}", held));
  if (wanted !== undefined && !Array.isArray(wanted)) return problem(badType("[]interface {}", wanted));
  if (schema.kind === "map" && schema.name !== undefined && !schema.fields.has(key))
    return problem(`unable to find api field in struct ${schema.name} for the json field ${JSON.stringify(key)}`);
  const mergeKey = fieldOf(schema, key)?.patch?.key;
  const misplaced = wanted === undefined ? undefined : orderFault(wanted, order, mergeKey);
  if (misplaced !== undefined) return problem(misplaced);
  if (held === undefined && wanted === undefined) return done(undefined);
  const merged =
    wanted === undefined
      ? done(held)
      : held === undefined
        ? done(withoutDirectives(wanted))
        : yield* mergeValue(held, wanted, key, within);
  if (!merged.ok) return merged;
  yield;
  const items = Array.isArray(merged.value) ? merged.value : [];
  if ((!Array.isArray(held) || held.length === 0) && (wanted === undefined || wanted.length === 0)) {
    return problem("no elements in any of the given slices");
  }
  const server = Array.isArray(held) ? held : [];
  const alike = sameTypes(server, wanted ?? []);
  if (!alike.ok) return alike;
  const misread = mergeKey === undefined ? -1 : order.findIndex((item) => !isJsonObject(item));
  if (misread >= 0 && items.length > 0) return problem(`value for key ${misread} is not a map`);
  const keyless =
    mergeKey === undefined
      ? undefined
      : order.find((item): item is JsonObject => isJsonObject(item) && member(item, mergeKey) === undefined);
  if (keyless !== undefined) return problem(noMergeKey(keyless, mergeKey ?? ""));
  yield;
  const serverOrder =
    mergeKey === undefined || wanted === undefined ? server : orderAfterDeletes(server, wanted, mergeKey);
  live.set(key, yield* orderItems(items, order, serverOrder, mergeKey, strides));
  return done(undefined);
}

/** `within`: of the items. */
function* mergeList(
  held: readonly JsonValue[],
  wanted: readonly JsonValue[],
  mergeKey: string | undefined,
  within: Within,
): Merging<JsonValue> {
  const { strides } = within;
  const alike = sameTypes(held, wanted);
  if (!alike.ok) return alike;
  if (!wanted.some(isJsonObject) && !held.some(isJsonObject)) {
    const union = [...new Map([...held, ...wanted].map((item) => [goJson(item), item])).values()];
    yield;
    return done(yield* orderItems(union, wanted, held, undefined, strides));
  }
  if (mergeKey === undefined) return problem("cannot merge lists without merge key for struct");
  yield;
  const split = applySpecialItems(held, wanted, mergeKey);
  yield;
  if (!split.ok) return split;
  const { base, changes } = split.value;
  const merged: JsonValue[] = [...base];
  const places = new Map<string, number>();
  for (const [index, item] of base.entries()) {
    const key = isJsonObject(item) ? goJson(member(item, mergeKey) ?? null) : undefined;
    if (strides.isDue(4)) yield;
    if (key !== undefined && !places.has(key)) places.set(key, index);
  }
  for (const change of changes) {
    if (strides.isDue(8)) yield;
    const keyValue = member(change, mergeKey);
    if (keyValue === undefined) return problem(noMergeKey(change, mergeKey));
    const at = places.get(goJson(keyValue)) ?? merged.length;
    const twin = merged[at];
    if (!isJsonObject(twin)) {
      // A new item is taken as it is; directives within it become unknown fields.
      places.set(goJson(keyValue), at);
      merged.push(change);
      continue;
    }
    const next = yield* mergeObject(twin, change, within.schema, strides);
    if (!next.ok) return next;
    merged[at] = next.value;
  }
  // A patch that names a new item twice removes the key of the first one where it is null.
  const keyless = merged.find((item): item is JsonObject => isJsonObject(item) && member(item, mergeKey) === undefined);
  if (keyless !== undefined) return problem(noMergeKey(keyless, mergeKey));
  yield;
  return done(yield* orderItems(merged, changes, base, mergeKey, strides));
}

/** The items of merged lists are all of one type. */
function sameTypes(held: readonly JsonValue[], wanted: readonly JsonValue[]): Patched<void> {
  const types = new Set([...held, ...wanted].map(elementType));
  return types.size > 1
    ? problem(`list element types are not identical: [${[held, wanted].map((list) => goText(list)).join(" ")}]`)
    : done(undefined);
}

function elementType(value: JsonValue): string {
  if (value === null) return "null";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "float";
  return Array.isArray(value) ? "list" : typeof value;
}

/** Carries out items that are directives: `delete` by key, `replace` of the whole list. */
function applySpecialItems(
  held: readonly JsonValue[],
  wanted: readonly JsonValue[],
  mergeKey: string,
): Patched<{ readonly base: readonly JsonValue[]; readonly changes: readonly JsonObject[] }> {
  const gone = new Set<string>();
  let replaces = false;
  const changes: JsonObject[] = [];
  for (const item of wanted) {
    if (!isJsonObject(item)) return problem(`invalid type: expected a map, got ${goText(item)}`);
    const directive = member(item, "$patch");
    const keyValue = member(item, mergeKey);
    if (directive === undefined) changes.push(item);
    else if (directive === "replace") replaces = true;
    else if (directive === "merge") return problem("merging lists cannot yet be specified in the patch");
    else if (directive !== "delete") return problem(badDirective(directive, item));
    else if (keyValue === undefined) return problem(noMergeKey(item, mergeKey));
    else gone.add(goJson(keyValue));
  }
  if (replaces) return done({ base: changes, changes: [] });
  const base = held.filter((kept) => !isJsonObject(kept) || !gone.has(goJson(member(kept, mergeKey) ?? null)));
  return done({ base, changes });
}

/** A new value without what only steers merging; undefined for an object that is itself a directive. Nulls delete, so they go as well. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) {
    return value.map((item: JsonValue) => withoutDirectives(item)).filter((item) => item !== undefined);
  }
  if (!isJsonObject(value)) return value;
  if (member(value, "$patch") !== undefined) return undefined;
  const kept: Record<string, JsonValue | undefined> = {};
  for (const [key, held] of Object.entries(value)) {
    if (held === undefined || held === null) continue;
    const plain = withoutDirectives(held);
    if (plain !== undefined) setMember(kept, key, plain);
  }
  return kept;
}

/** The patch as refusals show it: where the document had nothing, it has lost its nulls. */
export function patchAsShown(document: JsonObject | undefined, patch: JsonObject): JsonObject {
  const shown: Record<string, JsonValue | undefined> = {};
  for (const [key, wanted] of Object.entries(patch)) {
    if (wanted === undefined) continue;
    const held = document === undefined ? undefined : member(document, key);
    if (isJsonObject(wanted) && isJsonObject(held)) setMember(shown, key, patchAsShown(held, wanted));
    else setMember(shown, key, held === undefined ? withoutNulls(wanted) : wanted);
  }
  return shown;
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept: Record<string, JsonValue | undefined> = {};
  for (const [key, held] of Object.entries(value))
    if (held !== undefined && held !== null) setMember(kept, key, withoutNulls(held));
  return kept;
}
