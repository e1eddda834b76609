import type { Condition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";

export interface ClusterCatalogSpec {
  readonly source: {
    readonly type: "Image";
    readonly image?: {
      readonly ref: string;
      /** Absent: never polled; forbidden beside a digest. */
      readonly pollIntervalMinutes?: number;
    };
  };
  readonly priority?: number;
  readonly availabilityMode?: "Available" | "Unavailable";
}

export interface ClusterCatalogStatus {
  readonly conditions?: readonly Condition[];
  readonly resolvedSource?: {
    readonly type: "Image";
    /** With a digest. */
    readonly image: { readonly ref: string };
  };
  readonly urls?: { readonly base: string };
  readonly lastUnpacked?: string;
}

export interface ClusterCatalog extends KubeObject {
  readonly spec: ClusterCatalogSpec;
  readonly status?: ClusterCatalogStatus;
}
