import { digitsOf, isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { setMember } from "@purser/kubernetes/text/documents";

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);

/** A manifest as Kubernetes' untyped objects hold it: an integer that is no int64 becomes a double. */
export function asUnstructured(object: JsonObject): JsonObject {
  const value = convert(object);
  return isJsonObject(value) ? value : object;
}

/** The value itself where nothing in it changes, which is nearly always. */
function convert(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  const digits = digitsOf(value);
  if (digits !== undefined) {
    const integer = BigInt(digits);
    return integer > int64Max || integer < int64Min ? Number(digits) : value;
  }
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value;
    const converted = items.map(convert);
    return converted.some((item, index) => item !== items[index]) ? converted : value;
  }
  if (!isJsonObject(value)) return value;
  let copy: Record<string, JsonValue> | undefined;
  for (const key of Object.keys(value)) {
    const item = member(value, key) ?? null;
    const converted = convert(item);
    if (converted !== item) setMember((copy ??= { ...(value as Record<string, JsonValue>) }), key, converted);
  }
  return copy ?? value;
}
