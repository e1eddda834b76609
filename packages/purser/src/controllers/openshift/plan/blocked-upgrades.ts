import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ClusterVersion } from "../../../apis/openshift.ts";
import { maxOpenShiftVersion, nextMinor, supports } from "./max-openshift-version.ts";

/** An installed bundle, as far as updates of the cluster depend on it. */
export interface InstalledBundle {
  /** As users name it: `NAMESPACE/NAME` of a ClusterServiceVersion, the name of a ClusterExtension. */
  readonly name: string;
  /** The annotation with its properties; undefined when it has none. */
  readonly properties: string | undefined;
}

/** Reason and message of `Upgradeable=False`. */
export interface UpgradeBlock {
  readonly reason: "IncompatibleOperatorsInstalled" | "ErrorCheckingOperatorCompatibility";
  readonly message: string;
}

/**
 * Why the cluster must not be updated to its next minor version; undefined when nothing blocks it. A bundle whose property cannot
 * be read blocks as well, and so does a cluster whose version is unknown. Reasons and texts are those of OLM's ClusterOperator
 * controller; bundles with unreadable properties come first, each group sorted by name.
 * @param kind what the bundles are called: `ClusterServiceVersions`, `ClusterExtensions`
 */
export function upgradeBlock(
  kind: string,
  bundles: readonly InstalledBundle[],
  cluster: ClusterVersion | undefined,
): UpgradeBlock | undefined {
  const next = nextOf(cluster);
  if (!next.ok)
    return {
      reason: "ErrorCheckingOperatorCompatibility",
      message: `Encountered errors while checking compatibility with the next minor version of OpenShift: ${next.problem}`,
    };
  const unreadable: string[] = [];
  const tooOld: string[] = [];
  for (const { name, properties } of bundles.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const most = maxOpenShiftVersion(properties);
    if (!most.ok) unreadable.push(`- ${name} has invalid olm.maxOpenShiftVersion properties: ${most.problem}`);
    else if (most.value !== undefined && !supports(most.value, next.value))
      tooOld.push(`- maximum supported OCP version for ${name} is ${most.value.major}.${most.value.minor}`);
  }
  if (unreadable.length + tooOld.length === 0) return undefined;
  const wanted = `${next.value.major}.${next.value.minor}.0`;
  const lines = [`${kind} blocking minor version upgrades to ${wanted} or higher:`, ...unreadable, ...tooOld];
  return { reason: "IncompatibleOperatorsInstalled", message: lines.join("\n") };
}

function nextOf(cluster: ClusterVersion | undefined): ReturnType<typeof nextMinor> {
  if (cluster === undefined) return failed('ClusterVersion "version" does not exist');
  const version = cluster.status?.desired?.version ?? "";
  if (version === "") return failed('ClusterVersion "version" has no desired version in its status');
  const next: Result<Parameters<typeof supports>[1], string> = nextMinor(version);
  return next.ok ? done(next.value) : failed(`cluster version has invalid desired release version: ${next.problem}`);
}
