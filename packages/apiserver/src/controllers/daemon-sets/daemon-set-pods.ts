import type { Pod } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { objectAt, objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";
import { affinityTo, fitsAffinity, namedNode, untolerated } from "../nodes/node-fit.ts";
import { controllerReference } from "../ownership.ts";
import { podFrom } from "../pod-control.ts";

export const hashLabel = "controller-revision-hash";
const generationLabel = "pod-template-generation";
const generationAnnotation = "deprecated.daemonset.template.generation";

/** Tolerations that every daemon pod gets for conditions of its node. */
const tolerated: readonly (readonly [key: string, effect: string])[] = [
  ["not-ready", "NoExecute"],
  ["unreachable", "NoExecute"],
  ["disk-pressure", "NoSchedule"],
  ["memory-pressure", "NoSchedule"],
  ["pid-pressure", "NoSchedule"],
  ["unschedulable", "NoSchedule"],
];

function templateOf(set: KubeObject): JsonObject {
  return objectAt(asJson(set), "spec", "template");
}

function daemonSpec(set: KubeObject): JsonObject {
  const spec = objectIn(templateOf(set), "spec");
  const given = objectsIn(spec, "tolerations");
  const wanted =
    spec["hostNetwork"] === true ? [...tolerated, ["network-unavailable", "NoSchedule"] as const] : tolerated;
  const added = wanted
    .map(([key, effect]) => ({ key: `node.kubernetes.io/${key}`, operator: "Exists", effect }))
    .filter((toleration) => !given.some((held) => deepEqual(held, toleration)));
  return { ...spec, tolerations: [...given, ...added] };
}

/** The set's pod for a node. */
export function daemonPod(set: KubeObject, hash: string, node: string): JsonObject {
  const template = templateOf(set);
  const metadata = objectIn(template, "metadata");
  const generation = set.metadata.annotations?.[generationAnnotation];
  const spec = daemonSpec(set);
  const labels = {
    ...objectIn(metadata, "labels"),
    ...(generation === undefined ? {} : { [generationLabel]: generation }),
    [hashLabel]: hash,
  };
  return podFrom(
    set,
    {
      metadata: { ...metadata, labels },
      spec: { ...spec, affinity: affinityTo(objectIn(spec, "affinity"), node) },
    },
    { ownerReferences: [controllerReference(set)] },
  );
}

/** Whether the pod was created from the set's current template. */
export function isUpdated(set: KubeObject, pod: Pod, hash: string): boolean {
  const { labels = {} } = pod.metadata;
  const generation = set.metadata.annotations?.[generationAnnotation];
  return (generation !== undefined && labels[generationLabel] === generation) || labels[hashLabel] === hash;
}

/** What the set does on a node: run its pod, keep an existing one ("stay"), or delete it ("leave"). */
export type Place = "run" | "stay" | "leave";

export function placeOn(set: KubeObject, node: KubeObject): Place {
  const spec = daemonSpec(set);
  const bound = textIn(spec, "nodeName");
  if ((bound !== "" && bound !== node.metadata.name) || !fitsAffinity(spec, node)) return "leave";
  if (untolerated(spec, node, ["NoExecute", "NoSchedule"]).length === 0) return "run";
  return untolerated(spec, node, ["NoExecute"]).length === 0 ? "stay" : "leave";
}

/** The node a pod is on, or is assigned to by affinity. */
export function nodeOf(pod: Pod): string {
  const bound = pod.spec?.nodeName ?? "";
  return bound === "" ? (namedNode(objectIn(asJson(pod), "spec")) ?? "") : bound;
}

/** Scheduled pods first, then the oldest. */
export function seniority(a: Pod, b: Pod): number {
  const bound = (pod: Pod): number => ((pod.spec?.nodeName ?? "") === "" ? 1 : 0);
  const order = (pod: Pod): string => `${pod.metadata.creationTimestamp ?? ""} ${pod.metadata.name ?? ""}`;
  return bound(a) - bound(b) || (order(a) < order(b) ? -1 : 1);
}
