import type { KubeObject } from "@purser/kubernetes/apis/object";
import { secrets } from "@purser/kubernetes/apis/resources";
import type { Watch } from "@purser/kubernetes/kube/controller/controller";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { releaseSelector } from "../../../rollout/plan/helm-release.ts";
import { watching } from "../../watching.ts";

const extensionOf = ({ metadata }: KubeObject): string => metadata.labels?.["name"] ?? "";

/** The index of the extensions for which OLM v1 left Helm releases. */
const releaseIndex = "helm-release";

/** Watches the Secrets that begin Helm releases: without it an extension that waits would ask for them in every pass. */
export function heldReleases(namespace: string): Watch {
  return watching({
    type: secrets,
    scope: { namespace, labelSelector: releaseSelector() },
    projection: "metadata",
    indexes: { [releaseIndex]: (secret) => [extensionOf(secret)] },
    map: (secret) => [{ name: extensionOf(secret) }],
  });
}

export function hasHeldRelease(extension: string, cache: CacheView): boolean {
  return cache.byIndex(secrets, releaseIndex, extension).length > 0;
}
