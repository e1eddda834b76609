import { CelFault, CelMap, CelOpaque, CelOptional, CelUint, type CelValue, fault, typeNameOf } from "./cel-value.ts";
import { formatDouble } from "./value-text.ts";

/** A member or item; when missing, an empty optional under an optional (or with `optional`), otherwise an error. */
export function readAt(from: CelValue, key: CelValue, optional: boolean): CelValue {
  if (from instanceof CelFault) return from;
  if (key instanceof CelFault) return key;
  if (from instanceof CelOptional) {
    const inner = from.value === undefined ? undefined : lookUp(from.value, key);
    return inner instanceof CelFault ? inner : new CelOptional(inner);
  }
  const found = lookUp(from, key);
  if (optional) return found instanceof CelFault ? found : new CelOptional(found);
  return found ?? missing(from, key);
}

function lookUp(from: CelValue, key: CelValue): CelValue | undefined {
  if (from instanceof CelMap)
    return from.textKeys && typeof key !== "string" ? fault("no such overload") : from.get(key);
  if (from instanceof CelOpaque && from.content.kind === "authorizer") {
    const { value } = from.content;
    return new CelOpaque({ kind: "resourceCheck", value: { ...value.request, asker: value } });
  }
  if (!Array.isArray(from)) return fault("no such overload");
  const index =
    key instanceof CelUint
      ? Number(key.value)
      : typeof key === "bigint" || typeof key === "number"
        ? Number(key)
        : undefined;
  if (index === undefined) return fault(`unsupported index type '${typeNameOf(key)}' in list`);
  return Number.isInteger(index) ? from[index] : fault(`unsupported index value ${formatDouble(index)} in list`);
}

function missing(from: CelValue, key: CelValue): CelFault {
  const shown = key instanceof CelUint ? key.value : key;
  const text = typeof shown === "string" || typeof shown === "bigint" || typeof shown === "number" ? String(shown) : "";
  return fault(Array.isArray(from) ? `index out of bounds: ${text}` : `no such key: ${text}`);
}

/** Whether a map has the field, as `has()` answers; an optional without a value has none. */
export function presence(from: CelValue, field: string): CelValue {
  if (from instanceof CelFault) return from;
  const value = from instanceof CelOptional ? from.value : from;
  if (value === undefined) return false;
  return value instanceof CelMap ? value.get(field) !== undefined : fault("no such overload");
}
