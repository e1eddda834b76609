import { asJson, asKubeObject } from "@purser/kubernetes/apis/object";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import type { ClusterObjectSet } from "../../../apis/v1/cluster-object-set.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { isMissingRight } from "@purser/kubernetes/kube/refusal";
import type { VersionView } from "@purser/kubernetes/kube/informer-cache";
import { derivedOnce } from "../../../derived-once.ts";
import { checkCrdUpgrade } from "../../../review/crd-upgrade-safety.ts";
import { applyRevision, type RevisionPorts } from "../../../rollout/apply-revision.ts";
import { desiredRevision, type RevisionRequest } from "../../../rollout/plan/revision.ts";
import type { CrdObstacle, RevisionOutcome } from "../../../rollout/plan/revision-outcome.ts";

export interface WantedRevision {
  readonly request: RevisionRequest;
  /** Whether a new revision is refused when its CRDs would break stored objects. */
  readonly checksCrds: boolean;
  /** Revisions of the extension, any order. */
  readonly revisions: readonly ClusterObjectSet[];
}

export interface BringPorts extends RevisionPorts {
  /** What watches show of definitions. */
  readonly versions: Pick<VersionView, "versionOf">;
}

/** Updates the newest revision of an extension or makes the next one. `ports.reader` reads live. */
export async function bringRevision(
  { request, checksCrds, revisions }: WantedRevision,
  ports: BringPorts,
  signal: AbortSignal,
): Promise<RevisionOutcome> {
  const desired = desiredOnce(request.objects, request);
  if (!desired.ok) return { kind: "invalid", message: desired.problem };
  const obstacleOf = (objects: readonly JsonObject[]): Promise<CrdObstacle | undefined> =>
    checksCrds ? crdObstacle(objects, ports) : Promise.resolve(undefined);
  try {
    return await applyRevision(request.extension.name, desired.value, revisions, obstacleOf, ports, signal);
  } catch (error) {
    if (isMissingRight(error)) return { kind: "refused", message: error.message };
    throw error;
  }
}

/** While nothing changes, pass after pass asks for the revision of the same rendered objects. */
const desiredOnce = derivedOnce(
  (objects: RevisionRequest["objects"], request: Omit<RevisionRequest, "objects">) =>
    desiredRevision({ ...request, objects }),
  ({ extension, bundle, approval }) => JSON.stringify([extension, bundle, approval]),
);

/**
 * Compares every CRD of the bundle with the live one of its name. One that no watch shows is not read: the roll-out creates it by a
 * POST, and what somebody else has created meanwhile is a collision.
 */
async function crdObstacle(
  objects: readonly JsonObject[],
  { reader, versions }: BringPorts,
): Promise<CrdObstacle | undefined> {
  const crds = objects.filter((object) => object["kind"] === "CustomResourceDefinition");
  const pairs = await Promise.all(
    crds.map(async (next) => {
      const key = { name: asKubeObject(next)?.metadata.name ?? "" };
      if (versions.versionOf(customResourceDefinitions, key) === "absent") return [];
      const live = await reader.get(customResourceDefinitions, key);
      return live === undefined ? [] : [{ live, next }];
    }),
  );
  const existing = pairs.flat();
  const terminating = existing.filter(({ live }) => live.metadata.deletionTimestamp !== undefined);
  if (terminating.length > 0)
    return { kind: "terminating", crds: terminating.map(({ live }) => live.metadata.name ?? "") };
  const refusals = existing.flatMap(({ live, next }) => checkCrdUpgrade(asJson(live), next) ?? []);
  return refusals.length === 0 ? undefined : { kind: "unsafe", refusals };
}
