import type { Secret } from "@purser/kubernetes/apis/core";
import { releaseIndexSecretType } from "../../apis/v1/labels.ts";

/** Label selector of the Secrets that begin the releases which OLM v1 keeps; `name` is that of the ClusterExtension. */
export function releaseSelector(name?: string): string {
  return ["owner=operator-controller", "type=index", ...(name === undefined ? [] : [`name=${name}`])].join(",");
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

/** What OLM v1 recorded of the bundle: labels that are none of the storage, and annotations, which hold long values. */
export function recordedLabels({ metadata }: Secret): Readonly<Record<string, string>> {
  const own = Object.entries(metadata.labels ?? {}).filter(([name]) => name.includes("/"));
  return { ...Object.fromEntries(own), ...metadata.annotations };
}
