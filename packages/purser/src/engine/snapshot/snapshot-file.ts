import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import type { ClusterUpdatePolicy } from "../../apis/policy/cluster-update-policy.ts";
import type { UpdatePolicy } from "../../apis/policy/update-policy.ts";
import type { CatalogSource } from "../../apis/v0/catalog-source.ts";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import type { OperatorGroup } from "../../apis/v0/operator-group.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { formatPlace } from "@purser/kubernetes/place";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { documentsOf } from "@purser/kubernetes/text/documents";
import { textOfFile } from "@purser/kubernetes/text/file-text";
import type { SnapshotKind } from "./snapshot-kinds.ts";
import { snapshotKinds } from "./snapshot-kinds.ts";
import { shaped } from "./snapshot-shape.ts";

/** The objects of a cluster that decisions read. */
export interface Snapshot {
  readonly namespaces: readonly KubeObject[];
  readonly catalogSources: readonly CatalogSource[];
  readonly subscriptions: readonly Subscription[];
  readonly clusterServiceVersions: readonly ClusterServiceVersion[];
  readonly operatorGroups: readonly OperatorGroup[];
  readonly installPlans: readonly InstallPlan[];
  readonly customResourceDefinitions: readonly KubeObject[];
  readonly clusterCatalogs: readonly ClusterCatalog[];
  readonly clusterExtensions: readonly ClusterExtension[];
  readonly updatePolicies: readonly UpdatePolicy[];
  readonly clusterUpdatePolicies: readonly ClusterUpdatePolicy[];
}

export interface ReadSnapshot {
  readonly snapshot: Snapshot;
  /** All objects of the file as they are, those of other kinds too. */
  readonly objects: readonly JsonObject[];
  /** Number of ignored objects of other kinds, by kind. */
  readonly ignored: ReadonlyMap<string, number>;
}

export const emptySnapshot: Snapshot = snapshotOf([]);

/** Objects grouped by kind; of several with the same name the last one is used. */
function snapshotOf(objects: readonly KubeObject[]): Snapshot {
  const named = new Map<string, KubeObject>();
  for (const [index, object] of objects.entries()) {
    const { namespace = "", name } = object.metadata;
    const key = JSON.stringify([object.kind, namespace, name ?? index]);
    named.delete(key);
    named.set(key, object);
  }
  const ofKind = <Type extends KubeObject>(kind: string): readonly Type[] =>
    [...named.values()].filter((object) => object.kind === kind) as unknown as readonly Type[];
  return {
    namespaces: ofKind("Namespace"),
    catalogSources: ofKind("CatalogSource"),
    subscriptions: ofKind("Subscription"),
    clusterServiceVersions: ofKind("ClusterServiceVersion"),
    operatorGroups: ofKind("OperatorGroup"),
    installPlans: ofKind("InstallPlan"),
    customResourceDefinitions: ofKind("CustomResourceDefinition"),
    clusterCatalogs: ofKind("ClusterCatalog"),
    clusterExtensions: ofKind("ClusterExtension"),
    updatePolicies: ofKind("UpdatePolicy"),
    clusterUpdatePolicies: ofKind("ClusterUpdatePolicy"),
  };
}

/** Reads a snapshot file; `-` is standard input. The problem is a sentence with the place. */
export async function readSnapshotFile(file: string): Promise<Result<ReadSnapshot, string>> {
  let bytes: Uint8Array;
  try {
    bytes = file === "-" ? await buffer(process.stdin) : await readFile(file);
  } catch (error) {
    return failed(`cannot read the snapshot "${file}": ${error instanceof Error ? error.message : String(error)}`);
  }
  const name = file === "-" ? "standard input" : file;
  const text = textOfFile(bytes, name);
  return text.ok
    ? readSnapshot(text.value, name)
    : failed(`${formatPlace(text.problem.place)}: ${text.problem.message}`);
}

