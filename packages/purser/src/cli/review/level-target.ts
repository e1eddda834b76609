import { parseTolerantVersion } from "@purser/kubernetes/version";
import type { PackageSummary } from "../../catalog/catalog-index.ts";
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
  const paths = packages.flatMap((summary) => {
    const path = packagePath(summary, { rules: api, from: version, to: undefined, channel });
    return path.ok ? [path.value.slice(1)] : [];
  });
  return (paths[0] ?? [])
    .filter(({ version: text }) => {
      const to = parseTolerantVersion(text);
      if (!to.ok) return false;
      return level === "major" || (to.value.major === major && (level === "minor" || to.value.minor === minor));
    })
    .at(-1)?.version;
}
