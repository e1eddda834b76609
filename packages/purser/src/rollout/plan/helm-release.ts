import type { Secret } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { isJsonObject, type JsonObject, member } from "@purser/kubernetes/json";
import { releaseIndexSecretType } from "../../apis/v1/labels.ts";

/** Label selector of all Secrets in which OLM v1 keeps Helm releases: one begins a release, others hold further chunks of it. */
export const releasePartsSelector = "owner=operator-controller";

/** Label selector of the Secrets that begin the releases of a ClusterExtension. */
export function releaseSelector(extension: string): string {
  return `${releasePartsSelector},type=index,name=${extension}`;
}

/** The ClusterExtension to whose release a Secret belongs; undefined when its labels do not say so. */
export function extensionOfRelease({ metadata: { labels = {} } }: KubeObject): string | undefined {
  return labels["name"] ?? /^sh\.helm\.release\.v1\.(.+)\.v\d+$/.exec(labels["key"] ?? "")?.[1];
}

/** Chunks that OLM v1 writes and reads at most. */
export const maxReleaseChunks = 11;

/**
 * The Secret that begins the release to take over: the newest one when it is deployed, else the newest deployed one of the
 * history. Undefined when none is deployed.
 */
export function deployedRelease(indexes: readonly Secret[]): Secret | undefined {
  return indexes
    .filter(({ type, metadata }) => type === releaseIndexSecretType && metadata.labels?.["status"] === "deployed")
    .toSorted((a, b) => versionOf(b) - versionOf(a))[0];
}

const versionOf = ({ metadata }: Secret): number => Number(metadata.labels?.["version"] ?? 0) || 0;

/** Labels of a release that its storage has for itself. */
const storageLabels: ReadonlySet<string> = new Set([
  "createdAt",
  "key",
  "modifiedAt",
  "name",
  "owner",
  "status",
  "type",
  "version",
]);

/**
 * What OLM v1 recorded of the bundle: labels of the release itself. Its Secrets have the labels of the storage only
 * (`releaseWrapper` of helm-operator-plugins).
 */
export function recordedLabels(release: JsonObject): Readonly<Record<string, string>> {
  const labels = member(release, "labels");
  const entries = isJsonObject(labels) ? Object.entries(labels) : [];
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === "string" && !storageLabels.has(name) ? [[name, value]] : [])),
  );
}