/** YAML or JSON documents, each an object or a list of objects. */
export function readSnapshot(text: string, file: string): Result<ReadSnapshot, string> {
  const objects: KubeObject[] = [];
  const all: JsonObject[] = [];
  const ignored = new Map<string, number>();
  for (const document of documentsOf(text, { file })) {
    if (!document.ok) return failed(`${formatPlace(document.problem.place)}: ${document.problem.message}`);
    const placed = document.value;
    for (const { object, pointer } of itemsOf(placed.value)) {
      const read = readObject(object);
      if (!read.ok)
        return failed(`${formatPlace(placed.locate(pointer + read.problem.pointer))}: ${read.problem.message}`);
      if (isJsonObject(object)) all.push(object);
      if (read.value.kind === "object") objects.push(read.value.object);
      else ignored.set(read.value.name, (ignored.get(read.value.name) ?? 0) + 1);
    }
  }
  return done({ snapshot: snapshotOf(objects), objects: all, ignored });
}

/** The items of a `v1` List or of a list of one kind, whose items may omit `apiVersion` and `kind`. */
function* itemsOf(value: JsonValue): Generator<{ readonly object: JsonValue; readonly pointer: string }> {
  const kind = isJsonObject(value) ? member(value, "kind") : undefined;
  const items = isJsonObject(value) ? member(value, "items") : undefined;
  if (!isJsonObject(value) || typeof kind !== "string" || !kind.endsWith("List") || items === undefined) {
    yield { object: value, pointer: "" };
    return;
  }
  const own: JsonObject =
    kind === "List" ? {} : { apiVersion: member(value, "apiVersion"), kind: kind.slice(0, -"List".length) };
  for (const [index, item] of (Array.isArray(items) ? (items as readonly JsonValue[]) : []).entries())
    yield* isJsonObject(item)
      ? prefixed(itemsOf({ ...own, ...item }), `/items/${index}`)
      : [{ object: item, pointer: `/items/${index}` }];
}

function* prefixed(
  items: Iterable<{ readonly object: JsonValue; readonly pointer: string }>,
  prefix: string,
): Generator<{ readonly object: JsonValue; readonly pointer: string }> {
  for (const { object, pointer } of items) yield { object, pointer: prefix + pointer };
}

type ReadOne =
  | { readonly kind: "object"; readonly object: KubeObject }
  | { readonly kind: "ignored"; readonly name: string };

function readObject(value: JsonValue): Result<ReadOne, { readonly pointer: string; readonly message: string }> {
  if (!isJsonObject(value)) return failed({ pointer: "", message: "a Kubernetes object is expected here" });
  const apiVersion = member(value, "apiVersion");
  const kind = member(value, "kind");
  if (typeof apiVersion !== "string" || typeof kind !== "string")
    return failed({ pointer: "", message: "a Kubernetes object needs apiVersion and kind" });
  const known = snapshotKind(apiVersion, kind);
  if (known === undefined) return done({ kind: "ignored", name: kind });
  const read = shaped(value, known.shape);
  if (!read.ok) return read;
  const object = read.value as unknown as KubeObject;
  if (!known.namespaced || object.metadata.namespace !== undefined) return done({ kind: "object", object });
  // kubectl would create the object in the namespace `default`.
  return done({ kind: "object", object: { ...object, metadata: { ...object.metadata, namespace: "default" } } });
}

function snapshotKind(apiVersion: string, kind: string): SnapshotKind | undefined {
  const known = Object.hasOwn(snapshotKinds, kind) ? snapshotKinds[kind] : undefined;
  return known?.groups.includes(parseApiVersion(apiVersion).group) === true ? known : undefined;
}

/** Whether the snapshot has a Namespace of that name or an object in it. */
export function knowsNamespace(snapshot: Snapshot, namespace: string): boolean {
  const { namespaces, catalogSources, subscriptions, clusterServiceVersions, operatorGroups, installPlans } = snapshot;
  return (
    namespaces.some(({ metadata }) => metadata.name === namespace) ||
    [catalogSources, subscriptions, clusterServiceVersions, operatorGroups, installPlans]
      .flat()
      .some(({ metadata }) => metadata.namespace === namespace)
  );
}
