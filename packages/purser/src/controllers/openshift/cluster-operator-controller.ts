import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { groupResource } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import type { Controller, ObserveContext, Watch } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { clusterOperators, clusterVersions } from "../../apis/openshift.ts";
import { VersionedReads } from "../versioned-reads.ts";
import { watching } from "../watching.ts";
import { isDefined } from "./is-defined.ts";
import {
  type ClusterOperatorWorld,
  planClusterOperator,
  type Report,
  type ReportedVersions,
} from "./plan/plan-cluster-operator.ts";

/** Names of the ClusterOperators that are kept; absent: that one is not kept. */
export interface ClusterOperatorNames {
  /** OLM v1's: `olm` on OpenShift. */
  readonly extensions?: string;
  /** OLM v0's: `operator-lifecycle-manager` on OpenShift. */
  readonly operators?: string;
  /** `operator-lifecycle-manager-catalog` on OpenShift. */
  readonly catalogs?: string;
  /** `operator-lifecycle-manager-packageserver` on OpenShift. */
  readonly packages?: string;
}

export interface ClusterOperators extends ReportedVersions {
  readonly names: ClusterOperatorNames;
}

/** What a ClusterOperator says, read from the caches. */
export type Reporter = (reader: ObjectReader) => Promise<Report>;

export interface ClusterOperatorReports {
  /** Of the controller. */
  readonly name: string;
  /** By name of the ClusterOperator. */
  readonly reporters: ReadonlyMap<string, Reporter>;
  readonly versions: ReportedVersions;
  /** A type that the reports are made of. */
  readonly source: Pick<Watch, "type" | "scope">;
}

/**
 * Keeps ClusterOperators where OpenShift's configuration API is served. Elsewhere it neither asks the API server nor watches
 * anything of that API, and no pass runs.
 */
export function clusterOperatorController(reports: ClusterOperatorReports): Controller {
  const memory = new VersionedReads();
  const every = [...reports.reporters.keys()].map((name): ObjectKey => ({ name }));
  const definition = groupResource(clusterOperators);
  return defineController<ClusterOperatorObservation, ObjectWrite, KubeObject[]>({
    name: reports.name,
    watches: [
      watching({
        type: customResourceDefinitions,
        projection: "metadata",
        map: ({ metadata }) => (metadata.name === definition ? every : []),
      }),
      watching({
        ...reports.source,
        map: (_object, cache) => (isDefined(clusterOperators, cache) ? every : []),
      }),
    ],
    wakingWatch: (type) => ({
      map: ({ metadata: { name = "" } }) =>
        groupResource(type) === definition ? every.filter((key) => key.name === name) : every,
    }),
    steps: {
      observe: (key, context) => observe(key, context, reports, memory),
      plan: ({ world, watches }, { now }) =>
        world === undefined ? { actions: [] } : { ...planClusterOperator(world, now), watches },
      async apply(_key, write, { writer, signal }) {
        const result = await writer.write(write, signal);
        // Not served yet: the CustomResourceDefinition changes when it is.
        writtenUnlessDeleted(result);
      },
    },
  });
}

interface ClusterOperatorObservation {
  /** Undefined where the cluster has no such kind. */
  readonly world: ClusterOperatorWorld | undefined;
  readonly watches: readonly ResourceType[];
}

async function observe(
  { name }: ObjectKey,
  { reader, cache }: ObserveContext,
  { reporters, versions }: ClusterOperatorReports,
  memory: VersionedReads,
): Promise<ClusterOperatorObservation> {
  const report = await reporters.get(name)?.(reader);
  if (report === undefined || !isDefined(clusterOperators, cache)) return { world: undefined, watches: [] };
  const reads = memory.during(reader, cache);
  const operator = await reads.get(clusterOperators, { name });
  const cluster = await reads.get(clusterVersions, { name: "version" });
  return { world: { name, report, versions, operator, cluster }, watches: reads.toWatch };
}
