import { releaseOf } from "../../../../bundle/min-kube-version.ts";
import type { Explanation } from "../../../../explanation/explanation.ts";
import { shellWord, summaryOf } from "../../../../explanation/summary.ts";
import type { RevisionBundle } from "./revision-state.ts";

/**
 * Why a bundle is not rolled out on a cluster that is older than its `minKubeVersion`.
 * @param server `gitVersion` of the API server; undefined when it cannot be read
 */
export function explainKubeVersion(
  { name, packageName }: RevisionBundle,
  wanted: string,
  server: string | undefined,
  upstream: string,
): Explanation {
  const runs = server === undefined ? "an unknown version" : releaseOf(server);
  const text = `${name} needs Kubernetes ${wanted} or newer, and the cluster runs ${runs}`;
  return {
    code: "ClusterIncompatible",
    summary: summaryOf(text),
    facts: { bundle: name, package: packageName, wanted, found: runs },
    derivation: [{ relation: "requires", subject: name, text, upstream }],
    remedies: [
      {
        summary:
          "Name a version that runs on it in spec.source.catalog.version, or upgrade the cluster; to list the versions of the catalogs",
        command: `purser show ${shellWord(packageName)} --versions`,
      },
    ],
  };
}
