import type { KubeObject, OwnerReference } from "@purser/kubernetes/apis/object";
import { formatKey, keyOf, parseKey } from "@purser/kubernetes/apis/object";
import { groupResource, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { JsonValue } from "@purser/kubernetes/json";
import type { StoredChange } from "../storage/storage.ts";
import { collectable, typeOfReference, typeOfTable } from "./known-kinds.ts";
import { lookupOfEach } from "./lookup.ts";
import { record } from "./recorder.ts";
import type { BuiltInController, Pass } from "./runtime.ts";

const orphan = "orphan";
const foreground = "foregroundDeletion";
const definitionTable = "customresourcedefinitions.apiextensions.k8s.io";

/** `table key`; table names contain no space. */
function nodeKey(table: string, key: string): string {
  return `${table} ${key}`;
}

function isWaiting(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && has(object, foreground);
}

function has(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) === true;
}

type OwnerState =
  | { readonly kind: "absent" }
  | { readonly kind: "present" }
  /** In foreground deletion: it is deleted after its blocking dependents. */
  | { readonly kind: "waiting" }
  /** Undecided: the owner's kind is not served, or it cannot own this object. */
  | { readonly kind: "unknown" };

/** Dependents by owner uid; objects without owners take no memory. */
class Graph {
  readonly #dependents = new Map<string, Set<string>>();
  readonly unresolved = new Set<string>();

