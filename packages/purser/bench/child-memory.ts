import { readdirSync, readFileSync } from "node:fs";
import { memoryOf } from "../../../bench/built-purser.ts";

/** The highest resident memory that children of a process had, in MB, by a part of their command line. */
export interface ChildMemory {
  readonly peakMB: (entrance: string) => number | undefined;
  readonly stop: () => void;
}

const everyMs = 3;

/** Looks at the children of `pid` until it is stopped; sees nothing on systems other than Linux. */
export function watchChildMemory(pid: number): ChildMemory {
  const peaks = new Map<string, number>();
  const timer = setInterval(() => {
    for (const child of childrenOf(pid))
      try {
        const command = readFileSync(`/proc/${child}/cmdline`, "utf8");
        const peak = memoryOf(child)?.peakMB ?? 0;
        peaks.set(command, Math.max(peak, peaks.get(command) ?? 0));
      } catch {
        // It has ended.
      }
  }, everyMs);
  return {
    peakMB(entrance) {
      const found = [...peaks].flatMap(([command, peak]) => (command.includes(entrance) && peak > 0 ? [peak] : []));
      return found.length === 0 ? undefined : Math.max(...found);
    },
    stop: () => clearInterval(timer),
  };
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
