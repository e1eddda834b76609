import type { CatalogSource } from "../../../../apis/v0/catalog-source.ts";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import type { Subscription } from "../../../../apis/v0/subscription.ts";
import type { BundleStep, StepsProblem } from "../../../../bundle/install-plan-steps.ts";
import type { CatalogIndex } from "../../../../catalog/catalog-index.ts";
import type { ContentState } from "../../../../catalog/content-state.ts";
import type { Digest } from "@purser/kubernetes/digest";
import type { NamespaceOutcome } from "../../../../resolver/v0/outcome.ts";
import type { Result } from "@purser/kubernetes/result";

/** A CatalogSource in scope, with its content where there is any. */
export interface CatalogInScope {
  readonly source: CatalogSource;
  readonly index: CatalogIndex | undefined;
  /** Whether resolution can ask it. */
  readonly healthy: boolean;
}

/** What the content store says of a chosen bundle; its steps once it is there. */
export interface ChosenContent {
  readonly state: ContentState;
  readonly steps?: Result<readonly BundleStep[], StepsProblem>;
  readonly digest?: Digest;
}

/** Everything one pass over a namespace decides on, read at one time. */
export interface NamespaceWorld {
  readonly namespace: string;
  readonly subscriptions: readonly Subscription[];
  /** Those that are no copies. */
  readonly csvs: readonly ClusterServiceVersion[];
  readonly installPlans: readonly InstallPlan[];
  readonly groups: readonly OperatorGroup[];
  /** Of the namespace and the global one, sorted by namespace and name. */
  readonly catalogs: readonly CatalogInScope[];
  /** A catalog was found a moment ago and is being read: nothing is decided, and nobody is told of a fault, before it is there. */
  readonly reading: boolean;
  /** Undefined when no Subscription asks for resolution. */
  readonly resolution: NamespaceOutcome | undefined;
  /** Content of the bundles that the resolution brings, by bundle name. */
  readonly contents: ReadonlyMap<string, ChosenContent>;
}
