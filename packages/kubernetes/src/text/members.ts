import type { JsonValue } from "../json.ts";

/** Sets an own member, also for `__proto__`, which assignment would send to the prototype. */
export function setMember(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** One reference token of an RFC 6901 pointer. */
export function escapePointer(key: string): string {
  return key.includes("~") || key.includes("/") ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;
}

/** Compares by UTF-8 bytes, as Go sorts strings; UTF-16 order differs above the basic plane only. */
export function compareBytes(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a === b) continue;
    const bothLow = a < 0xd800 || b < 0xd800;
    return bothLow ? a - b : rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Surrogates sort above all other code units. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Own keys in byte order. */
export function sortedKeys(object: object): string[] {
  return Object.keys(object).sort(compareBytes);
}
