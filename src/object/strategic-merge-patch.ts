import { isJsonObject, type JsonObject, type JsonValue, member } from "../json.ts";
import { done, failed, type Result } from "../result.ts";
import { goJson } from "../text/go-json.ts";
import { goText } from "./go-text.ts";
import { setMember, withMember } from "./json-edit.ts";
import { memberSchema, type MergeField, type MergeSchema, untyped } from "./merge-schema.ts";
import { orderItems } from "./patch-order.ts";

/** The server answers these with a 500 that carries only the message. */
export interface StrategicPatchProblem {
  readonly message: string;
}

type Patched<Value> = Result<Value, StrategicPatchProblem>;

const orderPrefix = "$setElementOrder/";
const deletePrefix = "$deleteFromPrimitiveList/";

/** Applies a strategic merge patch to an object of a built-in kind. Nothing is mutated. */
export function applyStrategicMergePatch(
  document: JsonObject,
  patch: JsonObject,
  schema: MergeSchema,
): Patched<JsonObject> {
  return mergeObject(document, patch, schema);
}

function problem(message: string): Patched<never> {
  return failed({ message });
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

function mergeObject(live: JsonObject, patch: JsonObject, schema: MergeSchema): Patched<JsonObject> {
  const directive = member(patch, "$patch");
  if (directive === "replace") return done(withMember(patch, "$patch", undefined));
  if (directive === "delete") return done({});
  if (directive !== undefined) return problem(badDirective(directive, patch));
  const retained = retainKeys(live, patch);
  if (!retained.ok) return retained;
  let merged = retained.value;
  const ordered = new Set<string>();
  for (const [directiveKey, order] of Object.entries(patch)) {
    if (!directiveKey.startsWith(orderPrefix) || order === undefined) continue;
    const key = directiveKey.slice(orderPrefix.length);
    const next = mergeOrdered(merged, patch, key, order, schema);
    if (!next.ok) return next;
    merged = next.value;
    ordered.add(key);
  }
  for (const [key, wanted] of Object.entries(patch)) {
    if (wanted === undefined || ordered.has(key) || key === "$retainKeys" || key.startsWith(orderPrefix)) continue;
    const next = mergeMember(merged, key, wanted, schema);
    if (!next.ok) return next;
    merged = next.value;
  }
  return done(merged);
}

function badDirective(directive: JsonValue, patch: JsonObject): string {
  return `unknown patch type: ${goText(directive)} in map: ${goText(patch)}`;
}

function retainKeys(live: JsonObject, patch: JsonObject): Patched<JsonObject> {
  const list = member(patch, "$retainKeys");
  if (list === undefined) return done(live);
  const fault =
    "invalid patch format of retainKeys directive: retainKeys must contain all the keys present in the patch";
  if (!Array.isArray(list)) return problem(fault);
  const kept = new Set<JsonValue>(list);
  for (const [key, value] of Object.entries(patch)) {
    if (value !== null && !isDirective(key) && !kept.has(key)) return problem(fault);
  }
  let result = live;
  for (const key of Object.keys(live)) if (!kept.has(key)) result = withMember(result, key, undefined);
  return done(result);
}

function mergeMember(live: JsonObject, patchKey: string, wanted: JsonValue, schema: MergeSchema): Patched<JsonObject> {
  const deletes = patchKey.startsWith(deletePrefix);
  const key = deletes ? patchKey.slice(deletePrefix.length) : patchKey;
  const held = member(live, key);
  if (deletes) {
    if (!Array.isArray(held) || !Array.isArray(wanted)) return done(live);
    const gone = new Set(wanted.map(goJson));
    return done(
      withMember(
        live,
        key,
        held.filter((item) => !gone.has(goJson(item))),
      ),
    );
  }
  if (wanted === null) return done(held === undefined ? live : withMember(live, key, undefined));
  const merged = held === undefined ? done(withoutDirectives(wanted)) : mergeValue(held, wanted, key, schema);
  if (!merged.ok) return merged;
  return done(merged.value === held ? live : withMember(live, key, merged.value));
}

function mergeValue(
  held: JsonValue,
  wanted: JsonValue,
  key: string,
  schema: MergeSchema,
): Patched<JsonValue | undefined> {
  const strategy = fieldOf(schema, key)?.patch;
  const below = schemaOfMember(schema, key);
  if (isJsonObject(held) && isJsonObject(wanted)) {
    return strategy?.replace === true ? done(wanted) : mergeObject(held, wanted, below);
  }
  if (Array.isArray(held) && Array.isArray(wanted)) {
    if (strategy?.merge !== true) return done(wanted);
    return mergeList(held, wanted, strategy.key, below.kind === "list" ? below.items() : untyped);
  }
  return done(withoutDirectives(wanted));
}

/** Merges a list that comes with `$setElementOrder`, then puts it in that order. */
function mergeOrdered(
  live: JsonObject,
  patch: JsonObject,
  key: string,
  order: JsonValue,
  schema: MergeSchema,
): Patched<JsonObject> {
  const held = member(live, key);
  const wanted = member(patch, key);
  if (!Array.isArray(order)) return problem(`invalid type: expected a list, got ${goText(order)}`);
  if (wanted === null) return done(withMember(live, key, undefined));
  if (wanted !== undefined && !Array.isArray(wanted))
    return problem(`invalid type: expected a list, got ${goText(wanted)}`);
  const mergeKey = fieldOf(schema, key)?.patch?.key;
  if (wanted !== undefined && !follows(wanted, order, mergeKey)) {
    const list = mergeKey === undefined ? "" : ` with merge key ${mergeKey}`;
    return problem(
      `The order in patch list:\n${goText(wanted)}\n doesn't match $setElementOrder list${list}:\n${goText(order)}\n`,
    );
  }
  if (held === undefined && wanted === undefined) return done(live);
  const merged =
    wanted === undefined
      ? done(held)
      : held === undefined
        ? done(withoutDirectives(wanted))
        : mergeValue(held, wanted, key, schema);
  if (!merged.ok) return merged;
  const items = Array.isArray(merged.value) ? merged.value : [];
  return done(withMember(live, key, orderItems(items, order, Array.isArray(held) ? held : [], mergeKey)));
}

/** Whether the patched items come in the order that the directive gives. */
function follows(wanted: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string | undefined): boolean {
  const keyOf = (item: JsonValue): string =>
    goJson(mergeKey !== undefined && isJsonObject(item) ? (member(item, mergeKey) ?? null) : item);
  const listed = order.map(keyOf);
  let from = 0;
  for (const item of wanted) {
    if (isJsonObject(item) && member(item, "$patch") !== undefined) continue;
    const at = listed.indexOf(keyOf(item), from);
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}

function mergeList(
  held: readonly JsonValue[],
  wanted: readonly JsonValue[],
  mergeKey: string | undefined,
  items: MergeSchema,
): Patched<JsonValue> {
  if (!wanted.some(isJsonObject) && !held.some(isJsonObject)) {
    const union = [...new Map([...held, ...wanted].map((item) => [goJson(item), item])).values()];
    return done(orderItems(union, wanted, held, undefined));
  }
  if (mergeKey === undefined) return problem("cannot merge lists without merge key");
  const split = applySpecialItems(held, wanted, mergeKey);
  if (!split.ok) return split;
  const { base, changes } = split.value;
  const merged: JsonValue[] = [...base];
  for (const change of changes) {
    const keyValue = member(change, mergeKey);
    if (keyValue === undefined) return problem(noMergeKey(change, mergeKey));
    const at = merged.findIndex(
      (item) => isJsonObject(item) && goJson(member(item, mergeKey) ?? null) === goJson(keyValue),
    );
    const twin = merged[at];
    if (!isJsonObject(twin)) {
      const plain = withoutDirectives(change);
      if (plain !== undefined) merged.push(plain);
      continue;
    }
    const next = mergeObject(twin, change, items);
    if (!next.ok) return next;
    merged[at] = next.value;
  }
  return done(orderItems(merged, changes, base, mergeKey));
}

function noMergeKey(item: JsonObject, mergeKey: string): string {
  return `map: ${goText(item)} does not contain declared merge key: ${mergeKey}`;
}

/** Carries out items that are directives: `delete` by key, `replace` of the whole list. */
function applySpecialItems(
  held: readonly JsonValue[],
  wanted: readonly JsonValue[],
  mergeKey: string,
): Patched<{ readonly base: readonly JsonValue[]; readonly changes: readonly JsonObject[] }> {
  let base = held;
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
    else {
      base = base.filter((kept) => !isJsonObject(kept) || goJson(member(kept, mergeKey) ?? null) !== goJson(keyValue));
    }
  }
  return done(replaces ? { base: changes, changes: [] } : { base, changes });
}

/** A new value without what only steers merging; undefined when it is nothing but a delete. Nulls delete, so they go as well. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) {
    return value.map((item: JsonValue) => withoutDirectives(item)).filter((item) => item !== undefined);
  }
  if (!isJsonObject(value)) return value;
  if (member(value, "$patch") === "delete") return undefined;
  const kept: Record<string, JsonValue | undefined> = {};
  for (const [key, held] of Object.entries(value)) {
    if (held === undefined || held === null || isDirective(key)) continue;
    const plain = withoutDirectives(held);
    if (plain !== undefined) setMember(kept, key, plain);
  }
  return kept;
}
