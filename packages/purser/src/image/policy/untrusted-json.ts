import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";

// Signatures and log entries are made by whoever may push to a registry: what does not fit counts as absent.

export function parsed(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

export function objectIn(object: JsonObject, name: string): JsonObject {
  const value = member(object, name);
  return value !== undefined && isJsonObject(value) ? value : {};
}

export function textIn(object: JsonObject, name: string): string | undefined {
  const value = member(object, name);
  return typeof value === "string" ? value : undefined;
}

export function bytesIn(object: JsonObject, name: string): Buffer | undefined {
  const value = member(object, name);
  return typeof value === "string" ? fromBase64(value) : undefined;
}

/** The bytes of base64 with padding; undefined for other text, of which Node would read a part. */
export function fromBase64(text: string | undefined): Buffer | undefined {
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text ?? "-");
  return isBase64 ? Buffer.from(text ?? "", "base64") : undefined;
}
