import { compareVersions, parseTolerantVersion } from "@purser/kubernetes/version";
import { counted, listOf } from "../../explanation/summary.ts";
import type { HeldVersions } from "../../policy/held-versions.ts";
import type { PolicyBundle } from "../../policy/verdict.ts";

/** Limits of what is shown; `-o json` has all. */
const mostReasons = 3;
const mostVersions = 3;

/** The bundles with a version above the installed one (without one: all), the newest first, each version once. */
export function newerBundles(bundles: readonly PolicyBundle[], installed: string | undefined): readonly PolicyBundle[] {
  const base = installed === undefined ? undefined : parseTolerantVersion(installed);
  const unique = new Map(bundles.map((bundle) => [bundle.version, bundle]));
  return [...unique.values()]
    .flatMap((bundle) => {
      const version = parseTolerantVersion(bundle.version);
      if (!version.ok) return [];
      const isNewer = base?.ok !== true || compareVersions(version.value, base.value) > 0;
      return isNewer ? [{ bundle, version: version.value }] : [];
    })
    .toSorted((left, right) => compareVersions(right.version, left.version))
    .map(({ bundle }) => bundle);
}

/** Which newer versions policies hold back and why, and which they allow: a line for each reason. */
export function newerLines(newer: readonly PolicyBundle[], held: readonly HeldVersions[]): readonly string[] {
  if (newer.length === 0) return ["  newer     the catalogs have no newer version"];
  const versions = (names: readonly PolicyBundle[]): string =>
    listOf(
      names.map(({ version }) => version),
      mostVersions,
    );
  const reasons = held.flatMap(({ bundles, reason }) => {
    const own = newer.filter(({ name }) => bundles.includes(name));
    return own.length === 0 ? [] : [`  held      ${versions(own)}: ${reason}`];
  });
  const more = reasons.length - mostReasons;
  const allowed = newer.filter(({ name }) => !held.some(({ bundles }) => bundles.includes(name)));
  return [
    ...reasons.slice(0, mostReasons),
    ...(more > 0 ? [`            and ${counted(more, "more reason")}: -o json`] : []),
    `  allowed   ${allowed.length === 0 ? "no newer version" : versions(allowed)}`,
  ];
}
