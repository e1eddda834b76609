import { done, failed, type Result } from "@purser/kubernetes/result";
import { refreshOf } from "../../../../apis/refresh-annotation.ts";
import type { CatalogSource } from "../../../../apis/v0/catalog-source.ts";
import {
  type BundleRequest,
  type CatalogRequest,
  type ContentSource,
  type Poll,
  type PullSecret,
  sourceOfImage,
} from "../../../../catalog/content.ts";
import { pollInterval } from "./poll-interval.ts";
import { servedByStatus } from "./served-by-status.ts";

/**
 * The content that a CatalogSource asks for. An image wins over an address, as OLM v0 chooses its registry reconciler;
 * the problem is OLM's text for a spec that names no content.
 */
export function catalogRequest(source: CatalogSource): Result<CatalogRequest, string> {
  const content = contentSource(source);
  if (!content.ok) return content;
  const { namespace = "", name = "" } = source.metadata;
  const served = servedByStatus(source.status);
  const poll = content.value.kind === "image" ? pollOf(source) : undefined;
  return done({
    source: content.value,
    credentials: pullSecrets(source),
    policy: [`catalog/${namespace}/${name}`],
    ...(poll === undefined ? {} : { poll }),
    ...refreshOf(source.metadata),
    ...(served === undefined ? {} : { lastGood: served.digest }),
  });
}

/** The request for a bundle's content with the pull secrets of its CatalogSource; without pull secrets when the CatalogSource does not exist. */
export function bundleRequest(
  bundle: { readonly image: string; readonly package: string; readonly version: string },
  source: CatalogSource | undefined,
): BundleRequest {
  return {
    reference: bundle.image,
    packageName: bundle.package,
    version: bundle.version,
    credentials: source === undefined ? [] : pullSecrets(source),
    policy: [`package/${bundle.package}`],
  };
}

function pullSecrets({ metadata: { namespace = "" }, spec: { secrets = [] } }: CatalogSource): readonly PullSecret[] {
  return secrets.filter((name) => name !== "").map((name) => ({ namespace, name }));
}

function contentSource({ metadata, spec }: CatalogSource): Result<ContentSource, string> {
  const { sourceType, image = "", address = "", configMap = "" } = spec;
  switch (sourceType) {
    case "grpc":
      if (image !== "")
        return done(withDirectory(sourceOfImage(image), spec.grpcPodConfig?.extractContent?.catalogDir));
      if (address !== "") return done({ kind: "address", address });
      return failed("image and address unset: at least one must be set for sourcetype: grpc");
    case "configmap":
    case "internal":
      if (configMap === "") return failed(`configmap name unset: must be set for sourcetype: ${sourceType}`);
      return done({ kind: "configMap", namespace: metadata.namespace ?? "", name: configMap });
    default:
      return failed(`unknown sourcetype: ${sourceType}`);
  }
}

/** `extractContent` names the directory of the catalog; what an image brings as `cacheDir` is not read, because the index is the cache. */
function withDirectory(source: ContentSource, directory: string | undefined): ContentSource {
  return source.kind === "image" && directory !== undefined ? { ...source, directory } : source;
}

/**
 * Polling counts from the last poll that the status records, or from the creation of the CatalogSource. An image that the status
 * does not show is looked at whenever the last poll was.
 */
function pollOf({ metadata, spec, status }: CatalogSource): Poll | undefined {
  const interval = pollInterval(spec);
  if (interval === undefined) return undefined;
  const isShown = status?.connectionState?.address?.startsWith(`${spec.image ?? ""}@`) === true;
  const last = Date.parse(status?.latestImageRegistryPoll ?? metadata.creationTimestamp ?? "");
  return {
    everyMs: interval.everyMs,
    jitter: [0.9, 1.1],
    ...(Number.isNaN(last) || !isShown ? {} : { lastMs: last }),
  };
}
