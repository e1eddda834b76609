import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import type { ReadableCatalog } from "../../catalog/content.ts";
import type { CatalogSource } from "../../apis/v0/catalog-source.ts";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import type { KnownUpgrades } from "../../policy/upgrade-contents.ts";
import type { ExtensionInput } from "../../resolver/v1/input.ts";
import type { GivenCatalog } from "./snapshot-catalogs.ts";
import type { Snapshot } from "./snapshot-file.ts";

/** The objects of a cluster or of a snapshot file, with the content of their catalogs. */
export interface DecisionWorld {
  readonly snapshot: Snapshot;
  /** The content of a CatalogSource of the snapshot, or why it is unavailable. */
  readonly contentOfSource: (source: CatalogSource) => ReadableCatalog;
  /** The content of a ClusterCatalog of the snapshot, or why it is unavailable. */
  readonly contentOfCatalog: (catalog: ClusterCatalog) => ReadableCatalog;
  readonly globalNamespace: string;
  /** What a ClusterCatalog that cannot be read means for a ClusterExtension without a selector; default `skip`. */
  readonly missingCatalogs?: ExtensionInput["missingCatalogs"];
  /** A ClusterExtension whose bundle requires others is refused, as by OLM v1. */
  readonly refusesDependencies?: true;
  /** OLM v1's gate `BundleReleaseSupport` is on. */
  readonly readsReleases?: true;
  /** A ClusterExtension is decided as if a person had approved whatever policies ask about. */
  readonly approvesAll?: true;
  /** A ClusterExtension gets its bundle whatever that requires of the cluster: for what is approved before the rest is there. */
  readonly ignoresDependencies?: true;
  /** What upgrades hold that policies look at, by their bundle; one that is missing was not looked at. */
  readonly upgrades?: KnownUpgrades;
  /** Epoch milliseconds, for policies that end; absent: none has ended. */
  readonly now?: number;
}

/** A snapshot with the catalogs of `given`; a catalog object that the snapshot does not have is added with defaults. */
export function worldOnFiles(
  snapshot: Snapshot,
  given: readonly GivenCatalog[],
  globalNamespace: string,
): DecisionWorld {
  const bySource = new Map(given.map((catalog) => [`${catalog.namespace}/${catalog.name}`, catalog.index]));
  // A ClusterCatalog has no namespace: of several given catalogs of the same name the first is used.
  const byName = new Map(given.toReversed().map(({ name, index }) => [name, index]));
  const hasSource = new Set(snapshot.catalogSources.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const hasCatalog = new Set(snapshot.clusterCatalogs.map(({ metadata }) => metadata.name));
  const sources = given
    .filter(({ namespace, name }) => !hasSource.has(`${namespace}/${name}`))
    .map(({ namespace, name }): CatalogSource => ({
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "CatalogSource",
      metadata: { namespace, name },
      spec: { sourceType: "grpc" },
    }));
  const catalogs = [...byName.keys()]
    .filter((name) => !hasCatalog.has(name))
    .map((name): ClusterCatalog => ({
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterCatalog",
      metadata: { name },
      spec: { source: { type: "Image" } },
    }));
  return {
    snapshot: {
      ...snapshot,
      catalogSources: [...snapshot.catalogSources, ...sources],
      clusterCatalogs: [...snapshot.clusterCatalogs, ...catalogs],
    },
    contentOfSource: ({ metadata: { namespace = "", name = "" } }) =>
      givenContent(`${namespace}/${name}`, bySource.get(`${namespace}/${name}`), undefined),
    contentOfCatalog: (catalog) => {
      const { name = "" } = catalog.metadata;
      return givenContent(name, byName.get(name), unservedCause(catalog));
    },
    globalNamespace,
  };
}

function givenContent(name: string, index: CatalogIndex | undefined, refusal: string | undefined): ReadableCatalog {
  if (index === undefined) return { kind: "unavailable", cause: `no --catalog ${name}=PATH gives its content` };
  return refusal === undefined ? { kind: "present", index } : { kind: "unavailable", cause: refusal };
}

/** Why a ClusterCatalog with a condition `Serving` that is not True is unavailable, whatever its content. */
function unservedCause({ status }: ClusterCatalog): string | undefined {
  const serving = status?.conditions?.find(({ type }) => type === "Serving");
  if (serving === undefined || serving.status === "True") return undefined;
  return `it is not being served${serving.message === "" ? "" : `: ${serving.message}`}`;
}
