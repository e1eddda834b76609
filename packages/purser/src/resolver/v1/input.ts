import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import type { BundleMetadata, CatalogFilter } from "../../apis/v1/cluster-extension.ts";
import type { HoldCode } from "../../policy/verdict.ts";
import type { Remedy } from "../../explanation/explanation.ts";
import type { CatalogIndex } from "../../catalog/catalog-index.ts";

/** A ClusterCatalog with what is known of its content. */
export interface ExtensionCatalog {
  readonly catalog: ClusterCatalog;
  readonly content:
    | { readonly kind: "present"; readonly index: CatalogIndex }
    | {
        readonly kind: "unavailable";
        readonly cause: string;
        /** Text OLM would give; by default derived from the catalog's Serving condition. */
        readonly upstream?: string;
      };
}

/** The input of the resolution of one ClusterExtension. */
export interface ExtensionInput {
  /** Name of the ClusterExtension, for sentences and commands. */
  readonly name: string;
  /** `spec.namespace`, for commands. */
  readonly namespace?: string;
  readonly filter: CatalogFilter;
  /** `status.install.bundle`, or what the live revision records. */
  readonly installed?: BundleMetadata;
  /** All ClusterCatalogs of the cluster; the filter's selector is applied here. */
  readonly catalogs: readonly ExtensionCatalog[];
  /**
   * `skip`: an extension without a selector is decided from the catalogs that can be read, as far as these offer a bundle.
   * By default one that cannot be read blocks, as in OLM.
   */
  readonly missingCatalogs?: "block" | "skip";
  /** Versions that a policy holds back. */
  readonly holds?: readonly ExtensionHold[];
  /** A bundle with requirements is resolved and names them, so that the caller judges them; absent: it is refused, as by OLM. */
  readonly judgesDependencies?: true;
  readonly gates?: { readonly bundleReleaseSupport?: boolean };
}

export interface ExtensionHold {
  readonly code: HoldCode;
  readonly bundles: readonly string[];
  readonly reason: string;
  readonly remedy: Remedy;
}