  dependents(uid: string): readonly string[] {
    return [...(this.#dependents.get(uid) ?? [])];
  }

  note({ table, key, before, after }: StoredChange): void {
    const node = nodeKey(table, key);
    const held = before?.metadata.ownerReferences;
    const next = after?.metadata.ownerReferences;
    if (held === next) return;
    for (const { uid } of held ?? []) {
      const nodes = this.#dependents.get(uid);
      nodes?.delete(node);
      if (nodes?.size === 0) this.#dependents.delete(uid);
    }
    for (const { uid } of next ?? []) {
      const nodes = this.#dependents.get(uid) ?? new Set<string>();
      nodes.add(node);
      this.#dependents.set(uid, nodes);
    }
    if (after === undefined) this.unresolved.delete(node);
  }
}

/** Deletes objects whose owners do not exist; finishes foreground and orphan deletions. */
export function garbageCollector(): BuiltInController {
  const graph = new Graph();
  let running: Pass | undefined;

  const ownerNodes = (object: KubeObject | undefined): readonly string[] => {
    if (running === undefined) return [];
    const nodes: string[] = [];
    for (const owner of object?.metadata.ownerReferences ?? []) {
      const type = typeOfReference(running, owner.apiVersion, owner.kind);
      if (type === undefined) continue;
      const { namespace } = object?.metadata ?? {};
      const key = type.namespaced && namespace !== undefined ? { namespace, name: owner.name } : { name: owner.name };
      nodes.push(nodeKey(groupResource(type), formatKey(key)));
    }
    return nodes;
  };

  const keys = (change: StoredChange): readonly string[] => {
    graph.note(change);
    const { table, key, before, after } = change;
    const uid = (after ?? before)?.metadata.uid ?? "";
    // A deleted or re-created owner affects every object that refers to it.
    if (after === undefined) return [...graph.dependents(uid), ...ownerNodes(before)];
    const self = nodeKey(table, key);
    const going = after.metadata.deletionTimestamp !== undefined;
    const released = before !== undefined && before.metadata.ownerReferences !== after.metadata.ownerReferences;
    const nodes = going || (after.metadata.ownerReferences ?? []).length > 0 ? [self] : [];
    return released ? [...nodes, ...ownerNodes(before)] : nodes;
  };

  return {
    name: "generic-garbage-collector",
    watches: [],
    start: (follow, enqueue, pass) => {
      running = pass;
      const definitionKeys = (change: StoredChange): readonly string[] => {
        if (change.after !== undefined) follow({ table: change.key, keys });
        for (const node of graph.unresolved) enqueue(node);
        return keys(change);
      };
      for (const type of collectable) {
        const table = groupResource(type);
        follow({ table, keys: table === definitionTable ? definitionKeys : keys });
      }
    },
    reconcile: async (node, pass) => {
      const blank = node.indexOf(" ");
      const table = node.slice(0, blank);
      const type = typeOfTable(pass, table);
      const object = pass.storage.get(table, node.slice(blank + 1));
      if (type !== undefined && object !== undefined) await collect(pass, graph, { type, object, node });
      return undefined;
    },
  };
}

/** Used only for owners that are not found under their name. */
const byUid = lookupOfEach(({ metadata: { uid = "" } }) => [uid]);

interface Item {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly node: string;
}

async function collect(pass: Pass, graph: Graph, item: Item): Promise<void> {
  const { object, type } = item;
  if (object.metadata.deletionTimestamp !== undefined) {
    if (has(object, orphan)) await orphanDependents(pass, graph, item);
    else if (isWaiting(object)) await finishForeground(pass, graph, item);
    return;
  }
  const owners = object.metadata.ownerReferences ?? [];
  if (owners.length === 0) return;
  const states = new Map<OwnerReference, OwnerState>();
  for (const owner of owners) states.set(owner, await stateOf(pass, item, owner));
  if ([...states.values()].some(({ kind }) => kind === "unknown")) {
    graph.unresolved.add(item.node);
    return;
  }
  graph.unresolved.delete(item.node);
  const present = owners.filter((owner) => states.get(owner)?.kind === "present");
  if (present.length > 0) {
    if (present.length < owners.length) await setOwners(pass, type, object, present);
    return;
  }
  const { uid = "" } = object.metadata;
  const waiting = owners.some((owner) => states.get(owner)?.kind === "waiting") && graph.dependents(uid).length > 0;
  if (waiting && resolve(pass, graph, uid).some((dependent) => isWaiting(dependent.object)))
    await unblock(pass, item, owners);
  const propagation = waiting
    ? "Foreground"
    : has(object, orphan)
      ? "Orphan"
      : has(object, foreground)
        ? "Foreground"
        : "Background";
  await pass.writer.remove(type, keyOf(object), { propagation, uid });
}

async function stateOf(pass: Pass, { object, type }: Item, owner: OwnerReference): Promise<OwnerState> {
  const ownerType = typeOfReference(pass, owner.apiVersion, owner.kind);
  if (ownerType === undefined) return { kind: "unknown" };
  const { namespace } = object.metadata;
  if (ownerType.namespaced && !type.namespaced) {
    await warn(pass, object, owner, "");
    return { kind: "unknown" };
  }
  const key = ownerType.namespaced && namespace !== undefined ? { namespace, name: owner.name } : { name: owner.name };
  const found = pass.get(ownerType, key);
  if (found !== undefined && found.metadata.uid === owner.uid)
    return { kind: isWaiting(found) ? "waiting" : "present" };
  const isElsewhere =
    ownerType.namespaced &&
    pass.find(byUid(ownerType), [owner.uid]).some(({ metadata }) => metadata.namespace !== namespace);
  if (isElsewhere) await warn(pass, object, owner, namespace ?? "");
  return { kind: "absent" };
}

async function warn(pass: Pass, object: KubeObject, owner: OwnerReference, namespace: string): Promise<void> {
  const where = namespace === "" ? "" : `namespace: ${namespace}, `;
  const message = `ownerRef [${owner.apiVersion}/${owner.kind}, ${where}name: ${owner.name}, uid: ${owner.uid}] does not exist in namespace ${JSON.stringify(namespace)}`;
  await record(pass, object, {
    component: "garbage-collector-controller",
    type: "Warning",
    reason: "OwnerRefInvalidNamespace",
    message,
  });
}

async function setOwners(
  pass: Pass,
  type: ResourceType,
  object: KubeObject,
  owners: readonly OwnerReference[],
): Promise<void> {
  const { uid = "", resourceVersion = "" } = object.metadata;
  const ownerReferences = owners.length === 0 ? null : (owners as unknown as JsonValue);
  await pass.writer.patch(type, keyOf(object), { metadata: { uid, resourceVersion, ownerReferences } });
}

/** Resets blockOwnerDeletion of owners that wait for this object, because they appear to form a cycle. */
async function unblock(pass: Pass, { type, object }: Item, owners: readonly OwnerReference[]): Promise<void> {
  if (owners.every(({ blockOwnerDeletion }) => blockOwnerDeletion !== true)) return;
  const free = owners.map((owner) =>
    owner.blockOwnerDeletion === true ? { ...owner, blockOwnerDeletion: false } : owner,
  );
  await setOwners(pass, type, object, free);
}

async function dropFinalizer(pass: Pass, { type, object }: Item, finalizer: string): Promise<void> {
  const current = pass.get(type, keyOf(object));
  if (current === undefined || current.metadata.uid !== object.metadata.uid) return;
  const left = (current.metadata.finalizers ?? []).filter((held) => held !== finalizer);
  const { resourceVersion = "" } = current.metadata;
  await pass.writer.patch(type, keyOf(object), {
    metadata: { resourceVersion, finalizers: left.length === 0 ? null : left },
  });
}

function resolve(pass: Pass, graph: Graph, uid: string): readonly Item[] {
  return graph.dependents(uid).flatMap((node) => {
    const blank = node.indexOf(" ");
    const table = node.slice(0, blank);
    const type = typeOfTable(pass, table);
    const object = pass.storage.get(table, formatKey(parseKey(node.slice(blank + 1))));
    return type === undefined || object === undefined ? [] : [{ type, object, node }];
  });
}

async function orphanDependents(pass: Pass, graph: Graph, item: Item): Promise<void> {
  const { uid = "" } = item.object.metadata;
  for (const { type, object } of resolve(pass, graph, uid)) {
    const kept = (object.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
    await setOwners(pass, type, object, kept);
  }
  await dropFinalizer(pass, item, orphan);
}

async function finishForeground(pass: Pass, graph: Graph, item: Item): Promise<void> {
  const { uid = "" } = item.object.metadata;
  const dependents = resolve(pass, graph, uid);
  // Dependents in deletion are processed on their own changes; following them here might loop.
  for (const dependent of dependents)
    if (dependent.object.metadata.deletionTimestamp === undefined) await collect(pass, graph, dependent);
  const blocking = resolve(pass, graph, uid).some(({ object }) =>
    object.metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
  );
  if (!blocking) await dropFinalizer(pass, item, foreground);
}
