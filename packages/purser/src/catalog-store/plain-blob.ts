import { invariant } from "@purser/kubernetes/invariant";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";

const decoder = new TextDecoder();

/** The blob of a stored line for the registry API: it shows every number as a double, so nothing is lost by the fast way. */
export function plainBlob(line: Uint8Array): JsonObject {
  const value: unknown = JSON.parse(decoder.decode(line));
  invariant(isJsonObject(value), "every blob of a catalog is an object");
  return value;
}
