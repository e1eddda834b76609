// The kinds of OpenShift's configuration API (`config.openshift.io/v1`) that are read or written where a cluster serves them.
import { clusterWide } from "@purser/kubernetes/apis/resources";
import type { KubeObject } from "@purser/kubernetes/apis/object";

const configGroup = "config.openshift.io";

/** The version of the cluster; the only object is named `version`. */
export interface ClusterVersion extends KubeObject {
  readonly status?: {
    /** The release that the cluster runs or is being updated to. */
    readonly desired?: { readonly version?: string };
  };
}

export interface ClusterOperatorCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly lastTransitionTime: string;
  readonly reason?: string;
  readonly message?: string;
}

/** How a part of the platform is; the cluster version operator reads it before an update. */
export interface ClusterOperator extends KubeObject {
  readonly spec?: object;
  readonly status?: {
    readonly conditions?: readonly ClusterOperatorCondition[];
    readonly versions?: readonly { readonly name: string; readonly version: string }[];
    readonly relatedObjects?: readonly {
      readonly group: string;
      readonly resource: string;
      readonly namespace?: string;
      readonly name: string;
    }[];
  };
}

/** The egress proxy of the cluster; the only object is named `cluster`. */
export interface Proxy extends KubeObject {
  readonly status?: { readonly httpProxy?: string; readonly httpsProxy?: string; readonly noProxy?: string };
}

export const clusterVersions = clusterWide<ClusterVersion>(configGroup, "v1", "ClusterVersion", "clusterversions");
export const clusterOperators = clusterWide<ClusterOperator>(configGroup, "v1", "ClusterOperator", "clusteroperators");
export const proxies = clusterWide<Proxy>(configGroup, "v1", "Proxy", "proxies");
