import assert from "node:assert/strict";
import { join } from "node:path";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { kindOf, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import {
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinitions,
  namespaces,
} from "@purser/kubernetes/apis/resources";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import { written } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import {
  catalogSources,
  clusterCatalogs,
  clusterExtensions,
  clusterServiceVersions,
  clusterUpdatePolicies,
  operatorGroups,
  subscriptions,
} from "../../../apis/olm-resources.ts";
import { ownerNameLabel } from "../../../apis/v1/labels.ts";
import { copiedFromLabel } from "../../../apis/v0/labels.ts";
import { globalNamespace } from "../../../apis/own-namespaces.ts";
import { type DemoCluster, startDemoCluster } from "../../testing/demo-cluster.ts";
import { corpusGroup, corpusPackages, writeCorpus } from "./corpus-catalog.ts";

const never = new AbortController().signal;

/** What people would miss when a remedy deletes it; definitions last, as installations bring them. */
const watched: readonly ResourceType[] = [
  clusterUpdatePolicies,
  clusterExtensions,
  subscriptions,
  clusterServiceVersions,
  operatorGroups,
  clusterCatalogs,
  catalogSources,
  namespaces,
  customResourceDefinitions,
];

/** Custom resources in an inventory begin with it. */
export const customResource = "custom:";

export interface CorpusCluster extends DemoCluster {
  create(object: object): Promise<void>;
  /** What exists of installations, catalogs, namespaces, definitions and their objects, as `Kind namespace/name` with its uid and generation. */
  inventory(): Promise<ReadonlyMap<string, string>>;
  /** CSVs whose successor in the same namespace has been installed, as `inventory` names them. */
  replaced(): Promise<ReadonlySet<string>>;
  /** Deletes all of these that did not exist at the start. */
  clear(): Promise<void>;
}

/** With what a released extension leaves beside them. */
const cleared: readonly ResourceType[] = [...watched, clusterRoles, clusterRoleBindings];

const isOfExtension = ({ metadata }: KubeObject): boolean => metadata.labels?.[ownerNameLabel] !== undefined;

/** Copies of a CSV follow the one that was copied. */
const isOwn = ({ metadata }: KubeObject): boolean => metadata.labels?.[copiedFromLabel] === undefined;

const nameOf = ({ metadata: { namespace, name = "" } }: KubeObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** The type of a definition's objects, while it is served. */
function customsOf({ spec, status, metadata }: CustomResourceDefinition): readonly ResourceType[] {
  if (spec.group !== corpusGroup) return [];
  const isServed = findCondition(status?.conditions, "Established")?.status === "True";
  const version = spec.versions.find(({ storage }) => storage)?.name;
  if (!isServed || version === undefined || metadata.deletionTimestamp !== undefined) return [];
  const { kind, plural } = spec.names;
  return [{ group: spec.group, version, kind, plural, namespaced: spec.scope === "Namespaced" }];
}

/** The demo with the catalog `olm/corpus` (as ClusterCatalog `corpus`), whose packages fail in one way each. */
export async function startCorpusCluster(): Promise<CorpusCluster> {
  const cluster = await startDemoCluster((directory) => {
    const { catalog, bundles } = writeCorpus(join(directory, "corpus"), corpusPackages);
    return { catalogs: [{ namespace: globalNamespace, name: "corpus", path: catalog }], bundleDirectories: [bundles] };
  });
  const { client } = cluster;
  const discovery = createDiscovery(client);
  async function all(
    types = watched,
  ): Promise<readonly (readonly [name: string, type: ResourceType, object: KubeObject])[]> {
    const lists = await Promise.all(types.map(async (type) => [type, await client.list(type)] as const));
    return lists.flatMap(([type, objects]) =>
      objects
        .filter((one) => isOwn(one) && (watched.includes(type) || isOfExtension(one)))
        .map((object) => {
          return [`${type.kind} ${nameOf(object)}`, type, object] as const;
        }),
    );
  }
  const atStart = new Set((await all(cleared)).map(([name]) => name));
  return {
    ...cluster,
    async create(object) {
      const type = await discovery.typeOf(kindOf(object as KubeObject), never);
      assert.ok(type !== undefined, JSON.stringify(object));
      const { status, ...rest } = object as KubeObject & { readonly status?: object };
      written(await client.write({ verb: "create", type, object: rest as KubeObject }, never));
      if (status === undefined) return;
      const { namespace, name = "" } = rest.metadata;
      const key = namespace === undefined ? { name } : { namespace, name };
      const patch = { status: status as never };
      written(
        await client.write({ verb: "patch", type, key, patchType: "merge", patch, subresource: "status" }, never),
      );
    },
    async inventory() {
      const found = await all();
      const customs = found.flatMap(([, type, object]) =>
        type === customResourceDefinitions ? customsOf(object as unknown as CustomResourceDefinition) : [],
      );
      const objects = await Promise.all(
        customs.map(async (type) =>
          (await client.list(type)).map(
            (object) => [`${customResource}${type.kind} ${nameOf(object)}`, type, object] as const,
          ),
        ),
      );
      return new Map(
        [...found, ...objects.flat()].map(
          ([name, , { metadata }]) => [name, `${metadata.uid} ${metadata.generation ?? ""}`] as const,
        ),
      );
    },
    async replaced() {
      const successors = (await client.list(clusterServiceVersions)).filter(
        (csv) => isOwn(csv) && csv.status?.phase === "Succeeded",
      );
      return new Set(
        successors.flatMap(({ metadata: { namespace }, spec: { replaces } }) =>
          replaces === undefined ? [] : [`${clusterServiceVersions.kind} ${namespace}/${replaces}`],
        ),
      );
    },
    async clear() {
      for (let tries = 0; ; tries++) {
        const left = (await all(cleared)).filter(([name]) => !atStart.has(name));
        if (left.length === 0) return;
        // Definitions go when nothing brings them again.
        const [last] = left;
        const isLast = last?.[1] === customResourceDefinitions || last?.[1] === namespaces;
        for (const [, type, { metadata }] of left) {
          if (metadata.deletionTimestamp !== undefined || (type === customResourceDefinitions && !isLast)) continue;
          const { namespace, name = "" } = metadata;
          const key = namespace === undefined ? { name } : { namespace, name };
          const gone = await client.write({ verb: "delete", type, key: key as never }, never);
          if (!gone.ok && gone.problem.kind !== "notFound") written(gone);
        }
        assert.ok(tries < 2000, `these stay: ${left.map(([name]) => name).join(", ")}`);
        await systemClock.sleep(20, never);
      }
    },
  };
}
