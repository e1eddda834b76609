import { digestOf } from "@purser/kubernetes/digest";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { isRefused } from "@purser/kubernetes/kube/refusal";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { CatalogSource } from "../../apis/v0/catalog-source.ts";
import { type PackageManifest, packagesGroup, packagesVersion } from "../../apis/v0/package-manifest.ts";
import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import { indexDirectory } from "../../catalog-store/format.ts";
import { openIndex } from "../../catalog-store/open.ts";
import { openIndexOfImage, rememberIndexOfImage } from "../../content/kept-index.ts";
import { documentsOfManifests } from "../../package-manifests/manifest-documents.ts";
import { type IndexAccess, indexDocuments } from "./index-documents.ts";

const packageManifests: ResourceType = {
  group: packagesGroup,
  version: packagesVersion,
  kind: "PackageManifest",
  plural: "packagemanifests",
  namespaced: true,
};

/** The package API of the cluster, asked once. */
export class ManifestContent {
  readonly #reader: ObjectReader;
  readonly #access: IndexAccess;
  #manifests: Promise<Result<readonly PackageManifest[], string>> | undefined;

  constructor(reader: ObjectReader, access: IndexAccess) {
    this.#reader = reader;
    this.#access = access;
  }

  /** What the package API says of a CatalogSource, without upgrade edges; the problem is why it says nothing. */
  async of({ metadata }: CatalogSource, signal: AbortSignal): Promise<Result<CatalogIndex, string>> {
    this.#manifests ??= listed(this.#reader);
    const all = await this.#manifests;
    if (!all.ok) return all;
    const own = all.value.filter(
      ({ status }) => status.catalogSource === metadata.name && status.catalogSourceNamespace === metadata.namespace,
    );
    if (own.length === 0) return failed("the package API has no package of it");
    const text = documentsOfManifests(own)
      .map((document) => JSON.stringify(document))
      .join("\n");
    return this.#indexOf(text, signal);
  }

  async #indexOf(text: string, signal: AbortSignal): Promise<Result<CatalogIndex, string>> {
    const indexes = indexDirectory(this.#access.cacheDirectory);
    const digest = digestOf(text);
    const kept = openIndexOfImage(indexes, digest, true);
    if (kept !== undefined) return done(kept);
    const built = await indexDocuments([text], this.#access, signal);
    if (!built.ok) return built;
    rememberIndexOfImage(indexes, digest, built.value.digest, true);
    const opened = openIndex(built.value.file);
    return opened.ok ? opened : failed(opened.problem.message);
  }
}

async function listed(reader: ObjectReader): Promise<Result<readonly PackageManifest[], string>> {
  try {
    return done((await reader.list(packageManifests)) as readonly PackageManifest[]);
  } catch (error) {
    if (isRefused(error, "notFound")) return failed("the cluster has no package API");
    if (isRefused(error, "forbidden")) return failed("you may not list packagemanifests");
    return failed(`the package API does not answer: ${error instanceof Error ? error.message : String(error)}`);
  }
}
