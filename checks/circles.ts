// Files that import one another, directly or through others, cannot be understood or changed alone.
import type { SourceFile } from "./source-files.ts";

/** The circles of imports, type imports and those of tests included; each one's files in the order of the imports. */
export function circles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const targets = new Map(
    files.map(({ path, imports }) => [path, imports.flatMap(({ target }) => target ?? [])] as const),
  );
  /** Depth-first: what is on the path now, and what is finished. */
  const path: string[] = [];
  const finished = new Set<string>();
  const found: string[][] = [];
  const visit = (file: string): void => {
    if (finished.has(file)) return;
    const at = path.indexOf(file);
    if (at >= 0) {
      found.push([...path.slice(at), file]);
      return;
    }
    path.push(file);
    for (const target of targets.get(file) ?? []) visit(target);
    path.pop();
    finished.add(file);
  };
  for (const { path: file } of files) visit(file);
  return found;
}
