import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import { goJson } from "../../text/go-json.ts";
import { goText } from "../go-text.ts";
import { badType, noMergeKey } from "./patch-faults.ts";

/**
 * The server's order as upstream sees it once the patch is merged: it deletes in place, so that new items stand where deleted
 * ones left room. `kubectl apply` that drops one item and adds another relies on it.
 */
export function orderAfterDeletes(
  held: readonly JsonValue[],
  wanted: readonly JsonValue[],
  mergeKey: string,
): readonly JsonValue[] {
  const keyOf = (item: JsonValue | undefined): string | undefined => {
    const key = isJsonObject(item) ? member(item, mergeKey) : undefined;
    return key === undefined ? undefined : goJson(key);
  };
  const directives = wanted.filter(
    (item): item is JsonObject => isJsonObject(item) && member(item, "$patch") !== undefined,
  );
  const places = new Map<string, number[]>();
  for (const [index, item] of held.entries()) {
    const key = keyOf(item);
    const alike = key === undefined ? undefined : places.get(key);
    if (alike !== undefined) alike.push(index);
    else if (key !== undefined) places.set(key, [index]);
  }
  const gone = new Set<number>();
  const left: JsonValue[] = [];
  let last = held.length - 1;
  for (const key of new Set(directives.map(keyOf))) {
    if (key === undefined) continue;
    for (const index of places.get(key) ?? []) {
      // What moves up leaves the last one where it stood as well.
      while (gone.has(last)) last--;
      left.push(held[last] ?? null);
      gone.add(index);
    }
  }
  const slots = held.filter((_, index) => !gone.has(index));
  const taken = new Set(slots.map(keyOf));
  const room = left.toReversed();
  if (directives.some((item) => member(item, "$patch") === "replace")) return [...slots, ...room];
  const steering = new Set<JsonValue>(directives);
  const added: JsonValue[] = [];
  for (const item of wanted) {
    if (steering.has(item) || taken.has(keyOf(item))) continue;
    taken.add(keyOf(item));
    added.push(item);
  }
  return [...slots, ...added.slice(0, room.length), ...room.slice(added.length)];
}

/** What is wrong when the patched items do not come in the order that the directive gives. */
export function orderFault(
  wanted: readonly JsonValue[],
  order: readonly JsonValue[],
  mergeKey: string | undefined,
): string | undefined {
  const items =
    mergeKey === undefined
      ? wanted
      : wanted.filter((item) => !isJsonObject(item) || member(item, "$patch") !== "delete");
  if (order.length === 0) return undefined;
  let at = 0;
  for (let place = 0; place < order.length;) {
    const item = items[at];
    // Whether a later item has a key is not looked at.
    if (item === undefined) return undefined;
    // Another directive has no place in the order, unless nothing of the order is left.
    if (isJsonObject(item) && Object.hasOwn(item, "$patch")) {
      at++;
      continue;
    }
    const key = orderKey(item, mergeKey);
    if (typeof key !== "string") return key.fault;
    const wantedKey = orderKey(order[place] ?? null, mergeKey);
    if (typeof wantedKey !== "string") return wantedKey.fault;
    if (wantedKey === key) at++;
    place++;
  }
  return at < items.length ? orderMismatch(wanted, order) : undefined;
}

function orderMismatch(wanted: readonly JsonValue[], order: readonly JsonValue[]): string {
  return `The order in patch list:\n${goText(wanted)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`;
}

function orderKey(item: JsonValue, mergeKey: string | undefined): string | { readonly fault: string } {
  if (mergeKey === undefined) return goJson(item);
  if (!isJsonObject(item)) return { fault: badType("map[string]interface {}", item) };
  const key = member(item, mergeKey);
  return key === undefined ? { fault: noMergeKey(item, mergeKey) } : goJson(key);
}
