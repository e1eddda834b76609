import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { Lease } from "@purser/kubernetes/apis/coordination";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { CatalogSource } from "../../../apis/v0/catalog-source.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan } from "../../../apis/v0/install-plan.ts";
import type { OLMConfig } from "../../../apis/v0/olm-config.ts";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import type { Compat } from "../../../compat.ts";
import type { CsvWorld } from "../../../controllers/v0/cluster-service-version/plan/world.ts";

/** What a takeover depends on, as it is on the cluster before it. */
export interface TakeoverWorld {
  /** Of the controllers that would be started. */
  readonly compat: Compat;
  /** Names of CustomResourceDefinitions that the controllers need and the cluster does not serve. */
  readonly missingDefinitions: readonly string[];
  /** Deployments with the names of those of OLM v0 and v1, in every namespace. */
  readonly managers: readonly Deployment[];
  /** Leases with the names of those of OLM v1 and Purser. */
  readonly leases: readonly Lease[];
  readonly catalogSources: readonly CatalogSource[];
  /** Pods that serve CatalogSources. */
  readonly catalogPods: readonly KubeObject[];
  /** Those that are neither complete nor failed. */
  readonly installPlans: readonly OpenInstallPlan[];
  readonly subscriptions: readonly Subscription[];
  readonly csvs: readonly ClusterServiceVersion[];
  /** What the pass over each CSV would see. */
  readonly csvWorlds: readonly CsvWorld[];
  /** Metadata of copied CSVs. */
  readonly copies: readonly KubeObject[];
  readonly olmConfig: OLMConfig | undefined;
  readonly groups: readonly OperatorGroup[];
  readonly installingUsers: readonly InstallingUsers[];
  /** ServiceAccounts that groups name and that may not write every CustomResourceDefinition, as `namespace/name`. */
  readonly withoutDefinitions: ReadonlySet<string>;
  /** That of PackageManifests. */
  readonly packageApi: APIService | undefined;
  /** Admission webhooks and APIServices that a CSV owns by their labels. */
  readonly owned: readonly KubeObject[];
}

export interface OpenInstallPlan {
  readonly plan: InstallPlan;
  /** Why a step cannot be read; absent when all can. */
  readonly unreadable?: string;
}

/** Who may install operators in a namespace by its RoleBindings, and so needs no rights of the whole cluster. */
export interface InstallingUsers {
  readonly namespace: string;
  /** `User a`, `Group b` or `ServiceAccount ns/c`, sorted, without repetitions. */
  readonly subjects: readonly string[];
}
