import type { Condition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { LabelSelector } from "@purser/kubernetes/apis/selector";
import type { JsonObject } from "@purser/kubernetes/json";

export interface CatalogFilter {
  readonly packageName: string;
  /** Version or range; absent means any. */
  readonly version?: string;
  /** Absent means all. */
  readonly channels?: readonly string[];
  readonly selector?: LabelSelector;
  readonly upgradeConstraintPolicy?: "CatalogProvided" | "SelfCertified";
}

export interface ClusterExtensionSpec {
  readonly namespace: string;
  /** Deprecated and ignored. */
  readonly serviceAccount?: { readonly name?: string };
  readonly source: { readonly sourceType: "Catalog"; readonly catalog?: CatalogFilter };
  readonly install?: {
    readonly preflight?: { readonly crdUpgradeSafety: { readonly enforcement: "None" | "Strict" } };
  };
  /** Experimental set. */
  readonly config?: { readonly configType: "Inline"; readonly inline?: JsonObject };
  /** Experimental set. */
  readonly progressDeadlineMinutes?: number;
}

export interface BundleMetadata {
  readonly name: string;
  readonly version: string;
  /** Experimental set; `""` (given and empty) differs from absent. */
  readonly release?: string;
}

export interface RevisionStatus {
  readonly name: string;
  readonly conditions?: readonly Condition[];
}

export interface ClusterExtensionStatus {
  readonly conditions?: readonly Condition[];
  readonly install?: { readonly bundle: BundleMetadata };
  /** Experimental set. */
  readonly activeRevisions?: readonly RevisionStatus[];
}

export interface ClusterExtension extends KubeObject {
  /** Upstream's schema does not require it: an extension without a spec is stored. */
  readonly spec?: ClusterExtensionSpec;
  readonly status?: ClusterExtensionStatus;
}
