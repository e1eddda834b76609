import type { ObjectReference } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";

export interface InstallPlanSpec {
  readonly clusterServiceVersionNames: readonly string[];
  readonly approval: string;
  readonly approved: boolean;
  /** Sequence number of the plan in its namespace. */
  readonly generation?: number;
  /** Older fields, never written. */
  readonly source?: string;
  readonly sourceNamespace?: string;
}

export type InstallPlanPhase = "" | "Planning" | "RequiresApproval" | "Installing" | "Complete" | "Failed";

export interface InstallPlanCondition {
  readonly type?: "Installed" | "Resolved" | "Stalled" | "Reconciling";
  readonly status?: "True" | "False" | "Unknown";
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export type StepStatus =
  | "Unknown"
  | "NotPresent"
  | "Present"
  | "Created"
  | "NotCreated"
  | "WaitingForApi"
  | "UnsupportedResource";

export interface StepResource {
  readonly sourceName: string;
  readonly sourceNamespace: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name: string;
  /** The object as JSON or YAML, or a reference to the unpacked bundle. */
  readonly manifest?: string;
}

export interface Step {
  /** CSV that the step belongs to. */
  readonly resolving: string;
  readonly resource: StepResource;
  readonly optional?: boolean;
  readonly status: StepStatus;
}

export interface BundleLookupCondition {
  readonly type: "BundleLookupNotPersisted" | "BundleLookupPending" | "BundleLookupFailed";
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

/** A bundle of the plan that is not turned into steps yet. */
export interface BundleLookup {
  /** Image reference. */
  readonly path: string;
  readonly identifier: string;
  readonly replaces: string;
  readonly catalogSourceRef: ObjectReference;
  /** JSON of the bundle's properties. */
  readonly properties?: string;
  readonly conditions?: readonly BundleLookupCondition[];
}

export interface InstallPlanStatus {
  readonly phase: InstallPlanPhase;
  readonly conditions?: readonly InstallPlanCondition[];
  readonly catalogSources: readonly string[];
  readonly plan?: readonly Step[];
  readonly bundleLookups?: readonly BundleLookup[];
  readonly attenuatedServiceAccountRef?: ObjectReference;
  readonly startTime?: string;
  readonly message?: string;
}

export interface InstallPlan extends KubeObject {
  readonly spec: InstallPlanSpec;
  readonly status?: InstallPlanStatus;
}
