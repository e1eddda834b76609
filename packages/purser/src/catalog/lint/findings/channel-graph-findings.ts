import { nearestNames } from "../../../explanation/nearest-name.ts";
import { compareVersions } from "@purser/kubernetes/version";
import { compareBytes } from "@purser/kubernetes/text/documents";
import { graphProblem } from "../../channel-graph.ts";
import { type ChannelView, documentOf, type EntryView, placeIn } from "../../catalog-view.ts";
import type { Edit } from "../edits/edit.ts";
import type { Finding } from "../finding.ts";
import { listed, quoted } from "../finding-words.ts";

/** All findings about a channel's graph: heads, cycles, stranded entries. `entries` have different names. */
export function channelGraphFindings(channel: ChannelView, entries: readonly EntryView[]): readonly Finding[] {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const skipped = new Set(entries.flatMap(({ skips }) => skips));
  const incoming = new Set([...skipped, ...entries.map(({ replaces }) => replaces).filter((name) => name !== "")]);
  const heads = entries.filter(({ name }) => !incoming.has(name));
  if (heads.length === 0) return [noHead(channel, entries)];
  const findings: Finding[] = heads.length > 1 ? [severalHeads(channel, entries, heads)] : [];
  const visited = new Set(heads.map(({ name }) => name));
  for (const head of heads) {
    const chain = [head.name];
    for (let current: EntryView | undefined = head; current !== undefined;) {
      const { replaces: next, name, pointer }: EntryView = current;
      if (next === "" || skipped.has(next)) break;
      if (chain.includes(next)) {
        const circle = [...chain.slice(chain.indexOf(next)), next];
        findings.push({
          rule: "PCH006",
          message: `channel ${quoted(channel.name)} has a cycle: ${circle.join(" replaces ")}`,
          remedy: `remove from ${name}: replaces: ${next}`,
          place: placeIn(channel.blob, `${pointer}/replaces`),
          bundle: name,
        });
        break;
      }
      // Another head's chain already visited the rest of this chain.
      if (visited.has(next)) break;
      visited.add(next);
      chain.push(next);
      current = byName.get(next);
    }
  }
  const stranded = entries.filter(({ name }) => !visited.has(name) && !skipped.has(name));
  return [...findings, ...stranded.map((entry) => strandedFinding(channel, entry, entries, skipped, heads))];
}

function noHead(channel: ChannelView, entries: readonly EntryView[]): Finding {
  const newest = [...entries].sort(newestFirst)[0];
  const holders = entries.filter(
    (entry) => entry.replaces === newest?.name || entry.skips.includes(newest?.name ?? ""),
  );
  const [holder] = holders;
  const word = holder?.replaces === newest?.name ? "replaces" : "skips";
  return {
    rule: "PCH005",
    message: `channel ${quoted(channel.name)} has no head: every entry is replaced or skipped by another one`,
    ...(newest === undefined || holder === undefined
      ? {}
      : {
          why: `${newest.name}, the highest version, is held back by ${listed(holders.map(({ name }) => name))}`,
          remedy: `remove from ${holder.name}: ${word}: ${newest.name}`,
        }),
    place: placeIn(channel.blob, holder === undefined ? "/entries" : `${holder.pointer}/${word}`),
  };
}

/** By version where both are known, higher ones first; else by name. */
function newestFirst(left: EntryView, right: EntryView): number {
  const [a, b] = [left.bundle?.version, right.bundle?.version];
  if (a === undefined || b === undefined)
    return a === b ? compareBytes(left.name, right.name) : a === undefined ? 1 : -1;
  return compareVersions(b, a) || compareBytes(left.name, right.name);
}

