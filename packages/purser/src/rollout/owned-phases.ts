import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { managedByLabel, managedByValue, ownerNameLabel } from "../apis/v1/labels.ts";
import { readOrRefusal } from "@purser/kubernetes/kube/refusal";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ObjectSetPorts } from "./object-set-ports.ts";
import { sortIntoPhases } from "./plan/phases.ts";
import type { PhaseContent } from "./resolve-phases.ts";

/**
 * The objects on the cluster that have an owner reference to the revision, in OLM's phases: for an archived revision whose
 * Secrets were deleted. Lists every served type; the problem names a type that cannot be listed.
 */
export async function ownedPhases(
  revision: ClusterObjectSet,
  { reader, servedTypes }: Pick<ObjectSetPorts, "reader" | "servedTypes">,
): Promise<Result<readonly PhaseContent[], string>> {
  const owner = revision.metadata.labels?.[ownerNameLabel];
  const marks = [`${managedByLabel}=${managedByValue}`, ...(owner === undefined ? [] : [`${ownerNameLabel}=${owner}`])];
  const owned = new Map<string, KubeObject>();
  for (const type of await servedTypes()) {
    const listed = await readOrRefusal(reader.list(type, { labelSelector: marks.join(",") }));
    // Reviews and the like are no stored objects.
    if (!listed.ok && listed.problem.status.code === 405) continue;
    if (!listed.ok) return failed(`listing ${type.plural}: ${listed.problem.status.message}`);
    for (const object of listed.value) {
      const { uid = "", ownerReferences = [] } = object.metadata;
      if (!ownerReferences.some((reference) => reference.uid === revision.metadata.uid)) continue;
      // A kind may be served in several versions.
      if (!owned.has(uid)) owned.set(uid, object);
    }
  }
  const phases = sortIntoPhases([...owned.values()].map((object) => asJson(object)));
  return done(
    phases.map(({ name, objects }) => ({
      name,
      members: objects.flatMap(({ object }) => (object === undefined ? [] : [{ object }])),
    })),
  );
}
