/** How tools that deploy from Git judge an object of a kind. */
export interface HealthRule {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly by: "conditions" | "phases";
  /** Of `conditions`, for kinds without a condition Ready: the `status.state` that stands for it. */
  readonly readyState?: string;
  /** Of `phases`: values of `status.phase`; every other one is in progress. */
  readonly phases?: {
    readonly healthy: string;
    readonly failed: string;
    readonly waiting?: string;
    /** Whether `Stalled` and `Reconciling` say more than the phase while one of them is there. */
    readonly hasConditions?: boolean;
  };
}

/** Reasons of Stalled and Reconciling that wait for a person or a time: nothing is broken. */
export const waitingReasons = ["ApprovalRequired", "OutsideWindow", "Soaking", "VersionHeld"] as const;

const v0 = "operators.coreos.com";
const own = "purser.dev";
const v1 = "olm.operatorframework.io";
const byConditions = (group: string, version: string, kind: string): HealthRule => ({
  group,
  version,
  kind,
  by: "conditions",
});

export const healthRules: readonly HealthRule[] = [
  { ...byConditions(v0, "v1alpha1", "Subscription"), readyState: "AtLatestKnown" },
  byConditions(v0, "v1alpha1", "CatalogSource"),
  byConditions(v0, "v1", "OperatorGroup"),
  byConditions(v0, "v1", "OLMConfig"),
  {
    group: v0,
    version: "v1alpha1",
    kind: "InstallPlan",
    by: "phases",
    phases: { healthy: "Complete", failed: "Failed", waiting: "RequiresApproval", hasConditions: true },
  },
  {
    group: v0,
    version: "v1alpha1",
    kind: "ClusterServiceVersion",
    by: "phases",
    phases: { healthy: "Succeeded", failed: "Failed" },
  },
  byConditions(own, "v1alpha1", "UpdatePolicy"),
  byConditions(own, "v1alpha1", "ClusterUpdatePolicy"),
  byConditions(v1, "v1", "ClusterCatalog"),
  byConditions(v1, "v1", "ClusterExtension"),
  byConditions(v1, "v1", "ClusterObjectSet"),
];
