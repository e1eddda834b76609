import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { groupResource } from "@purser/kubernetes/apis/resource-type";
import { formatTime } from "@purser/kubernetes/clock";
import { csvCleanupFinalizer } from "../../../apis/v0/labels.ts";
import { extensionFinalizers, serverCacheFinalizer, teardownFinalizer } from "../../../apis/v1/labels.ts";
import { counted } from "../../../explanation/summary.ts";
import { objectText } from "../../takeover/plan/finding.ts";
import type { DoctorCheck, DoctorFinding } from "./check.ts";
import type { DoctorWorld, ObservedDeletion } from "./doctor-world.ts";

/** What a deletion may take, also on a busy cluster. */
const graceMs = 60_000;

/** Finalizers that are removed without anybody's help: by Purser while it runs, and by Kubernetes when what is owned is deleted. */
const servedFinalizers: ReadonlySet<string> = new Set([
  csvCleanupFinalizer,
  serverCacheFinalizer,
  teardownFinalizer,
  ...extensionFinalizers,
]);
const kubernetes = /^(foregroundDeletion|orphan|kubernetes|.*\.k8s\.io\/.*|kubernetes\.io\/.*)$/;

/** The objects of these that are being deleted. */
export function deletionsOf(type: ResourceType, objects: readonly KubeObject[]): readonly ObservedDeletion[] {
  return objects.flatMap(({ metadata }): readonly ObservedDeletion[] => {
    const { name = "", namespace, deletionTimestamp, finalizers = [] } = metadata;
    if (deletionTimestamp === undefined) return [];
    const where = namespace === undefined ? {} : { namespace };
    const since = Date.parse(deletionTimestamp);
    return [{ kind: type.kind, resource: groupResource(type), ...where, name, since, finalizers }];
  });
}

/** Objects whose deletion does not end, because nothing removes a finalizer. */
export function deletionsCheck({ deletions, now }: DoctorWorld): DoctorCheck {
  return {
    name: "deletions",
    summary: `${counted(deletions.length, "object")} being deleted`,
    findings: deletions.flatMap((one) => (one.since + graceMs > now ? [] : findingOf(one))),
  };
}

function findingOf(one: ObservedDeletion): readonly DoctorFinding[] {
  const { kind, name, namespace, since, finalizers, why } = one;
  const foreign = finalizers.filter((finalizer) => !servedFinalizers.has(finalizer) && !kubernetes.test(finalizer));
  const object = objectText(kind, { name, ...(namespace === undefined ? {} : { namespace }) });
  const summary = (what: string): string => `is being deleted since ${formatTime(since)}: ${what}`;
  if (foreign.length > 0)
    return [
      {
        severity: "problem",
        object,
        summary: summary(
          `it waits for ${foreign.length === 1 ? "the finalizer" : "the finalizers"} ${foreign.join(", ")}`,
        ),
        remedy: `start the controller that removes ${foreign.length === 1 ? "it" : "them"}; without one, remove ${foreign.length === 1 ? "it" : "them"} by hand, which leaves behind what the controller would have deleted: ${releaseOf(one, foreign)}`,
      },
    ];
  if (why !== undefined)
    return [
      { severity: "problem", object, summary: summary(why), remedy: `kubectl get ${one.resource} ${name} -o yaml` },
    ];
  const own = finalizers.filter((finalizer) => servedFinalizers.has(finalizer));
  if (own.length === 0) return [];
  return [
    {
      severity: "problem",
      object,
      summary: summary(`Purser has not removed ${own.join(", ")}`),
      remedy: `see whether Purser runs, and kubectl ${inNamespace(namespace)}describe ${one.resource} ${name}`,
    },
  ];
}

const inNamespace = (namespace: string | undefined): string => (namespace === undefined ? "" : `-n ${namespace} `);

/** Removes these finalizers and keeps the others. */
function releaseOf({ resource, namespace, name, finalizers }: ObservedDeletion, foreign: readonly string[]): string {
  const kept = finalizers.filter((finalizer) => !foreign.includes(finalizer));
  const patch = JSON.stringify({ metadata: { finalizers: kept } });
  return `kubectl ${inNamespace(namespace)}patch ${resource} ${name} --type=merge -p '${patch}'`;
}
