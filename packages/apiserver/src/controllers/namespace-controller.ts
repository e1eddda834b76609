import type { Namespace, WorkloadCondition } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { apiServices, namespaces, pods } from "@purser/kubernetes/apis/resources";
import { groupResource, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { JsonValue } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { isAvailable } from "../aggregation/remote-groups.ts";
import type { StoredChange } from "../storage/storage.ts";
import { collectable, namespacedTypes } from "./known-kinds.ts";
import { followingCustom, ownKey, type BuiltInController, type Pass } from "./runtime.ts";

interface Remaining {
  /** `group/version`, sorted, of aggregated APIs whose server does not answer, so that their content is unknown. */
  readonly unknown: readonly string[];
  /** `plural.group` and the number of remaining objects. */
  readonly resources: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
}

/** Deletes all objects of the kind in the namespace and returns those that still exist. */
async function removeAll(pass: Pass, type: ResourceType, namespace: string): Promise<readonly KubeObject[]> {
  for (const object of pass.list(type, namespace)) {
    if (object.metadata.deletionTimestamp !== undefined) continue;
    const { name = "", uid = "" } = object.metadata;
    await pass.writer.remove(type, { namespace, name }, { propagation: "Background", uid });
  }
  return pass.list(type, namespace);
}

/**
 * Deletes everything in the namespace and returns what remains. Pods are deleted first, because they use other objects;
 * until they have terminated the result is `undefined` and the conditions do not change.
 */
async function removeContent(pass: Pass, namespace: string): Promise<Remaining | undefined> {
  if ((await removeAll(pass, pods, namespace)).length > 0) return undefined;
  const resources = new Map<string, number>();
  const finalizers = new Map<string, number>();
  for (const type of [...namespacedTypes(pass), ...eventTypes]) {
    const left = await removeAll(pass, type, namespace);
    if (left.length > 0) resources.set(`${type.plural}.${type.group}`, left.length);
    for (const { metadata } of left) {
      for (const finalizer of metadata.finalizers ?? [])
        finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
    }
  }
  return { resources, finalizers, unknown: unavailableApis(pass) };
}

function unavailableApis(pass: Pass): readonly string[] {
  const dead = pass.list(apiServices).filter((service) => service.spec?.service !== undefined && !isAvailable(service));
  return dead.map(({ spec }) => `${spec?.group ?? ""}/${spec?.version ?? ""}`).toSorted();
}

const eventTypes = [{ group: "", version: "v1", kind: "Event", plural: "events", namespaced: true }];

function listed(counts: ReadonlyMap<string, number>, word: string): string {
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${word} ${count} resource instances`)
    .join(", ");
}

/** The message of client-go for groups that aggregated discovery reports as stale. */
function discoveryFailure(unknown: readonly string[]): Omit<WorkloadCondition, "lastTransitionTime" | "type"> {
  if (unknown.length === 0)
    return { status: "False", reason: "ResourcesDiscovered", message: "All resources successfully discovered" };
  const failures = unknown.map((api) => `${api}: stale GroupVersion discovery: ${api}`).join(", ");
  const message = `Discovery failed for some groups, ${unknown.length} failing: unable to retrieve the complete list of server APIs: ${failures}`;
  return { status: "True", reason: "DiscoveryFailed", message };
}

function conditions({
  resources,
  finalizers,
  unknown,
}: Remaining): readonly Omit<WorkloadCondition, "lastTransitionTime">[] {
  const content =
    resources.size === 0
      ? { status: "False", reason: "ContentRemoved", message: "All content successfully removed" }
      : {
          status: "True",
          reason: "SomeResourcesRemain",
          message: `Some resources are remaining: ${listed(resources, "has")}`,
        };
  const held =
    finalizers.size === 0
      ? {
          status: "False",
          reason: "ContentHasNoFinalizers",
          message: "All content-preserving finalizers finished",
        }
      : {
          status: "True",
          reason: "SomeFinalizersRemain",
          message: `Some content in the namespace has finalizers remaining: ${listed(finalizers, "in")}`,
        };
  return [
    { type: "NamespaceDeletionDiscoveryFailure", ...discoveryFailure(unknown) },
    {
      type: "NamespaceDeletionGroupVersionParsingFailure",
      status: "False",
      reason: "ParsedGroupVersions",
      message: "All legacy kube types successfully parsed",
    },
    {
      type: "NamespaceDeletionContentFailure",
      status: "False",
      reason: "ContentDeleted",
      message: "All content successfully deleted, may be waiting on finalization",
    },
    { type: "NamespaceContentRemaining", ...content },
    { type: "NamespaceFinalizersRemaining", ...held },
  ];
}

async function writeConditions(pass: Pass, namespace: Namespace, remaining: Remaining): Promise<Namespace | undefined> {
  const before = namespace.status?.conditions ?? [];
  const now = pass.now();
  const next = conditions(remaining).map((condition): WorkloadCondition => {
    const same = before.find((held) => held.type === condition.type);
    const kept = same?.status === condition.status ? same.lastTransitionTime : now;
    return { ...condition, lastTransitionTime: kept ?? now };
  });
  const all = [...before.filter((held) => !next.some(({ type }) => type === held.type)), ...next];
  if (deepEqual(all as unknown as JsonValue, before as unknown as JsonValue)) return namespace;
  const written = await pass.writer.replace(
    namespaces,
    { ...namespace, status: { ...namespace.status, phase: "Terminating", conditions: all } },
    "status",
  );
  return written as Namespace | undefined;
}

/** Removes the `kubernetes` finalizer, after which the namespace is deleted. */
async function finalize(pass: Pass, namespace: Namespace): Promise<void> {
  const held = namespace.spec?.finalizers ?? [];
  if (!held.includes("kubernetes")) return;
  const spec = { ...namespace.spec, finalizers: held.filter((finalizer) => finalizer !== "kubernetes") };
  await pass.writer.replace(namespaces, { ...namespace, spec }, "finalize");
}

/** Deletes the content of terminating namespaces, then the namespaces. */
export function namespaceController(): BuiltInController {
  const terminating = new Set<string>();
  const contentKeys = ({ key, after }: StoredChange): readonly string[] => {
    if (after !== undefined || terminating.size === 0) return [];
    const namespace = key.slice(0, key.indexOf("/"));
    return terminating.has(namespace) ? [namespace] : [];
  };
  return {
    name: "namespace-controller",
    watches: [
      { table: "namespaces", keys: ownKey },
      { table: groupResource(apiServices), keys: () => [...terminating] },
      ...collectable
        .filter(({ namespaced }) => namespaced)
        .map((type) => ({ table: groupResource(type), keys: contentKeys })),
    ],
    start: followingCustom(contentKeys),
    reconcile: async (name, pass) => {
      const namespace = pass.get(namespaces, { name });
      const since = namespace?.metadata.deletionTimestamp;
      if (namespace === undefined || since === undefined) {
        terminating.delete(name);
        return undefined;
      }
      terminating.add(name);
      if (!(namespace.spec?.finalizers ?? []).includes("kubernetes")) return undefined;
      const wait = Date.parse(since) + (pass.simulation.namespaceGraceMs ?? 0) - pass.nowMs();
      if ((pass.simulation.namespaceGraceMs ?? 0) > 0 && wait > 0) return wait;
      const remaining = await removeContent(pass, name);
      const current = pass.get(namespaces, { name });
      if (current === undefined || current.metadata.uid !== namespace.metadata.uid) return undefined;
      const nothing: Remaining = { resources: new Map(), finalizers: new Map(), unknown: unavailableApis(pass) };
      const written = await writeConditions(pass, current, remaining ?? nothing);
      const isEmpty = remaining?.resources.size === 0 && remaining.unknown.length === 0;
      if (written !== undefined && isEmpty) await finalize(pass, written);
      return undefined;
    },
  };
}
