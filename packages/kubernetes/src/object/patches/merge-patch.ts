import { isJsonObject, type JsonValue, member } from "../../json.ts";
import { knownKeys } from "../../known-keys.ts";
import { allSteps, type Steps, Strides } from "../../steps.ts";
import { ObjectDraft, setMember } from "./json-edit.ts";
import { type PatchNode, nodeOf, RawNode, textOf } from "./json-patch-node.ts";
import { deepEqual } from "../semantic-equal.ts";

/**
 * RFC 7386 as implemented by the API server's library: null deletes, objects merge, everything else replaces; in a list
 * that replaces something other than an object, objects lose their null members. Untouched subtrees are shared.
 * @testOnly the server takes the patch in steps
 */
export function applyMergePatch(document: JsonValue | undefined, patch: JsonValue): JsonValue {
  return allSteps(mergePatchInSteps(document, patch));
}

/** As {@link applyMergePatch}, with pauses. */
export function* mergePatchInSteps(
  document: JsonValue | undefined,
  patch: JsonValue,
  strides = new Strides(),
): Steps<JsonValue> {
  if (!isJsonObject(patch)) return isJsonObject(document) ? patch : withoutNullMembers(patch);
  const merged = new ObjectDraft(isJsonObject(document) ? document : {});
  for (const key of knownKeys(patch)) {
    const change = patch[key];
    if (strides.isDue()) yield;
    if (change === undefined) continue;
    const held = member(merged.value, key);
    const next =
      change === null ? undefined : isScalar(change) ? change : yield* mergePatchInSteps(held, change, strides);
    if (next !== held) merged.set(key, next);
  }
  return merged.value;
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== "object";
}

function withoutNullMembers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutNullMembers);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, held]) =>
      held === null || held === undefined ? [] : [[key, withoutNullMembers(held)] as const],
    ),
  );
}

/**
 * The smallest merge patch that turns `from` into `to`; an empty object when they are equal.
 * A member that is null in `to` cannot be expressed (null deletes) and is deleted.
 */
export function createMergePatch(from: JsonValue, to: JsonValue): JsonValue {
  if (!isJsonObject(from) || !isJsonObject(to)) return to;
  const patch: Record<string, JsonValue | undefined> = {};
  for (const key of Object.keys(from)) {
    if (member(from, key) !== undefined && member(to, key) === undefined) setMember(patch, key, null);
  }
  for (const key of Object.keys(to)) {
    const after = member(to, key);
    const before = member(from, key);
    if (after === undefined || (before !== undefined && deepEqual(before, after))) continue;
    const change =
      before !== undefined && isJsonObject(before) && isJsonObject(after) ? createMergePatch(before, after) : after;
    setMember(patch, key, change);
  }
  return patch;
}

/**
 * As {@link applyMergePatch}, from text to text: untouched parts keep their notation, keys of the rest are sorted. When
 * one of the two is not an object, null members are dropped.
 */
export function mergePatchText(document: string, patch: string): string {
  return textOf(mergedNode(nodeOf(document), nodeOf(patch)));
}

function mergedNode(current: PatchNode, patch: PatchNode): PatchNode {
  const into = current?.open();
  const changes = patch?.open();
  if (!(into instanceof Map)) {
    dropNulls(patch);
    return patch;
  }
  if (!(changes instanceof Map)) return patch;
  for (const [key, change] of changes) {
    const held = into.get(key);
    if (change === undefined) into.delete(key);
    else if (held !== undefined) into.set(key, mergedNode(held, change));
    else {
      dropNulls(change);
      into.set(key, change);
    }
  }
  return current;
}

function dropNulls(node: PatchNode): void {
  const opened = node instanceof RawNode ? node.open() : undefined;
  if (opened instanceof Map) {
    for (const [key, held] of opened) {
      if (held === undefined) opened.delete(key);
      else dropNulls(held);
    }
  } else for (const item of opened ?? []) dropNulls(item);
}
