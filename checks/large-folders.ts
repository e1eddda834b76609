// A folder that holds more files than a reader can keep in mind is divided by subject.
import { dirname } from "node:path";

const most = 25;

/** One problem per folder of a package's `src` with more than 25 source files, sorted by folder; tests do not count. */
export function largeFolders(paths: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (!path.includes("/src/") || path.endsWith(".test.ts")) continue;
    const folder = dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > most)
    .map(([folder, count]) => `${folder}: ${count} files; divide what is more than ${most} into sub-rooms`)
    .sort();
}
