import { isJsonObject, type JsonValue, member } from "../../json.ts";
import type { Steps, Strides } from "../../steps.ts";
import { goJson } from "../../text/go-json.ts";

/**
 * The order of a merged list: patched items as in `order`, the rest in the server's order; of the two next items the
 * one that comes first in the server's list is taken, if both are in it, else the patched one.
 */
export function* orderItems(
  items: readonly JsonValue[],
  order: readonly JsonValue[],
  serverOrder: readonly JsonValue[],
  mergeKey: string | undefined,
  strides: Strides,
): Steps<readonly JsonValue[]> {
  const keyOf = (item: JsonValue): string =>
    goJson(mergeKey !== undefined && isJsonObject(item) ? (member(item, mergeKey) ?? null) : item);
  const placesOf = function* (list: readonly JsonValue[]): Steps<ReadonlyMap<string, number>> {
    const places = new Map<string, number>();
    for (const [index, item] of list.entries()) {
      const key = keyOf(item);
      if (!places.has(key)) places.set(key, index);
      if (strides.isDue(4)) yield;
    }
    return places;
  };
  const wanted = yield* placesOf(order);
  const server = yield* placesOf(serverOrder);
  const patched: Placed[] = [];
  const serverOnly: Placed[] = [];
  for (const item of items) {
    const key = keyOf(item);
    const inPatch = wanted.get(key);
    const onServer = server.get(key);
    if (inPatch !== undefined) patched.push({ item, place: inPatch, onServer });
    else serverOnly.push({ item, place: onServer ?? Infinity, onServer });
    if (strides.isDue(4)) yield;
  }
  yield;
  const byPlace = (a: Placed, b: Placed): number => a.place - b.place || 0;
  patched.sort(byPlace);
  yield;
  serverOnly.sort(byPlace);
  yield;
  const out: JsonValue[] = [];
  let i = 0;
  let j = 0;
  while (i < serverOnly.length || j < patched.length) {
    if (strides.isDue()) yield;
    const left = serverOnly[i];
    const right = patched[j];
    const takeLeft =
      right === undefined ||
      (left?.onServer !== undefined && right.onServer !== undefined && left.onServer < right.onServer);
    if (takeLeft && left !== undefined) {
      out.push(left.item);
      i++;
    } else if (right !== undefined) {
      out.push(right.item);
      j++;
    }
  }
  return out;
}

/** An item, its place in the order that decides about it, and its place in the server's list, if it is there. */
interface Placed {
  readonly item: JsonValue;
  readonly place: number;
  readonly onServer: number | undefined;
}
