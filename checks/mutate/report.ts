// The result of a run, as text and as JSON.
import type { Mutant } from "./mutants.ts";
import type { Fate, Outcome } from "./record.ts";
import { roomOf } from "./test-order.ts";

export interface Judged {
  readonly mutant: Mutant;
  readonly outcome: Outcome;
}

export interface RunResult {
  readonly version: string;
  readonly seed: number;
  /** Mutants of the path, of which the sample was drawn; those that are not valid code are counted too. */
  readonly candidates: number;
  readonly judged: readonly Judged[];
  /** Judges that fail without a mutant. */
  readonly unusable: readonly string[];
}

interface Tally {
  readonly room: string;
  readonly killed: number;
  readonly timedOut: number;
  readonly survived: number;
  readonly refusedByCompiler: number;
}

/** One line for each room, by name, then one for all of them. */
function talliesOf(judged: readonly Judged[]): readonly Tally[] {
  const rooms = Map.groupBy(judged, ({ mutant }) => roomOf(mutant.path));
  const sorted = [...rooms].sort(([a], [b]) => (a < b ? -1 : 1));
  return [...sorted, ["all", judged] as const].map(([room, some]) => {
    const count = (fate: Fate): number => some.filter(({ outcome }) => outcome.fate === fate).length;
    return {
      room,
      killed: count("killed"),
      timedOut: count("timed out"),
      survived: count("survived"),
      refusedByCompiler: count("refused by the compiler"),
    };
  });
}

/** What the compiler refuses counts on neither side; a mutant that hangs is noticed. */
function rateOf({ killed, timedOut, survived }: Tally): string {
  const all = killed + timedOut + survived;
  return all === 0 ? "-" : `${Math.floor(((killed + timedOut) / all) * 100)} %`;
}

const survivorsOf = (judged: readonly Judged[]): readonly Mutant[] =>
  judged
    .flatMap(({ mutant, outcome }) => (outcome.fate === "survived" ? [mutant] : []))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.start - b.start));

export function textOf({ version, seed, candidates, judged, unusable }: RunResult): string {
  const header = ["room", "killed", "timed out", "survived", "refused by the compiler", "noticed"];
  const rows = talliesOf(judged).map((tally) => [
    tally.room,
    ...[tally.killed, tally.timedOut, tally.survived, tally.refusedByCompiler].map(String),
    rateOf(tally),
  ]);
  const widths = header.map((_name, at) => Math.max(...[header, ...rows].map((row) => row[at]?.length ?? 0)));
  const table = [header, ...rows].map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  "),
  );
  return [
    `version ${version}, seed ${seed}: ${judged.length} of ${candidates} mutants`,
    ...table,
    ...survivorsOf(judged).map(
      ({ path, line, column, operator, before, after }) =>
        `${path}:${line}:${column}  ${operator}: ${short(before)} -> ${short(after)}`,
    ),
    ...unusable.map((name) => `left out, fails without a mutant: ${name}`),
  ].join("\n");
}

const short = (text: string): string => {
  const line = text.replace(/\s+/g, " ");
  return line.length > 100 ? `${line.slice(0, 97)}...` : line;
};

export function jsonOf({ version, seed, candidates, judged, unusable }: RunResult): string {
  const survivors = survivorsOf(judged).map(({ start: _start, end: _end, ...shown }) => shown);
  const rooms = talliesOf(judged).slice(0, -1);
  return JSON.stringify({ version, seed, candidates, judged: judged.length, rooms, survivors, unusable }, null, 2);
}
