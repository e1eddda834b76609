import type { JsonObject } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { plainFinalizers } from "@purser/kubernetes/object/metadata-rules";

function finalizersOf(object: JsonObject | undefined): readonly string[] {
  const metadata = object === undefined ? undefined : member(object, "metadata");
  const finalizers = isJsonObject(metadata) ? member(metadata, "finalizers") : undefined;
  if (!Array.isArray(finalizers)) return [];
  return finalizers.filter((finalizer) => typeof finalizer === "string");
}

/** Warnings about added finalizers without a domain and path, which may conflict with others. */
export function finalizerWarnings(object: JsonObject, old?: JsonObject): readonly string[] {
  const before = new Set(finalizersOf(old));
  const added = [...new Set(finalizersOf(object))].filter((finalizer) => !before.has(finalizer)).toSorted();
  return added
    .filter((finalizer) => !finalizer.includes("/") && !plainFinalizers.has(finalizer))
    .map(
      (finalizer) =>
        `metadata.finalizers: ${JSON.stringify(finalizer)}: prefer a domain-qualified finalizer name ${finalizer.includes(".") ? "including a path (/) " : ""}to avoid accidental conflicts with other finalizer writers`,
    );
}
