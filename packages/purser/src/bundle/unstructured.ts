import { digitsOf, isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);

/** A manifest as Kubernetes' untyped objects hold it: an integer that is no int64 becomes a double. */
export function asUnstructured(object: JsonObject): JsonObject {
  const value = convert(object);
  return isJsonObject(value) ? value : object;
}

function convert(value: JsonValue): JsonValue {
  const digits = digitsOf(value);
  if (digits !== undefined) {
    const integer = BigInt(digits);
    return integer > int64Max || integer < int64Min ? Number(digits) : value;
  }
  if (Array.isArray(value)) return value.map(convert);
  if (!isJsonObject(value)) return value;
  const copy: Record<string, JsonValue> = Object.create(null) as Record<string, JsonValue>;
  for (const key of Object.keys(value)) copy[key] = convert(member(value, key) ?? null);
  return copy;
}
