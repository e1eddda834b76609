import type { Deployment, ReplicaSet } from "@purser/kubernetes/apis/apps";
import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { objectAt, objectIn, without } from "../../kinds/decoding/json-parts.ts";
import { limitsOf } from "./numbers.ts";

export const hashLabel = "pod-template-hash";
export const revisionAnnotation = "deployment.kubernetes.io/revision";
export const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
export const maxAnnotation = "deployment.kubernetes.io/max-replicas";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
const longestHistory = 2000;

/** Annotations that are not copied from Deployment to ReplicaSet; all others are. */
const kept: ReadonlySet<string> = new Set([
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  "deprecated.deployment.rollback.to",
  "kubectl.kubernetes.io/last-applied-configuration",
]);

type Annotations = Readonly<Record<string, string>>;

/** The template without the `pod-template-hash` label. */
export function plainTemplate(holder: ReplicaSet | Deployment): JsonObject {
  const template = objectAt(asJson(holder), "spec", "template");
  const metadata = objectIn(template, "metadata");
  return { ...template, metadata: { ...metadata, labels: without(objectIn(metadata, "labels"), hashLabel) } };
}

/** Oldest first; ties by name. */
export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const key = ({ metadata }: ReplicaSet): string => `${metadata.creationTimestamp ?? ""} ${metadata.name ?? ""}`;
  return key(a) < key(b) ? -1 : 1;
}

/** The ReplicaSet with the Deployment's current template; the oldest one when there are several. */
export function newestOf(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  const template = plainTemplate(deployment);
  return sets.toSorted(byAge).find((set) => deepEqual(plainTemplate(set), template));
}

/** 0 for a ReplicaSet without a revision, undefined when its revision is not a number. */
function writtenRevision({ metadata }: ReplicaSet): number | undefined {
  const text = metadata.annotations?.[revisionAnnotation] ?? "0";
  return /^-?\d+$/.test(text) ? Number(text) : undefined;
}

export function revisionOf(set: ReplicaSet): number {
  return writtenRevision(set) ?? 0;
}

/** The revision of the newest ReplicaSet when all others are `old`. */
export function nextRevision(old: readonly ReplicaSet[]): number {
  return old.reduce((highest, set) => Math.max(highest, revisionOf(set)), 0) + 1;
}

function copied(deployment: Deployment): Annotations {
  return Object.fromEntries(Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !kept.has(key)));
}

/** Annotations with the desired and the maximum number of replicas. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const { replicas, maxSurge } = limitsOf(deployment);
  return { [desiredAnnotation]: String(replicas), [maxAnnotation]: String(replicas + maxSurge) };
}

/** Annotations of a ReplicaSet created for the Deployment. */
export function annotationsOfNew(deployment: Deployment, revision: number): Annotations {
  return { ...copied(deployment), ...sizeAnnotations(deployment), [revisionAnnotation]: String(revision) };
}

/** Annotations of a ReplicaSet that becomes the newest again; its former revision is added to the history. */
export function annotationsOfReused(deployment: Deployment, set: ReplicaSet, revision: number): Annotations {
  const annotations = { ...set.metadata.annotations, ...copied(deployment) };
  const before = writtenRevision(set);
  if (before === undefined || before >= revision) return annotations;
  const had = set.metadata.annotations?.[revisionAnnotation];
  const history = had === undefined ? undefined : withRevision(annotations[historyAnnotation] ?? "", had);
  return {
    ...annotations,
    [revisionAnnotation]: String(revision),
    ...(history === undefined ? {} : { [historyAnnotation]: history }),
  };
}

/** The revision history with one more entry; the oldest entries are dropped when it becomes too long. */
function withRevision(history: string, revision: string): string {
  let list = history === "" ? [revision] : [...history.split(","), revision];
  while (list.length > 1 && list.join(",").length > longestHistory) list = list.slice(1);
  return list.join(",");
}
