import { parseVersion } from "@purser/kubernetes/version";
import type { PlacedEntry } from "./channel-graph.ts";
import type { Step } from "./paths.ts";
import type { Candidate, Preference } from "./preference.ts";
import { byPreference, nextUpgrade, upgradesFrom } from "./preference.ts";
import type { PathStart, Scope } from "./scope.ts";
import { installedOf } from "./scope.ts";
import type { Installed } from "./successors.ts";
import { installedFrom } from "./successors.ts";
import type { UpgradeGraph } from "./upgrade-graph.ts";

function preferenceOf(graph: UpgradeGraph, { rules, entries }: Scope): Preference<PlacedEntry> {
  // Bundles stand newest first and then by name, which decides between those of one version.
  const rank = new Map(graph.bundles.map(({ name }, index) => [name, index]));
  const rankOf = ({ entry }: Candidate<PlacedEntry>): number => rank.get(entry.name) ?? rank.size;
  const byName = new Map(graph.bundles.map((bundle) => [bundle.name, bundle]));
  const candidates = entries.map((entry): Candidate<PlacedEntry> => {
    const bundle = byName.get(entry.name);
    const isDeprecated = bundle?.deprecation !== undefined;
    return { entry, installed: installedFrom(entry), precedence: bundle?.precedence, isDeprecated };
  });
  if (rules === "v1") candidates.sort((left, right) => byPreference(left, right) || rankOf(left) - rankOf(right));
  return { rules, candidates };
}

/** The installed bundle; for OLM v1 without its version when it cannot be read strictly. */
function startOf({ rules }: Scope, from: PathStart): Installed {
  const isKnown = rules === "v0" || (from.version !== undefined && parseVersion(from.version).ok);
  return isKnown ? installedOf(from) : { name: from.name, version: undefined };
}

/**
 * The upgrade that OLM chooses when no version is pinned; undefined when there is none, or staying is preferred.
 * @testOnly compared with what both resolvers choose
 */
export function nextUnattended(graph: UpgradeGraph, scope: Scope, from: PathStart): Step<PlacedEntry> | undefined {
  return nextUpgrade(preferenceOf(graph, scope), startOf(scope, from));
}

/** The upgrades that OLM chooses one after the other when no version is pinned, until there is no further one. */
export function unattendedSteps(graph: UpgradeGraph, scope: Scope, from: PathStart): readonly Step<PlacedEntry>[] {
  return upgradesFrom(preferenceOf(graph, scope), startOf(scope, from));
}

/**
 * The default target of upgrades: the head that they end at when no version is pinned, else the head of the first channel
 * that is read. Undefined when there is none.
 */
export function goalOf(graph: UpgradeGraph, scope: Scope, from: PathStart): string | undefined {
  const [first] = scope.channels;
  if (scope.rules === "v0") return scope.entries[0]?.name ?? first?.heads[0];
  const end = unattendedSteps(graph, scope, from).at(-1)?.entry.name ?? from.name;
  return scope.channels.some(({ heads }) => heads.includes(end)) ? end : first?.heads[0];
}
