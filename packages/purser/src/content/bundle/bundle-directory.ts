import { createHash } from "node:crypto";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import type { BundleFile, BundleFiles } from "../../bundle/bundle-files.ts";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { largestBundle } from "./largest-bundle.ts";

export interface BundleDirectoryProblem {
  readonly cause: string;
  readonly remedy: string;
}

const mostFiles = 10_000;
const fewFiles = 50;

/** Where the bundle of a package and version lies below `directory`; undefined when a name is no path element. */
export function bundlePath(directory: string, packageName: string, version: string): string | undefined {
  const harmless = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._+-]*$/.test(name);
  return harmless(packageName) && harmless(version) ? join(directory, packageName, version) : undefined;
}

/** Reads `manifests/` and `metadata/` of a bundle directory. Links that lead out of it are refused. */
export async function readBundleFiles(directory: string): Promise<Result<BundleFiles, BundleDirectoryProblem>> {
  const refuse = (cause: string, remedy: string): Result<never, BundleDirectoryProblem> => failed({ cause, remedy });
  const files: BundleFile[] = [];
  let bytes = 0;
  try {
    const root = await realpath(directory);
    for (const part of ["manifests", "metadata"]) {
      if (!(await isDirectory(join(directory, part))))
        return refuse(
          `bundle directory ${directory} has no directory ${part}`,
          `Put the bundle's ${part} into ${join(directory, part)}.`,
        );
      for (const path of await filesBelow(directory, part)) {
        const real = await realpath(join(directory, path));
        if (!real.startsWith(root + sep))
          return refuse(
            `${join(directory, path)} is a link to a file outside of the bundle`,
            "Replace the link with the file.",
          );
        const { size } = await stat(real);
        bytes += size;
        if (bytes > largestBundle || files.length >= mostFiles)
          return refuse(
            `bundle directory ${directory} has more than ${largestBundle / 1024 / 1024} MiB or ${mostFiles} files`,
            "Remove files from manifests/ that are not manifests.",
          );
        files.push({ path, bytes: await readFile(real) });
      }
    }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return refuse(`bundle directory ${directory} cannot be read: ${cause}`, `Make ${directory} readable.`);
  }
  if (files.length === 0) return refuse(`bundle directory ${directory} is empty`, "Put a bundle into it.");
  return done({ digest: digestOfFiles(files), files });
}

/** Whether the files of a bundle directory are few and have no more bytes than these; false when it cannot be read. */
export async function isWithin(directory: string, bytes: number): Promise<boolean> {
  let left = bytes;
  let files = 0;
  try {
    for (const part of ["manifests", "metadata"])
      for (const path of await filesBelow(directory, part)) {
        left -= (await stat(join(directory, path))).size;
        if (left < 0 || ++files > fewFiles) return false;
      }
    return true;
  } catch {
    return false;
  }
}

export async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

async function filesBelow(directory: string, part: string): Promise<readonly string[]> {
  const paths: string[] = [];
  const entries = await readdir(join(directory, part), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${part}/${entry.name}`;
    if (entry.isDirectory()) paths.push(...(await filesBelow(directory, path)));
    else if (entry.isFile() || (await stat(join(directory, path))).isFile()) paths.push(path);
  }
  return paths;
}

function digestOfFiles(files: readonly BundleFile[]): BundleFiles["digest"] {
  const hash = createHash("sha256");
  for (const { path, bytes } of files) hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  return `sha256:${hash.digest("hex")}`;
}
