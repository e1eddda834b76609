import { createHash } from "node:crypto";
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { BundleDirectory, BundleFile } from "../bundle/bundle-files.ts";
import { largestBundle } from "../content/bundle-folder.ts";
import type { Digest } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { compareBytes } from "@purser/kubernetes/text/documents";

const mostFiles = 10_000;

/** True for a folder with both `manifests` and `metadata`; anything else is taken for a catalog. */
export function isBundleDirectory(path: string): boolean {
  return ["manifests", "metadata"].every((part) => isFolder(join(path, part)));
}

/** False for what cannot be looked at as well, such as a link that leads back to itself. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Reads `manifests/` and `metadata/` of a bundle directory, as far as they are there, for a command that ends with it.
 * Links out of the directory, sockets and more than 256 MiB are refused. The problem is a sentence with the path.
 */
export function readBundleDirectory(root: string): Result<BundleDirectory, string> {
  const files: BundleFile[] = [];
  const folders: string[] = [];
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    const inside = realpathSync(root) + sep;
    for (const path of pathsBelow(root, "", folders)) {
      const real = realpathSync(join(root, path));
      if (!real.startsWith(inside)) return failed(`${join(root, path)} is a link that leads out of the bundle`);
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
  return done({ digest: `sha256:${hash.digest("hex")}` as Digest, files, folders });
}

function* pathsBelow(root: string, below: string, folders: string[]): Generator<string> {
  const entries = readdirSync(join(root, below), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => compareBytes(a.name, b.name))) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (below === "" && path !== "manifests" && path !== "metadata") continue;
    if (isFolder(join(root, path))) {
      folders.push(path);
      // A link to a folder could lead round in a circle.
      if (entry.isDirectory() || below === "") yield* pathsBelow(root, path, folders);
    } else if (below !== "") yield path;
  }
}
