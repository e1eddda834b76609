import { isDigest } from "@purser/kubernetes/digest";
import { refreshOf } from "../../../../apis/refresh-annotation.ts";
import type { ClusterCatalog } from "../../../../apis/v1/cluster-catalog.ts";
import { pullSecretAnnotation } from "../../../../apis/v1/labels.ts";
import { type CatalogRequest, type PullSecret, sourceOfImage } from "../../../../catalog/content.ts";

/** The content that a ClusterCatalog asks for; undefined while it is switched off or names no image. */
export function catalogRequest(catalog: ClusterCatalog): CatalogRequest | undefined {
  const { metadata, spec, status } = catalog;
  const { image } = spec.source;
  if (spec.availabilityMode === "Unavailable" || image === undefined) return undefined;
  const source = sourceOfImage(image.ref);
  const minutes = image.pollIntervalMinutes;
  const isPolled = source.kind === "image" && minutes !== undefined && !image.ref.includes("@");
  const digest = status?.resolvedSource?.image.ref.split("@")[1] ?? "";
  return {
    source,
    isUnchecked: true,
    credentials: pullSecretsOf(catalog),
    policy: [`catalog/${metadata.name ?? ""}`],
    ...(isPolled ? { poll: { everyMs: minutes * 60_000, jitter: [1, 1.01] as const } } : {}),
    ...refreshOf(metadata),
    ...(isDigest(digest) ? { lastGood: digest } : {}),
  };
}

/** The Secret of the pull secret annotation, `NAMESPACE/NAME`; any other text names no Secret. */
export function pullSecretsOf({ metadata }: ClusterCatalog): readonly PullSecret[] {
  const annotation = metadata.annotations?.[pullSecretAnnotation];
  const [namespace = "", name = "", ...rest] = annotation?.split("/") ?? [];
  return namespace === "" || name === "" || rest.length > 0 ? [] : [{ namespace, name }];
}
