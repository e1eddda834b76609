/** One measured quantity: its runs, and the goal it is held against. */
export interface Figure {
  readonly name: string;
  readonly unit: "ms" | "MB" | "MiB" | "/s" | "%" | "x" | "";
  readonly runs: readonly number[];
  /** The median must lie below it. */
  readonly goal?: number;
}

export function median(runs: readonly number[]): number {
  const sorted = runs.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** `share` from 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const shown = (value: number): string =>
  Math.abs(value) < 1 ? value.toFixed(2) : Math.abs(value) < 10 ? value.toFixed(1) : String(Math.round(value));

/** A row of the table in RESULTS.md. */
export function rowOf({ name, unit, runs, goal }: Figure): string {
  if (runs.length === 0) return `| ${name} | not measured | | | |`;
  const middle = median(runs);
  const verdict = goal === undefined ? "" : middle < goal ? "met" : "**missed**";
  const range = `${shown(Math.min(...runs))} to ${shown(Math.max(...runs))}`;
  return `| ${name} | ${shown(middle)} ${unit} | ${range} (${runs.length} runs) | ${goal === undefined ? "" : `< ${goal} ${unit}`} | ${verdict} |`;
}