function severalHeads(channel: ChannelView, entries: readonly EntryView[], heads: readonly EntryView[]): Finding {
  const ordered = [...heads].sort(newestFirst);
  const [newest] = ordered;
  const older = ordered.slice(1);
  const names = heads.map(({ name }) => name).sort(compareBytes);
  const message = `channel ${quoted(channel.name)} has ${heads.length === 2 ? "two" : heads.length} heads: ${listed(names)}`;
  const missed = missedEdge(entries, older);
  const why = [
    `nothing replaces or skips ${listed(older.map(({ name }) => name).reverse())}`,
    ...(missed === undefined
      ? []
      : [`${missed.holder.name} replaces ${missed.holder.replaces}, which is not in the channel`]),
  ].join("; ");
  const place = placeIn(channel.blob, `${newest?.pointer ?? "/entries"}/name`);
  if (missed !== undefined) {
    const { holder, meant } = missed;
    const remedy = `correct in ${holder.name}: replaces: ${meant}`;
    const at = placeIn(channel.blob, `${holder.pointer}/replaces`);
    return { rule: "PCH004", message, why, remedy, place: at, bundle: holder.name };
  }
  const repair = newest === undefined ? undefined : joined(channel, entries, newest, older);
  return {
    rule: "PCH004",
    message,
    why,
    ...(repair === undefined ? {} : { remedy: repair.remedy, ...(repair.isSure ? { fix: repair.fix } : {}) }),
    place,
    ...(newest === undefined ? {} : { bundle: newest.name }),
  };
}

/**
 * An edge that most likely meant one of the surplus heads and misspells it: its target is not in the channel, has a name
 * near that of a head, and the edge would lead up. Channels cut off at the bottom have such edges as well, but not to heads.
 */
function missedEdge(entries: readonly EntryView[], older: readonly EntryView[]) {
  const names = new Set(entries.map(({ name }) => name));
  for (const holder of entries) {
    const version = holder.bundle?.version;
    if (holder.replaces === "" || names.has(holder.replaces) || version === undefined) continue;
    const below = older.filter(
      ({ bundle }) => bundle?.version !== undefined && compareVersions(bundle.version, version) < 0,
    );
    const [meant] = nearestNames(
      holder.replaces,
      below.map(({ name }) => name),
      1,
    );
    if (meant !== undefined) return { holder, meant };
  }
  return undefined;
}

/** The newest head takes over the others: it replaces the next one if it replaces nothing yet, and skips the rest. */
function joined(channel: ChannelView, entries: readonly EntryView[], newest: EntryView, older: readonly EntryView[]) {
  const takesOver = newest.replaces === "" ? older[0]?.name : undefined;
  const skips = older.map(({ name }) => name).filter((name) => name !== takesOver);
  const after = entries.map((entry) =>
    entry === newest ? { ...entry, replaces: takesOver ?? entry.replaces, skips: [...entry.skips, ...skips] } : entry,
  );
  const at = { ...documentOf(channel.blob), pointer: newest.pointer, after: "name" };
  const fix: readonly Edit[] = [
    ...(takesOver === undefined ? [] : [{ kind: "setMember", ...at, key: "replaces", value: takesOver } as const]),
    ...skips.map((value) => ({ kind: "appendItem", ...at, key: "skips", value }) as const),
  ];
  const parts = [
    ...(takesOver === undefined ? [] : [`replaces: ${takesOver}`]),
    ...(skips.length === 0 ? [] : [`skips: [${skips.join(", ")}]`]),
  ];
  // Which of two versions is newer must be known, or the edge might point the wrong way.
  const versions = [newest, ...older].map(({ bundle }) => bundle?.version);
  const areOrdered = versions.every((version, index) => {
    const next = versions[index + 1];
    return (
      version !== undefined &&
      (index === versions.length - 1 || (next !== undefined && compareVersions(version, next) > 0))
    );
  });
  return {
    fix,
    remedy: `add to ${newest.name}: ${parts.join(" and ")}`,
    isSure: areOrdered && graphProblem(after) === undefined,
  };
}

function strandedFinding(
  channel: ChannelView,
  entry: EntryView,
  entries: readonly EntryView[],
  skipped: ReadonlySet<string>,
  heads: readonly EntryView[],
): Finding {
  const replacing = entries.filter(({ replaces }) => replaces === entry.name).map(({ name }) => name);
  const passedOver = replacing.filter((name) => skipped.has(name));
  const [head] = heads;
  return {
    rule: "PCH007",
    message: `entry ${quoted(entry.name)} of channel ${quoted(channel.name)} is stranded`,
    why:
      passedOver.length > 0
        ? `${listed(passedOver)}, which replaces it, is skipped itself, so no way leads from it to the head`
        : "no chain of replacements leads from it to the head, and nothing skips it",
    ...(head === undefined || heads.length > 1
      ? {}
      : { remedy: `add to ${head.name}: skips: [${entry.name}], or remove the entry` }),
    place: placeIn(channel.blob, `${entry.pointer}/name`),
    bundle: entry.name,
  };
}
