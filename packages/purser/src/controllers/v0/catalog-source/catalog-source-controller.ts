import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { configMaps } from "@purser/kubernetes/apis/resources";
import { plainJson } from "@purser/kubernetes/json";
import { managedLabel } from "../../../apis/v0/labels.ts";
import { catalogSources } from "../../../apis/olm-resources.ts";
import type { CatalogSource } from "../../../apis/v0/catalog-source.ts";
import { causedBy } from "@purser/kubernetes/kube/controller/caused-key";
import type { Controller } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import { readOrRefusal, written, writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { done } from "@purser/kubernetes/result";
import { type CatalogRequest, sourceKey } from "../../../catalog/content.ts";
import { replaceStatus } from "../../plan/metadata-patch.ts";
import type { Surroundings } from "../../surroundings.ts";
import { watching } from "../../watching.ts";
import type { CatalogSourceAction, CatalogSourceOutcome, CatalogSourceWorld } from "./plan/plan-catalog-source.ts";
import { catalogRequest } from "./plan/catalog-request.ts";
import { imageTemplateAnnotation } from "./plan/image-template.ts";
import { afterOwning, planCatalogSource } from "./plan/plan-catalog-source.ts";
import { SnapshotCounts } from "./snapshot-counts.ts";

/** Index of CatalogSources by the source of their content; a notice is mapped to keys through it. */
export const catalogContentIndex = {
  content: (source: CatalogSource): readonly string[] => {
    const request = catalogRequest(source);
    return request.ok ? [sourceKey(request.value.source)] : [];
  },
};

/** Reports the state of every CatalogSource's content; the only writer of their status. Creates no registry pods: the process reads catalogs itself. */
export function catalogSourceController({ client, content, metrics }: Surroundings): Controller {
  const snapshots = new SnapshotCounts(metrics);
  const holderOf = ({ namespace, name }: ObjectKey): string => `CatalogSource ${namespace}/${name}`;
  const askedFor = (request: CatalogRequest, key: ObjectKey): Omit<CatalogSourceWorld, "source"> => {
    const { state, index, polledAt } = content.catalog(request, holderOf(key));
    snapshots.holds(key, index?.digest);
    return {
      content: done(state),
      ...(index === undefined ? {} : { faults: index.faults }),
      ...(polledAt === undefined ? {} : { polledAt }),
    };
  };
  return defineController<CatalogSourceWorld | undefined, CatalogSourceAction, KubeObject[], CatalogSourceOutcome>({
    name: "catalog-source",
    watches: [watching<CatalogSource>({ type: catalogSources, indexes: catalogContentIndex })],
    wakes: [
      async function* (signal, cache) {
        for await (const { kind, key, cause } of content.notices(signal))
          if (kind === "catalog") yield* causedBy(cause, cache.byIndex(catalogSources, "content", key).map(keyOf));
      },
    ],
    // Only ConfigMaps that a CatalogSource owns are watched, and only where there is one.
    wakingWatch: () => ({ scope: { labelSelector: managedLabel }, map: catalogSourceOwners }),
    steps: {
      async observe(key, { reader, signal }) {
        const source = await reader.get(catalogSources, key);
        const request = source === undefined ? undefined : catalogRequest(source);
        if (request?.ok !== true) content.release(holderOf(key));
        if (source === undefined) snapshots.forget(key);
        if (source === undefined || request === undefined) return undefined;
        const hasTemplate = source.metadata.annotations?.[imageTemplateAnnotation] !== undefined;
        const version = hasTemplate ? await readOrRefusal(client.version(signal)) : undefined;
        const shown = request.ok ? askedFor(request.value, key) : { content: request };
        const world = {
          source,
          ...shown,
          ...(version?.ok === true ? { kubeVersion: version.value.gitVersion } : {}),
        };
        const named = request.ok ? request.value.source : undefined;
        if (named?.kind !== "configMap") return world;
        return { ...world, configMap: (await reader.get(configMaps, named)) ?? "missing" };
      },
      plan: (world, { now }) => planCatalogSource(world, now),
      async apply(key, action, { reader, writer, events, signal }) {
        if (action.kind === "own") {
          const owned = await writer.write(own(action.configMap), signal);
          if (owned.ok) return { kind: "owned", configMap: owned.value.object ?? action.configMap };
          const { kind, status } = owned.problem;
          // Changed or deleted since it was read: the next pass sees what it is now.
          if (kind === "conflict" || kind === "notFound") written(owned);
          return { kind: "ownerRefused", message: status.message };
        }
        if (action.kind === "image") {
          const patch = { spec: { image: action.image } };
          written(await writer.write({ verb: "patch", type: catalogSources, key, patchType: "merge", patch }, signal));
          return undefined;
        }
        const { status, warnings } = action;
        const source = await reader.get(catalogSources, key);
        if (source === undefined) return undefined;
        writtenUnlessDeleted(await writer.write(replaceStatus(catalogSources, source, status), signal));
        for (const { reason, message } of warnings) events.record(source, "Warning", reason, message);
        return undefined;
      },
      afterApply: (world, outcome, { now }) => afterOwning(world, outcome, now),
    },
  });
}

function own(configMap: KubeObject): ObjectWrite {
  const { labels, ownerReferences, uid, resourceVersion } = configMap.metadata;
  const patch = plainJson({ metadata: { labels, ownerReferences, uid, resourceVersion } });
  return { verb: "patch", type: configMaps, key: keyOf(configMap), patchType: "merge", patch };
}

function catalogSourceOwners({ metadata }: KubeObject): readonly ObjectKey[] {
  const { namespace = "", ownerReferences = [] } = metadata;
  return ownerReferences.flatMap(({ kind, name }) => (kind === "CatalogSource" ? [{ namespace, name }] : []));
}
