import type { CatalogSource } from "../../../../apis/v0/catalog-source.ts";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import type { Subscription } from "../../../../apis/v0/subscription.ts";
import type { RollbackDecision } from "../../../plan/automatic-rollback.ts";
import type { KnownUpgrades } from "../../../../policy/upgrade-contents.ts";
import type { Policies } from "../../../../policy/effective-policy.ts";
import type { NamespaceCatalog, NamespaceInput } from "../../../../resolver/v0/input.ts";
import type { KnownContents } from "../../../../resolver/v0/install-plan/known-content.ts";
import type { InstallWorld } from "../../../../resolver/v0/install-plan/install-world.ts";
import type { NamespaceOutcome } from "../../../../resolver/v0/outcome.ts";

/** A CatalogSource with its content where there is any. */
export interface CatalogInScope {
  readonly source: CatalogSource;
  readonly content: NamespaceCatalog["content"];
  /** Epoch milliseconds since which its first content is being read; undefined when there was content before. */
  readonly readingSince?: number;
  /** Whether resolution can ask it. */
  readonly healthy: boolean;
}

/** Everything one pass over a namespace decides on, read at one time; what the plan asked for is added by and by. */
export interface NamespaceWorld {
  readonly namespace: string;
  readonly globalNamespace: string;
  readonly subscriptions: readonly Subscription[];
  /** Those that are no copies. */
  readonly csvs: readonly ClusterServiceVersion[];
  readonly installPlans: readonly InstallPlan[];
  readonly groups: readonly OperatorGroup[];
  /** Of the namespace and the global one, sorted by namespace and name. */
  readonly catalogs: readonly CatalogInScope[];
  /** Of other namespaces that Subscriptions name: nothing is resolved from them, their deprecations are shown. */
  readonly catalogsElsewhere: readonly CatalogInScope[];
  readonly reservedGroups: InstallWorld["reservedGroups"];
  readonly replacedOperators: NonNullable<NamespaceInput["replacedOperators"]>;
  /** What a catalog that cannot be read means; see `NamespaceInput`. */
  readonly missingCatalogs: NonNullable<NamespaceInput["missingCatalogs"]>;
  /** Those of the namespace and of the cluster; absent counts as none. */
  readonly policies?: Policies;
  /** What one InstallPlan brings: what hangs together, or as with OLM all that is resolved in the namespace. */
  readonly plansPer: "set" | "namespace";
  /** Undefined until the plan asked for it. */
  readonly resolution: NamespaceOutcome | undefined;
  /** Of bundles that the plan asked for. */
  readonly contents: KnownContents;
  /** What upgrades hold that policies look at, by their bundle; absent until the plan asked for it. */
  readonly upgrades?: KnownUpgrades;
  /** Whether upgrades that are past their time go back, by the name of the Subscription; absent until the plan asked for it. */
  readonly rollbacks?: ReadonlyMap<string, RollbackDecision>;
}
