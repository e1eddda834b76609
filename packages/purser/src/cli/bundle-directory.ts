import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { BundleDirectory, BundleFile } from "../bundle/bundle-files.ts";
import { largestBundle } from "../content/bundle/largest-bundle.ts";
import type { Digest } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { compareBytes } from "@purser/kubernetes/text/documents";

const mostFiles = 10_000;

/** True for a directory with both `manifests/` and `metadata/`; any other path is treated as a catalog. */
export function isBundleDirectory(path: string): boolean {
  return ["manifests", "metadata"].every((part) => isDirectory(join(path, part)));
}

/** Whether `path` is a directory; false when it cannot be inspected, as for a symbolic link to itself. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Reads those of `manifests/` and `metadata/` that exist in a bundle directory. Synchronous, for commands that end
 * afterwards. Refuses links out of the directory, sockets and more than 256 MiB. The problem is a sentence with the path.
 */
export function readBundleDirectory(root: string): Result<BundleDirectory, string> {
  const files: BundleFile[] = [];
  const directories: string[] = [];
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  let bytes = 0;
  try {
    const inside = realpathSync(root) + sep;
    for (const path of pathsBelow(root, "", directories)) {
      const real = realpathSync(join(root, path));
      if (!real.startsWith(inside)) return failed(`${join(root, path)} is a link to a file outside of the bundle`);
      const stat = statSync(real);
      if (!stat.isFile()) return failed(`${join(root, path)} is not a regular file`);
      bytes += stat.size;
      if (bytes > largestBundle || files.length >= mostFiles)
        return failed(`${root} has more than ${largestBundle / 1024 / 1024} MiB or ${mostFiles} files`);
      const content = readFileSync(real);
      files.push({ path, bytes: content });
      hash.update(`${path}\0${content.length}\0`).update(content);
    }
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
  return done({ digest: `sha256:${hash.digest("hex")}` as Digest, files, directories });
}

function* pathsBelow(root: string, below: string, directories: string[]): Generator<string> {
  const entries = readdirSync(join(root, below), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => compareBytes(a.name, b.name))) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (below === "" && path !== "manifests" && path !== "metadata") continue;
    if (isDirectory(join(root, path))) {
      directories.push(path);
      // Links to directories are not followed below the top level: they could form a cycle.
      if (entry.isDirectory() || below === "") yield* pathsBelow(root, path, directories);
    } else if (below !== "") yield path;
  }
}
