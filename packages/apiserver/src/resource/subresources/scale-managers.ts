import type { ManagedFieldsEntry } from "@purser/kubernetes/apis/object";
import type { JsonValue } from "@purser/kubernetes/json";
import {
  difference,
  fieldElement,
  type FieldSet,
  hasPath,
  isEmptySet,
  setOf,
} from "@purser/kubernetes/object/apply/field-set";
import { decodeManagers, encodeManagers, type Manager, type Managers } from "@purser/kubernetes/object/apply/managers";

/** Where the replicas of an object lie, by `apiVersion`; undefined for a version without a scale. */
export type ReplicasPaths = ReadonlyMap<string, readonly string[] | undefined>;

const scaleVersion = "autoscaling/v1";

const replicasInScale = setOf([["spec", "replicas"].map(fieldElement)]);

function pathIn(paths: ReplicasPaths, { apiVersion }: Manager): readonly string[] | undefined {
  return paths.get(apiVersion)?.map(fieldElement);
}

function read(entries: readonly ManagedFieldsEntry[] | undefined): Managers {
  return decodeManagers(entries as unknown as JsonValue | undefined) ?? new Map<string, Manager>();
}

/** Who owns the replicas, as the entries of the object's Scale. */
export function managersOfScale(
  parent: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): readonly ManagedFieldsEntry[] {
  const owners = [...read(parent)].flatMap(([id, manager]): (readonly [string, Manager])[] => {
    const path = pathIn(paths, manager);
    return path !== undefined && hasPath(manager.fields, path)
      ? [[id, { ...manager, apiVersion: scaleVersion, fields: replicasInScale }]]
      : [];
  });
  return encodeManagers(new Map(owners));
}

/**
 * The object's entries after a write of its Scale, whose entries are `scale`. As in kube-apiserver, an updater's entry
 * is known under its version: an updater that owned the replicas and keeps them has them in an entry of their own.
 */
export function managersOfParent(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
  apiVersion: string,
): readonly ManagedFieldsEntry[] {
  const before = read(parent);
  const left = new Map(read(scale));
  const kept: Manager[] = [];
  for (const [id, manager] of before) {
    if (!paths.has(manager.apiVersion)) continue;
    const path = pathIn(paths, manager);
    if (path === undefined || !hasPath(manager.fields, path)) kept.push(manager);
    else if (left.delete(id)) kept.push(manager);
    else {
      const fields = difference(manager.fields, setOf([path]));
      if (!isEmptySet(fields)) kept.push({ ...manager, fields });
    }
  }
  const replicas: FieldSet = setOf([(paths.get(apiVersion) ?? ["spec", "replicas"]).map(fieldElement)]);
  for (const [id, manager] of left) {
    if (!hasPath(manager.fields, ["spec", "replicas"].map(fieldElement))) continue;
    const { time: _time, ...rest } = manager;
    const time = before.get(id)?.time;
    kept.push({ ...rest, ...(time === undefined ? {} : { time }), apiVersion, fields: replicas });
  }
  // Two entries may have the same manager name: a list, not a map by name.
  return encodeManagers(new Map(kept.map((manager, index) => [String(index), manager])));
}
