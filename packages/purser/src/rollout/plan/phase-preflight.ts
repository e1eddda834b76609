import type { KubeObject } from "@purser/kubernetes/apis/object";
import { isJsonObject, type JsonObject, member } from "@purser/kubernetes/json";
import { describeObject } from "./owned-elsewhere.ts";

const forbiddenMetadata = [
  "uid",
  "generation",
  "generateName",
  "finalizers",
  "ownerReferences",
  "resourceVersion",
] as const;

/** What is wrong with the content of a revision before anything is written; undefined when nothing is. */
export function revisionFault(
  phases: readonly { readonly name: string; readonly objects: readonly JsonObject[] }[],
): string | undefined {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const { name, objects } of phases) {
    if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name) || name.length > 63) {
      faults.push(`phase "${name}": the name must be a DNS-1035 label`);
    }
    for (const object of objects) {
      const shown = describeObject(object as unknown as KubeObject);
      const metadata = member(object, "metadata");
      const held = isJsonObject(metadata) ? metadata : {};
      for (const field of forbiddenMetadata) {
        if (member(held, field) !== undefined) faults.push(`${shown}: metadata.${field} must not be set`);
      }
      if (seen.has(shown)) faults.push(`${shown}: the object is in the revision twice`);
      seen.add(shown);
    }
  }
  return faults.length === 0 ? undefined : `revision validation error: ${faults.join(", ")}`;
}
