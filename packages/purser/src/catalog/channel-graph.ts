import { compareBytes } from "@purser/kubernetes/text/documents";

/** A channel entry with its edges. */
export interface GraphEntry {
  readonly name: string;
  readonly replaces: string;
  readonly skips: readonly string[];
}

/**
 * The first broken invariant of a channel's upgrade graph, in upstream's words: one head, no cycle below it, nothing
 * stranded. `skipRange` makes no edges here. Not to be called for an empty channel.
 */
export function graphProblem(entries: readonly GraphEntry[]): string | undefined {
  const { heads, skipped, byName } = survey(entries);
  const [head] = heads;
  if (head === undefined || heads.length > 1) return headProblem(entries);
  const chain = [head];
  const visited = new Set(chain);
  for (let current = byName.get(head); current !== undefined; current = byName.get(current.replaces)) {
    const next = current.replaces;
    if (skipped.has(next)) break;
    if (visited.has(next))
      return `detected cycle in replaces chain of upgrade graph: ${[...chain.slice(chain.indexOf(next)), next].join(" -> ")}`;
    visited.add(next);
    chain.push(next);
  }
  const stranded = [...byName.keys()].filter((name) => !visited.has(name) && !skipped.has(name)).sort(compareBytes);
  return stranded.length === 0 ? undefined : `channel contains one or more stranded bundles: ${stranded.join(", ")}`;
}

/** Why a channel has no single head, in upstream's words; undefined when it has one. */
export function headProblem(entries: readonly GraphEntry[]): string | undefined {
  const { heads } = survey(entries);
  if (heads.length === 0) return "no channel head found in graph";
  return heads.length > 1 ? `multiple channel heads found in graph: ${heads.join(", ")}` : undefined;
}

interface Survey {
  readonly byName: ReadonlyMap<string, GraphEntry>;
  readonly skipped: ReadonlySet<string>;
  /** Entries that no other one replaces or skips, sorted. */
  readonly heads: readonly string[];
}

function survey(entries: readonly GraphEntry[]): Survey {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const skipped = new Set(entries.flatMap((entry) => entry.skips));
  const incoming = new Set([...skipped, ...entries.map((entry) => entry.replaces).filter((name) => name !== "")]);
  const heads = [...byName.keys()].filter((name) => !incoming.has(name)).sort(compareBytes);
  return { byName, skipped, heads };
}
