import { parseVersion } from "../version.ts";
import { compareNewestFirst, precedenceOf } from "./bundle-order.ts";
import type { PlacedEntry } from "./channel-graph.ts";
import type { GraphBundle } from "./graph-bundle.ts";
import type { Step } from "./paths.ts";
import type { PathStart, Scope } from "./scope.ts";
import { installedOf } from "./scope.ts";
import { edgeFrom } from "./successors.ts";
import type { UpgradeGraph } from "./upgrade-graph.ts";

/** Bundles as OLM v1 prefers them: not deprecated first, then the newest; those without a readable version last. */
function preferred(graph: UpgradeGraph, names: Iterable<string>): readonly GraphBundle[] {
  const wanted = new Set(names);
  return graph.bundles
    .filter(({ name }) => wanted.has(name))
    .toSorted(
      (left, right) =>
        Number(left.deprecation !== undefined) - Number(right.deprecation !== undefined) ||
        compareNewestFirst(left.precedence, right.precedence),
    );
}

/** The upgrade that is taken when nobody chooses; undefined when there is none, or staying is preferred. */
export function nextUnattended(graph: UpgradeGraph, scope: Scope, from: PathStart): Step<PlacedEntry> | undefined {
  const installed = installedOf(from);
  const steps = scope.entries.flatMap((entry): readonly Step<PlacedEntry>[] => {
    const kind = edgeFrom(entry, installed);
    return kind === undefined || entry.name === from.name ? [] : [{ from: from.name, kind, entry }];
  });
  if (scope.rules === "v0") return steps[0];
  // OLM v1 refuses to go on from a version that it cannot read.
  if (from.version === undefined || !parseVersion(from.version).ok) return undefined;
  const staying = scope.entries.some(({ name }) => name === from.name) ? [from.name] : [];
  const best = preferred(graph, [...staying, ...steps.map(({ entry }) => entry.name)])[0];
  const own = precedenceOf(from.version);
  const same = best !== undefined && compareNewestFirst(best.precedence, own) === 0;
  return same ? undefined : steps.find(({ entry }) => entry.name === best?.name);
}

/** Upgrade after upgrade as they are taken when nobody chooses, until none is. */
export function unattendedSteps(graph: UpgradeGraph, scope: Scope, from: PathStart): readonly Step<PlacedEntry>[] {
  const steps: Step<PlacedEntry>[] = [];
  const visited = new Set([from.name]);
  for (let at = from; ;) {
    const step = nextUnattended(graph, scope, at);
    if (step === undefined || visited.has(step.entry.name)) return steps;
    visited.add(step.entry.name);
    steps.push(step);
    at = step.entry;
  }
}

/**
 * Where upgrades aim when nothing else is asked for: the head that they end at when nobody chooses, else the head of the
 * first channel that is read. Undefined where there is none.
 */
export function goalOf(graph: UpgradeGraph, scope: Scope, from: PathStart): string | undefined {
  const [first] = scope.channels;
  if (scope.rules === "v0") return scope.entries[0]?.name ?? first?.heads[0];
  const end = unattendedSteps(graph, scope, from).at(-1)?.entry.name ?? from.name;
  return scope.channels.some(({ heads }) => heads.includes(end)) ? end : first?.heads[0];
}
