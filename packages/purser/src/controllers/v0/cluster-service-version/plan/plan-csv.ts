import type {
  ClusterServiceVersion,
  ClusterServiceVersionStatus,
} from "../../../../apis/v0/cluster-service-version.ts";
import { csvCleanupFinalizer, copiedFromLabel } from "../../../../apis/v0/labels.ts";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { remainingMs } from "@purser/kubernetes/clock";
import { clusterServiceVersions } from "../../../../apis/olm-resources.ts";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { setFinalizers } from "../../../plan/metadata-patch.ts";
import { leftFor } from "../../plan/left-versions.ts";
import type { CsvAction } from "./csv-action.ts";
import { passGate } from "./gate.ts";
import { transition } from "./transition.ts";
import type { PhaseChange } from "./phase-status.ts";
import { isAt, withPhase } from "./phase-status.ts";
import type { CsvWorld } from "./world.ts";

export function isCopied(csv: ClusterServiceVersion): boolean {
  return csv.metadata.labels?.[copiedFromLabel] !== undefined || csv.status?.reason === "Copied";
}

/** One pass over a CSV that stays: finalizer, gate, phase. At most one phase change per pass; its write triggers the next pass. */
export function planCsv(world: CsvWorld, now: number): Plan<CsvAction> {
  if (isCopied(world.csv)) return { actions: [] };
  const { csv } = world;
  const finalizers = csv.metadata.finalizers ?? [];
  if (!finalizers.includes(csvCleanupFinalizer))
    return { actions: [write(setFinalizers(clusterServiceVersions, csv, [...finalizers, csvCleanupFinalizer]))] };
  // What is wrong with a version that is left does not keep it.
  const isLeft = leftFor(csv, world.siblings) !== undefined;
  if (!isLeft && csv.status?.reason === "InstallComponentFailedNoRetry")
    return world.compat.keepsUpstream("denied-install") ? { actions: [] } : afterDenial(csv, now);
  const { owned = [], required = [] } = csv.spec.customresourcedefinitions ?? {};
  const misnamed = [...owned, ...required].find(({ name }) => !name.includes("."));
  if (!isLeft && misnamed !== undefined) {
    if (world.compat.keepsUpstream("crd-names")) return { actions: [] };
    const message = `no CustomResourceDefinition can have the name "${misnamed.name}": names are <plural>.<group>; correct spec.customresourcedefinitions`;
    const change: PhaseChange = { phase: "Failed", reason: "RequirementsNotMet", message };
    return { actions: isAt(csv.status, change) ? [] : [settle(csv, change, now)] };
  }
  const gate = passGate(world);
  if (gate.kind === "pass") return transition(world, gate.group, now);
  const actions: CsvAction[] = [...(gate.actions ?? [])];
  const { change } = gate;
  if (change !== undefined && change.unless?.includes(csv.status?.reason ?? "") !== true && !isAt(csv.status, change))
    actions.push(settle(csv, change, now));
  return { actions, ...(gate.retry === undefined ? {} : { retry: gate.retry }) };
}

/** How long a denied install waits before it is retried: permissions can be granted by objects that are not watched. */
const restMs = 30_000;

function afterDenial(csv: ClusterServiceVersion, now: number): Plan<CsvAction> {
  const denied = csv.status?.lastTransitionTime;
  if (denied === undefined) return { actions: [] };
  const remaining = remainingMs(denied, restMs, now);
  if (remaining > 0) return { actions: [], recheckAfterMs: remaining };
  const message = "Cluster resources changed state";
  return { actions: [settle(csv, { phase: "Pending", reason: "DetectedClusterChange", message }, now)] };
}

const write = (request: ObjectWrite): CsvAction => ({ kind: "write", write: request });

/** The write of a phase with its event. `dates`: of certificates, where they were issued. */
export function settle(
  csv: ClusterServiceVersion,
  { phase, reason, message }: PhaseChange,
  now: number,
  dates: Pick<ClusterServiceVersionStatus, "certsLastUpdated" | "certsRotateAt"> = {},
): CsvAction {
  const announce = { phase, reason, message };
  return { kind: "status", csv, status: { ...withPhase(csv.status, announce, now), ...dates }, announce };
}
