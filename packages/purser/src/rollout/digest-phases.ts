import { createHash } from "node:crypto";
import type { JsonObject } from "@purser/kubernetes/json";
import { canonicalJson } from "@purser/kubernetes/text/documents";
import type { ObservedPhase } from "./plan/phase-digests.ts";

export interface ResolvedPhase {
  readonly name: string;
  readonly objects: readonly JsonObject[];
}

/** What pins the content of a revision: `sha256:` and 64 hex digits per phase, over its name and its objects in order. */
export function digestPhases(phases: readonly ResolvedPhase[]): readonly ObservedPhase[] {
  return phases.map((phase) => ({ name: phase.name, digest: digestOnce(phase) }));
}

/** By the first object of a phase: pass after pass resolves to the same objects, of megabytes. */
const known = new WeakMap<JsonObject, ResolvedPhase & { readonly digest: string }>();

function digestOnce({ name, objects }: ResolvedPhase): string {
  const [first] = objects;
  const last = first === undefined ? undefined : known.get(first);
  if (last?.name === name && last.objects.length === objects.length) {
    if (objects.every((object, index) => object === last.objects[index])) return last.digest;
  }
  const digest = `sha256:${createHash("sha256").update(canonicalJson({ name, objects })).digest("hex")}`;
  if (first !== undefined) known.set(first, { name, objects, digest });
  return digest;
}
