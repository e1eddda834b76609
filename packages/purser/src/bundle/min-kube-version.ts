import { compareVersions, parseVersion } from "@purser/kubernetes/version";

/** Whether a server is new enough for a ClusterServiceVersion; `message` is the text of OLM v0. */
export interface KubeVersionVerdict {
  readonly met: boolean;
  readonly message: string;
}

/**
 * Judges `spec.minKubeVersion` of a ClusterServiceVersion. A pre-release of the server counts as its release; a value that is
 * no version of three parts is not met.
 * @param server `gitVersion` of the API server; undefined when it cannot be read
 */
export function judgeKubeVersion(wanted: string, server: string | undefined): KubeVersionVerdict {
  const refused = (message: string): KubeVersionVerdict => ({ met: false, message });
  if (server === undefined) return refused("Server version discovery error");
  const release = releaseOf(server);
  const found = parseVersion(release);
  if (!found.ok) return refused("Server version parsing error");
  const least = parseVersion(wanted.replace(/^v/, ""));
  if (!least.ok) return refused("CSV version parsing error");
  if (compareVersions(least.value, found.value) > 0)
    return refused(`CSV version requirement not met: minKubeVersion (${wanted}) > server version (${release})`);
  return { met: true, message: `CSV minKubeVersion (${wanted}) less than server version (${server})` };
}

/** `1.36.3` of `v1.36.3-gke.100`. */
export function releaseOf(server: string): string {
  return (server.split("-")[0] ?? "").replace(/^v/, "");
}
