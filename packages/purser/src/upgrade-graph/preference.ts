import type { Precedence } from "./bundle-order.ts";
import { compareNewestFirst, precedenceOfVersion } from "./bundle-order.ts";
import type { ChannelEntry, EdgeKind } from "./channel-entry.ts";
import type { Step } from "./paths.ts";
import type { Rules } from "./rules.ts";
import type { Installed } from "./successors.ts";
import { edgeFrom } from "./successors.ts";

/** An entry that may be chosen, with the facts that the choice depends on. */
export interface Candidate<Entry extends ChannelEntry> {
  readonly entry: Entry;
  /** The same once it is installed. */
  readonly installed: Installed;
  readonly precedence: Precedence | undefined;
  readonly isDeprecated: boolean;
}

/** Candidates under one set of rules, the most preferred first: OLM v0 goes by the channel's order, OLM v1 by {@link byPreference}. */
export interface Preference<Entry extends ChannelEntry> {
  readonly rules: Rules;
  readonly candidates: readonly Candidate<Entry>[];
}

type Weighed = Pick<Candidate<ChannelEntry>, "precedence" | "isDeprecated">;

/** As OLM v1 prefers them: not deprecated first, then the newest; those without a readable version last. */
export function byPreference(left: Weighed, right: Weighed): number {
  return (
    Number(left.isDeprecated) - Number(right.isDeprecated) || compareNewestFirst(left.precedence, right.precedence)
  );
}

interface Chosen<Entry extends ChannelEntry> {
  readonly candidate: Candidate<Entry>;
  readonly kind: EdgeKind;
}

function choose<Entry extends ChannelEntry>(
  { rules, candidates }: Preference<Entry>,
  from: Installed,
): Chosen<Entry> | undefined {
  // OLM v1 refuses to upgrade from a version that it cannot read.
  if (rules === "v1" && from.version === undefined) return undefined;
  const kept = rules === "v1" && from.version !== undefined ? precedenceOfVersion(from.version) : undefined;
  for (const candidate of candidates) {
    const { entry, precedence } = candidate;
    const isOwn = entry.name === from.name;
    // OLM v1 may always keep the installed version, and does so unless a successor is preferred.
    if (kept !== undefined && (isOwn || compareNewestFirst(precedence, kept) === 0)) return undefined;
    const kind = edgeFrom(entry, from);
    // Under OLM v0 an entry whose range contains its own version succeeds itself, before the entries behind it.
    if (kind !== undefined) return isOwn ? undefined : { candidate, kind };
  }
  return undefined;
}

const stepOf = <Entry extends ChannelEntry>(from: string, { candidate, kind }: Chosen<Entry>): Step<Entry> => ({
  from,
  kind,
  entry: candidate.entry,
});

/** The upgrade that OLM chooses when no version is pinned; undefined when there is none, or staying is preferred. */
export function nextUpgrade<Entry extends ChannelEntry>(
  preference: Preference<Entry>,
  from: Installed,
): Step<Entry> | undefined {
  const chosen = choose(preference, from);
  return chosen === undefined ? undefined : stepOf(from.name, chosen);
}

/** The upgrades that OLM chooses one after the other when no version is pinned, until there is no further one. */
export function upgradesFrom<Entry extends ChannelEntry>(
  preference: Preference<Entry>,
  from: Installed,
): readonly Step<Entry>[] {
  const steps: Step<Entry>[] = [];
  const visited = new Set([from.name]);
  for (let at = from; ;) {
    const chosen = choose(preference, at);
    if (chosen === undefined || visited.has(chosen.candidate.entry.name)) return steps;
    visited.add(chosen.candidate.entry.name);
    steps.push(stepOf(at.name, chosen));
    at = chosen.candidate.installed;
  }
}
