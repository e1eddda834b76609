import type { Result } from "@purser/kubernetes/result";
import type { ChannelEntry } from "./channel-entry.ts";
import { done, failed } from "@purser/kubernetes/result";

/** A channel whose entries have no unique order; `message` is upstream's text. */
export interface ChannelOrderProblem {
  readonly kind: "noHead" | "cycle" | "severalChains";
  readonly packageName: string;
  readonly channel: string;
  /** First names of the chains found; the head of a cycle. */
  readonly heads: readonly string[];
  readonly message: string;
}

/** Entries that no other entry replaces or skips, in input order. */
export function channelHeads<Entry extends ChannelEntry>(entries: readonly Entry[]): readonly Entry[] {
  const replaced = new Set<string>();
  for (const entry of entries) {
    if (entry.replaces !== undefined) replaced.add(entry.replaces);
    for (const skip of entry.skips) replaced.add(skip);
  }
  return entries.filter((entry) => !replaced.has(entry.name));
}

/** A chain from head to tail, of which only the ends are kept once there are several. */
interface Chain<Entry> {
  readonly first: Entry | undefined;
  readonly last: Entry | undefined;
}

function describeChain({ first, last }: Chain<ChannelEntry>): string {
  if (first === undefined || last === undefined) return "[]";
  return first === last ? first.name : `${first.name}...${last.name}`;
}

/** Entries walked over before the caller may pause. */
const entriesPerStep = 256;

/**
 * The replacement chain of a channel from head to tail, as OLM v0 orders candidates: skipped entries and those off the chain are left out.
 * An empty channel gives an empty chain; no head, a cycle below a head, or several chains is a problem. Yields now and then:
 * a channel may hold very many entries.
 */
export function* channelOrderSteps<Entry extends ChannelEntry>(
  entries: readonly Entry[],
  channel: string,
  packageName: string,
): Generator<undefined, Result<readonly Entry[], ChannelOrderProblem>> {
  if (entries.length === 0) return done([]);
  let walked = 0;
  const byName = new Map<string, Entry>();
  for (const entry of entries) {
    if (++walked % entriesPerStep === 0) yield;
    byName.set(entry.name, entry);
  }
  const replaced = new Set<Entry>();
  // By name, as upstream: merged channels can hold a name twice.
  const skipped = new Set<string>();
  for (const entry of entries) {
    if (++walked % entriesPerStep === 0) yield;
    const older = entry.replaces === undefined ? undefined : byName.get(entry.replaces);
    if (older !== undefined) replaced.add(older);
    for (const name of entry.skips) {
      const skip = byName.get(name);
      if (skip === undefined) continue;
      replaced.add(skip);
      skipped.add(name);
    }
  }
  const heads = entries.filter((entry) => !replaced.has(entry));
  const where = `channel "${channel}" of package "${packageName}"`;
  if (heads.length === 0) {
    const message = `no channel heads (entries not replaced by another entry) found in ${where}`;
    return failed({ kind: "noHead", packageName, channel, heads: [], message });
  }
  const chains: Chain<Entry>[] = [];
  const order: Entry[] = [];
  for (const head of heads) {
    let first: Entry | undefined;
    let last: Entry | undefined;
    const visited = new Set<Entry>();
    for (let at: Entry | undefined = head; at !== undefined;) {
      if (++walked % entriesPerStep === 0) yield;
      if (visited.has(at)) {
        const message = `a cycle exists in the chain of replacement beginning with "${head.name}" in ${where}`;
        return failed({ kind: "cycle", packageName, channel, heads: [head.name], message });
      }
      visited.add(at);
      if (!skipped.has(at.name)) {
        first ??= at;
        last = at;
        if (heads.length === 1) order.push(at);
      }
      at = at.replaces === undefined ? undefined : byName.get(at.replaces);
    }
    chains.push({ first, last });
  }
  if (chains.length === 1) return done(order);
  const message = `a unique replacement chain within a channel is required to determine the relative order between channel entries, but ${chains.length} replacement chains were found in ${where}: ${chains.map(describeChain).join(", ")}`;
  return failed({ kind: "severalChains", packageName, channel, heads: heads.map((head) => head.name), message });
}

/** {@link channelOrderSteps} in one go. */
export function channelOrder<Entry extends ChannelEntry>(
  entries: readonly Entry[],
  channel: string,
  packageName: string,
): Result<readonly Entry[], ChannelOrderProblem> {
  const steps = channelOrderSteps(entries, channel, packageName);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
