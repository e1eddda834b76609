// A directory that holds more files than a reader can keep in mind is divided by subject.
import { dirname } from "node:path";

const most = 25;

/** One problem per directory of a package's `src` with more than 25 source files, sorted by directory; tests do not count. */
export function largeDirectories(paths: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (!path.includes("/src/") || path.endsWith(".test.ts")) continue;
    const directory = dirname(path);
    counts.set(directory, (counts.get(directory) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > most)
    .map(([directory, count]) => `${directory}: ${count} files; divide what is more than ${most} into sub-rooms`)
    .sort();
}
