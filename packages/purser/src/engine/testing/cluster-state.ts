import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { clusterServiceVersions, installPlans } from "../../apis/olm-resources.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import { type JsonValue, isJsonObject } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";

/** Normalised objects by `Kind namespace/name`; null for an object that was deleted. */
export type ClusterState = Readonly<Record<string, JsonValue>>;

/** Kinds that record what happened, and Pods, whose names are random: their ReplicaSet counts them. */
const leftOut: ReadonlySet<string> = new Set(["Event", "Lease", "Pod"]);

/** Fields of metadata and of references that differ between two runs with the same end. */
const ofOneRun: ReadonlySet<string> = new Set([
  "uid",
  "uuid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "managedFields",
]);

const uidText = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const timeText = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/** Random parts of names with what they stand for. */
type Names = readonly (readonly [text: string, meaning: string])[];

/** Every stored object, by uid. */
export async function storedObjects(client: KubeClient): Promise<ReadonlyMap<string, KubeObject>> {
  const types = await createDiscovery(client).all();
  const listed = types.filter(({ kind }) => !leftOut.has(kind) && !kind.endsWith("Review"));
  const lists = await Promise.all(listed.map((type) => client.list<KubeObject>(type)));
  return new Map(lists.flat().map((object) => [object.metadata.uid ?? "", object]));
}

/**
 * The objects that were created, changed or deleted since `start`, without uids, versions and times. InstallPlans and
 * ReplicaSets are named by their generation and revision. Left out: the history of a CSV's phases, and whether a step of
 * an InstallPlan created its object or found it.
 */
export async function stateSince(client: KubeClient, start: ReadonlyMap<string, KubeObject>): Promise<ClusterState> {
  const now = await storedObjects(client);
  const names = namesOfRun([...now.values()]);
  const state: Record<string, JsonValue> = {};
  for (const [uid, object] of start) if (!now.has(uid)) state[keyOf(object, names)] = null;
  for (const [uid, object] of now) {
    const before = start.get(uid);
    if (before !== undefined && before.metadata.resourceVersion === object.metadata.resourceVersion) continue;
    const value = withoutHistory(object, names);
    if (before === undefined || !isDeepStrictEqual(value, withoutHistory(before, names)))
      state[keyOf(object, names)] = value;
  }
  return state;
}

function namesOfRun(objects: readonly KubeObject[]): Names {
  return objects.flatMap((object): Names => {
    const { name = "", labels, annotations } = object.metadata;
    if (object.kind === installPlans.kind) return [[name, `install-${(object as InstallPlan).spec.generation}`]];
    const hash = object.kind === "ReplicaSet" ? labels?.["pod-template-hash"] : undefined;
    return hash === undefined ? [] : [[hash, `revision-${annotations?.["deployment.kubernetes.io/revision"]}`]];
  });
}

const meaningOf = (text: string, names: Names): string =>
  names.reduce((named, [part, meaning]) => named.replaceAll(part, meaning), text.replaceAll(uidText, "UID"));

function keyOf({ kind, metadata: { namespace, name = "" } }: KubeObject, names: Names): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${meaningOf(name, names)}`;
}

function withoutHistory(object: KubeObject, names: Names): JsonValue {
  const value = normalised(object as unknown as JsonValue, names);
  if (!isJsonObject(value) || !isJsonObject(value["status"])) return value;
  const { status } = value;
  if (object.kind === clusterServiceVersions.kind) {
    const { conditions: _history, ...rest } = status;
    return { ...value, status: rest };
  }
  const steps = object.kind === installPlans.kind ? status["plan"] : undefined;
  if (!Array.isArray(steps)) return value;
  const plan = (steps as readonly JsonValue[]).map((step) =>
    isJsonObject(step) && step["status"] === "Present" ? { ...step, status: "Created" } : step,
  );
  return { ...value, status: { ...status, plan } };
}

function normalised(value: JsonValue, names: Names): JsonValue {
  if (typeof value === "string") return timeText.test(value) ? "TIME" : meaningOf(value, names);
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => normalised(item, names));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([field, held]) => !ofOneRun.has(field) && held !== undefined)
      .map(([field, held]) => {
        const plain = normalised(held as JsonValue, names);
        return [meaningOf(field, names), field === "conditions" ? byType(plain) : plain];
      }),
  );
}

/** Conditions are keyed by type: their order is the order in which they were first written. */
function byType(conditions: JsonValue): JsonValue {
  if (!Array.isArray(conditions)) return conditions;
  const typeOf = (condition: JsonValue): string => (isJsonObject(condition) ? JSON.stringify(condition["type"]) : "");
  return (conditions as readonly JsonValue[]).toSorted((a, b) => (typeOf(a) < typeOf(b) ? -1 : 1));
}
