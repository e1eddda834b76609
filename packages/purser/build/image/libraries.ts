import { posix } from "node:path";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { type Architecture, readElf } from "./elf.ts";
import type { RootFile } from "./root-files.ts";

/**
 * The files and links among `available` that the dynamic linker needs for `program`, through all libraries, by base name. The
 * problem names a library that nobody has, or one for another processor.
 */
export function neededLibraries(
  program: { readonly name: string; readonly bytes: Uint8Array },
  available: readonly RootFile[],
  architecture: Architecture,
): Result<ReadonlySet<string>, string> {
  const byPath = new Map(available.map((file) => [file.path, file]));
  const byName = new Map(available.map((file) => [baseName(file.path), file]));
  const kept = new Set<string>();
  const open: { readonly name: string; readonly bytes: Uint8Array }[] = [program];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { name, bytes } = next;
    const elf = readElf(bytes);
    if (!elf.ok) return failed(`${name} cannot be used: ${elf.problem}`);
    if (elf.value.architecture !== architecture)
      return failed(`${name} is for ${elf.value.architecture}, not ${architecture}`);
    const { interpreter, needed } = elf.value;
    for (const wanted of [...needed, ...(interpreter === undefined ? [] : [baseName(interpreter)])]) {
      if (kept.has(wanted)) continue;
      let found = byName.get(wanted);
      for (let links = 0; found?.kind === "link" && links < mostLinks; links++) {
        kept.add(baseName(found.path));
        found = byPath.get(linkedPath(found.path, found.target));
      }
      if (found?.kind !== "file") return failed(`${name} needs ${wanted}, which no package has`);
      kept.add(baseName(found.path));
      open.push({ name: baseName(found.path), bytes: found.bytes });
    }
  }
  return done(kept);
}

const mostLinks = 8;
const linkedPath = (path: string, target: string): string => posix.resolve("/", posix.dirname(path), target).slice(1);
const baseName = (path: string): string => path.split("/").at(-1) ?? "";
