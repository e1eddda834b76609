import { parseTolerantVersion, parseVersion } from "@purser/kubernetes/version";
import type { BundleSummary, PackageSummary } from "../../catalog/catalog-index.ts";
import { versionsOf } from "../../discovery/package-details.ts";
import { upgradeGraph } from "../../upgrade-graph/upgrade-graph.ts";
import { selectBundles } from "../../upgrade-graph/version-selection.ts";
import type { Installation } from "../../installation/installation.ts";
import { packagePath } from "./package-path.ts";

export const upgradeLevels = ["patch", "minor", "major"] as const;
export type UpgradeLevel = (typeof upgradeLevels)[number];

/**
 * The farthest version on the way to the head of the channel that keeps what the level keeps: `patch` major and minor, `minor` major.
 * Undefined when there is none.
 */
export function levelTarget(
  packages: readonly PackageSummary[],
  { api, version = "" }: Pick<Installation, "api" | "version">,
  channel: string | undefined,
  level: UpgradeLevel,
): string | undefined {
  const from = parseTolerantVersion(version);
  if (!from.ok) return undefined;
  const { major, minor } = from.value;
  return pathOf(packages, { api, version }, channel)
    .filter(({ version: text }) => {
      const to = parseTolerantVersion(text);
      if (!to.ok) return false;
      return level === "major" || (to.value.major === major && (level === "minor" || to.value.minor === minor));
    })
    .at(-1)?.version;
}

type Start = Pick<Installation, "api" | "version">;

/** The bundles on the way to the head of the channel, without the installed one. */
function pathOf(
  packages: readonly PackageSummary[],
  { api, version = "" }: Start,
  channel: string | undefined,
): readonly BundleSummary[] {
  const paths = packages.flatMap((summary) => {
    const path = packagePath(summary, { rules: api, from: version, to: undefined, channel });
    return path.ok ? [path.value.slice(1)] : [];
  });
  return paths[0] ?? [];
}

/**
 * The farthest version on the way to the head of the channel that the text means: `latest`, the beginning of a version (`1.2`), or a
 * range (`1.2.x`, `>=1.2 <1.4`). The text itself when it is a version; undefined when the way has none.
 */
export function meantTarget(
  packages: readonly PackageSummary[],
  from: Start,
  channel: string | undefined,
  text: string,
): string | undefined {
  if (parseVersion(text.replace(/^v/, "")).ok) return text.replace(/^v/, "");
  const path = pathOf(packages, from, channel);
  if (text === "latest" || text === "head") return path.at(-1)?.version;
  const meant = new Set(
    packages.flatMap((summary) =>
      selectBundles(upgradeGraph(versionsOf(summary)), text).map(({ name }) => name as string),
    ),
  );
  return path.filter(({ name }) => meant.has(name)).at(-1)?.version;
}

/** The version after so many upgrades on the way to the head of the channel, or the head; undefined when there is no upgrade. */
export function hopTarget(
  packages: readonly PackageSummary[],
  from: Start,
  channel: string | undefined,
  hops: number,
): string | undefined {
  return pathOf(packages, from, channel).slice(0, hops).at(-1)?.version;
}
