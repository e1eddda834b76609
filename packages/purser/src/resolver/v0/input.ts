import type { HoldCode } from "../../policy/verdict.ts";
import type { Remedy } from "../../explanation/explanation.ts";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../apis/v0/operator-group.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import type { CatalogIndex } from "../../catalog/catalog-index.ts";

/** Name and namespace of a CatalogSource. */
export interface CatalogKey {
  readonly namespace: string;
  readonly name: string;
}

/** A CatalogSource as resolution sees it. */
export interface NamespaceCatalog {
  readonly key: CatalogKey;
  /** `spec.priority`, 0 when absent. */
  readonly priority: number;
  readonly content:
    | { readonly kind: "present"; readonly index: CatalogIndex }
    | {
        readonly kind: "unavailable";
        /** The reason, shown in facts. */
        readonly cause: string;
        /** Text OLM would give; by default "no registry client established for catalogsource NS/NAME". */
        readonly upstream?: string;
      };
}

/** A bundle that must not be chosen, with the policy that says so. */
export interface Hold {
  readonly code: HoldCode;
  readonly package: string;
  /** Exactly these bundles; absent means every bundle of the package. */
  readonly bundles?: readonly string[];
  /** Shown to people, such as "UpdatePolicy ns/freeze: level patch, until Monday". */
  readonly reason: string;
  readonly remedy: Remedy;
}

/** The input of the resolution of one namespace. Objects and catalogs of other namespaces are ignored. */
export interface NamespaceInput {
  readonly namespace: string;
  readonly globalNamespace: string;
  readonly catalogs: readonly NamespaceCatalog[];
  readonly subscriptions: readonly Subscription[];
  /** Copied CSVs (label `olm.copiedFrom`, reason Copied) are ignored. */
  readonly clusterServiceVersions: readonly ClusterServiceVersion[];
  readonly operatorGroups: readonly OperatorGroup[];
  readonly holds?: readonly Hold[];
  /**
   * CSVs that a subscribed CSV is about to replace: `passedOver`, and the subscribed one stays until they are deleted;
   * by default orphans, as in OLM, that clash with it.
   */
  readonly replacedOperators?: "passedOver" | "orphans";
  /**
   * Catalogs in scope that cannot be read and that no Subscription names: `block` decides nothing, as OLM, and is the
   * default; `skip` decides from the others, and nothing only when the others do not suffice.
   */
  readonly missingCatalogs?: "block" | "skip";
}
