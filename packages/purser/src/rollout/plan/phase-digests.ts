import type { JsonObject } from "@purser/kubernetes/json";
import { digestOf } from "@purser/kubernetes/digest";
import { canonicalJson } from "@purser/kubernetes/text/documents";

export interface ObservedPhase {
  readonly name: string;
  readonly digest: string;
}

export interface ResolvedPhase {
  readonly name: string;
  readonly objects: readonly JsonObject[];
}

/** What pins the content of a revision: a digest per phase over its name and its objects in order. */
export function phaseDigests(phases: readonly ResolvedPhase[]): readonly ObservedPhase[] {
  return phases.map(({ name, objects }) => ({ name, digest: digestOf(canonicalJson({ name, objects })) }));
}

/** Upstream's text when resolved content is not what was pinned; undefined when it is. */
export function contentChange(
  observed: readonly ObservedPhase[] | undefined,
  current: readonly ObservedPhase[],
): string | undefined {
  if (observed === undefined || observed.length === 0) return undefined;
  if (observed.length !== current.length) {
    return `number of phases has changed (expected ${observed.length} phases, got ${current.length})`;
  }
  const changed = observed.flatMap(({ name, digest }) => {
    const now = current.find((phase) => phase.name === name)?.digest ?? "";
    return now === digest ? [] : [`phase "${name}" (expected digest ${digest}, got ${now})`];
  });
  if (changed.length === 0) return undefined;
  return `resolved content of ${changed.length} phase(s) has changed: ${changed.join("; ")}; a referenced object source may have been deleted and recreated with different content`;
}
