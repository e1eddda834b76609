import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { WriteRefusal } from "@purser/kubernetes/apis/object-write";
import { isJsonObject, type JsonObject, member } from "@purser/kubernetes/json";
import { goQuote } from "@purser/kubernetes/go-quote";
import { missingNamespace } from "./missing-prerequisite.ts";
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

/** Reasons that a dry run is refused for because of the object. */
const faultReasons: readonly string[] = [
  "Unauthorized",
  "Forbidden",
  "Conflict",
  "Invalid",
  "BadRequest",
  "MethodNotAllowed",
  "RequestEntityTooLarge",
  "UnsupportedMediaType",
  "NotAcceptable",
  "NotFound",
];

/**
 * Whether the answer to a dry run says that the object cannot be written, as OLM's phase engine decides. Not when its
 * namespace is missing, which the write itself reports with the way out, and not when a webhook takes no dry runs.
 */
export function isPreflightFault(refusal: WriteRefusal): boolean {
  const { reason, message } = refusal.status;
  if (missingNamespace(refusal) !== undefined || /does not support dry.?run/i.test(message)) return false;
  // The text of kube-apiserver for a field that the schema does not know or whose type differs; it has no reason.
  return faultReasons.includes(reason) || (reason === "" && message.includes("failed to create typed patch object"));
}

/** OLM's text for the objects of a phase that a dry run refused. */
export function preflightFault(index: number, phase: string, faults: readonly string[]): string {
  return `phase ${index} validation error: phase ${goQuote(phase)}: ${faults.join(", ")}`;
}
