// One pass of a controller over objects in memory, with a cache that has the controller's own indexes.
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { matchesSelector, parseLabelSelector } from "@purser/kubernetes/apis/selector";
import { apiVersionOf, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ApplyContext, Controller } from "@purser/kubernetes/kube/controller/controller";
import type { CacheView, SizeView, VersionView } from "@purser/kubernetes/kube/informer-cache";
import { RecordingCluster } from "../../../conformance/suites/v0/recording-cluster.ts";

/** The cache of the objects that the controller watches. */
export function cacheOf(
  controller: Controller,
  held: readonly KubeObject[],
): CacheView & SizeView & Pick<VersionView, "versionOf"> {
  const seen = controller.watches.flatMap(({ type, scope, indexes }) => {
    const selector = parseLabelSelector(scope?.labelSelector ?? "");
    const objects = held.filter(
      ({ kind, apiVersion, metadata }) =>
        kind === type.kind &&
        apiVersion === apiVersionOf(type) &&
        (!selector.ok || matchesSelector(selector.value, metadata.labels ?? {})),
    );
    return [{ type, objects, indexes }];
  });
  const of = (type: ResourceType) => seen.filter((one) => one.type.plural === type.plural);
  const byIndex = (type: ResourceType, index: string, value: string): readonly KubeObject[] =>
    of(type).flatMap(({ objects, indexes }) =>
      objects.filter((object) => indexes?.[index]?.(object).includes(value) === true),
    );
  return {
    cached: (type: ResourceType, { namespace, name }: ObjectKey) =>
      of(type)
        .flatMap(({ objects }) => objects)
        .find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
    byIndex,
    indexSize: (type, index, value) => byIndex(type, index, value).length,
    versionOf: () => undefined,
  } as CacheView & SizeView & Pick<VersionView, "versionOf">;
}

/** What one pass over a key writes and which events it emits; `written` to the cluster, or resources that refuse writes. */
export async function passOf(
  controller: Controller,
  key: ObjectKey,
  objects: readonly object[],
  written: readonly string[] | RecordingCluster = [],
): Promise<{ readonly cluster: RecordingCluster; readonly events: readonly string[]; readonly error?: string }> {
  const held = objects as readonly KubeObject[];
  const cluster = written instanceof RecordingCluster ? written : new RecordingCluster(held, written);
  const events: string[] = [];
  const context = {
    reader: cluster,
    writer: cluster,
    identities: { serviceAccount: () => cluster },
    cache: cacheOf(controller, held),
    events: {
      record: ({ metadata }: KubeObject, type: string, reason: string, message: string) =>
        events.push(`${type} ${reason} ${metadata.name}: ${message}`),
    },
    log: () => {},
    now: Date.parse("2026-01-01T00:00:00Z"),
    signal: new AbortController().signal,
  };
  try {
    await controller.reconcile(key, context as unknown as ApplyContext);
    return { cluster, events };
  } catch (error) {
    return { cluster, events, error: String(error) };
  }
}

/** The keys that a change of an object requeues, by watch of its type. */
export function requeuedBy(controller: Controller, changed: object, held: readonly object[] = []): readonly string[] {
  const object = changed as KubeObject;
  const cache = cacheOf(controller, held as readonly KubeObject[]);
  return controller.watches
    .filter(
      ({ type, quiet }) => type.kind === object.kind && apiVersionOf(type) === object.apiVersion && quiet !== true,
    )
    .flatMap(({ map }) =>
      map === undefined ? [{ ...object.metadata, name: object.metadata.name ?? "" }] : map(object, cache),
    )
    .map(({ namespace, name }) => (namespace === undefined ? name : `${namespace}/${name}`));
}
