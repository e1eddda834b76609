import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { at, text } from "./scene.ts";

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: JsonValue;
}

/** managedFields as a map from `manager/Operation` (and `/subresource`) to fields. */
export function owners(object: JsonObject): JsonObject {
  const entries = (at(object, "metadata", "managedFields") ?? []) as unknown as readonly Entry[];
  return Object.fromEntries(
    entries.map(({ manager, operation, subresource, fieldsV1 }) => [
      [manager, operation, ...(subresource === undefined ? [] : [subresource])].join("/"),
      fieldsV1,
    ]),
  );
}

/** Causes of a Status, sorted: Kubernetes guarantees no order. */
export function causesOf(status: JsonObject): readonly string[] {
  const causes = (at(status, "details", "causes") ?? []) as unknown as readonly JsonObject[];
  return causes.map((cause) => `${text(cause, "field")}: ${text(cause, "message")}`).toSorted();
}
