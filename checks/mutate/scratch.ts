// A copy of the checkout in which mutants are planted. Sources are copied, installed packages are hard links.
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface Scratch {
  readonly root: string;
  delete(): void;
}

/** Copies what git tracks or would track, with changes that are not committed. */
export function createScratch(checkout: string): Scratch {
  const directory = mkdtempSync(join(tmpdir(), "purser-mutate-"));
  const root = join(directory, "checkout");
  for (const path of sourcesOf(checkout)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    copyFileSync(join(checkout, path), join(root, path));
  }
  for (const below of ["", ...readdirSync(join(checkout, "packages")).map((name) => `packages/${name}`)]) {
    const installed = join(checkout, below, "node_modules");
    if (existsSync(installed)) linkTree(installed, join(root, below, "node_modules"));
  }
  return { root, delete: () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }) };
}

export function sourcesOf(checkout: string): readonly string[] {
  const { stdout, status } = spawnSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: checkout,
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  if (status !== 0) throw new Error(`git ls-files failed in ${checkout}`);
  return [...new Set(stdout.split("\0"))].filter((path) => path !== "" && existsSync(join(checkout, path)));
}

/** Links stay as they are written: those to the workspaces lead to the packages of the copy. */
function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.isDirectory()) {
      if (entry.name !== ".cache") linkTree(source, target);
    } else linkOrCopy(source, target);
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    // Another file system.
    copyFileSync(source, target);
  }
}
