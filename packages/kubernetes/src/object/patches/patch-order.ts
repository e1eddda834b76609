import { isJsonObject, type JsonValue, member } from "../../json.ts";
import { goJson } from "../../text/go-json.ts";

/**
 * The order of a merged list: patched items as in `order`, the rest in the server's order; of the two next items the
 * one that comes first in the server's list is taken, if both are in it, else the patched one.
 */
export function orderItems(
  items: readonly JsonValue[],
  order: readonly JsonValue[],
  serverOrder: readonly JsonValue[],
  mergeKey: string | undefined,
): readonly JsonValue[] {
  const keyOf = (item: JsonValue): string =>
    goJson(mergeKey !== undefined && isJsonObject(item) ? (member(item, mergeKey) ?? null) : item);
  const placesOf = (list: readonly JsonValue[]): ReadonlyMap<string, number> => {
    const places = new Map<string, number>();
    for (const [index, item] of list.entries()) if (!places.has(keyOf(item))) places.set(keyOf(item), index);
    return places;
  };
  const wanted = placesOf(order);
  const server = placesOf(serverOrder);
  const by = (places: ReadonlyMap<string, number>, list: readonly JsonValue[]): readonly JsonValue[] =>
    list.toSorted((a, b) => (places.get(keyOf(a)) ?? Infinity) - (places.get(keyOf(b)) ?? Infinity) || 0);
  const patched = by(
    wanted,
    items.filter((item) => wanted.has(keyOf(item))),
  );
  const serverOnly = by(
    server,
    items.filter((item) => !wanted.has(keyOf(item))),
  );
  const out: JsonValue[] = [];
  let i = 0;
  let j = 0;
  while (i < serverOnly.length || j < patched.length) {
    const left = serverOnly[i];
    const right = patched[j];
    const leftPlace = left === undefined ? undefined : server.get(keyOf(left));
    const rightPlace = right === undefined ? undefined : server.get(keyOf(right));
    const takeLeft =
      right === undefined || (leftPlace !== undefined && rightPlace !== undefined && leftPlace < rightPlace);
    if (takeLeft && left !== undefined) {
      out.push(left);
      i++;
    } else if (right !== undefined) {
      out.push(right);
      j++;
    }
  }
  return out;
}
