import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { Icon } from "./catalog-source.ts";
import type { InstallMode } from "./cluster-service-version.ts";

export const packagesGroup = "packages.operators.coreos.com";
export const packagesVersion = "v1";

/** Says that something should no longer be used; empty in the unlikely case of a deprecation without a text. */
export interface Deprecation {
  readonly message?: string;
}

/** A name and where it leads to: a provider, or a link of an operator. */
export interface AppLink {
  readonly name?: string;
  readonly url?: string;
}

/** A CRD or API of an operator, without its descriptors. */
export interface PackageApi {
  readonly name: string;
  /** Of APIs of extension API servers only. */
  readonly group?: string;
  readonly version: string;
  readonly kind: string;
  readonly displayName?: string;
  readonly description?: string;
}

export interface PackageApis {
  readonly owned?: readonly PackageApi[];
  readonly required?: readonly PackageApi[];
}

/** What a package's channel offers, from the ClusterServiceVersion of its head. */
export interface CSVDescription {
  readonly displayName?: string;
  /** Always absent in lists and single reads; the subresource `icon` serves it. */
  readonly icon?: readonly Icon[];
  /** `0.0.0` when the ClusterServiceVersion names none. */
  readonly version: string;
  readonly provider: AppLink;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly keywords?: readonly string[];
  readonly links?: readonly AppLink[];
  readonly maintainers?: readonly { readonly name?: string; readonly email?: string }[];
  readonly maturity?: string;
  readonly description?: string;
  readonly installModes?: readonly InstallMode[];
  readonly customresourcedefinitions: PackageApis;
  readonly apiservicedefinitions: PackageApis;
  readonly nativeApis?: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
  readonly minKubeVersion?: string;
  /** Of the install strategy's containers and `spec.relatedImages`, each once. */
  readonly relatedImages?: readonly string[];
}

/** A bundle of a channel. */
export interface ChannelEntry {
  readonly name: string;
  readonly version?: string;
  readonly deprecation?: Deprecation;
}

export interface PackageChannel {
  readonly name: string;
  /** Name of the ClusterServiceVersion of the channel's head. */
  readonly currentCSV: string;
  readonly currentCSVDesc: CSVDescription;
  readonly deprecation?: Deprecation;
  /** Highest version first. */
  readonly entries: readonly ChannelEntry[];
}

export interface PackageManifestStatus {
  readonly catalogSource: string;
  readonly catalogSourceDisplayName: string;
  readonly catalogSourcePublisher: string;
  readonly catalogSourceNamespace: string;
  readonly provider: AppLink;
  readonly packageName: string;
  readonly deprecation?: Deprecation;
  /** Sorted by name. */
  readonly channels: readonly PackageChannel[];
  readonly defaultChannel: string;
}

/** A package of a CatalogSource, as the aggregated API `packages.operators.coreos.com/v1` of OLM v0 shows it. */
export interface PackageManifest extends KubeObject {
  readonly spec: Readonly<Record<string, never>>;
  readonly status: PackageManifestStatus;
}
