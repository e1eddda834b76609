import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { done, type Result } from "@purser/kubernetes/result";
import { digestOfSources } from "./read-sources.ts";
import type { RootFile } from "./root-files.ts";
import type { BundledPackage } from "./sbom.ts";

const packageDirectory = resolve(import.meta.dirname, "../..");
/** What only a checkout reads. */
const leftOut = new Set(["sources.json", "third-parties.json"]);

export interface Product {
  readonly version: string;
  readonly files: readonly RootFile[];
  readonly bundled: readonly BundledPackage[];
  /** Digest of the sources by names and content. */
  readonly sources: string;
}

/** Purser, bundled anew from this checkout: what its package on npm holds. The problem says which source changed meanwhile. */
export async function productFiles(): Promise<Result<Product, string>> {
  const scratch = mkdtempSync(join(tmpdir(), "purser-image-"));
  try {
    const dist = join(scratch, "dist");
    await promisify(execFile)(process.execPath, [resolve(packageDirectory, "build/bundle.ts"), dist]);
    const bundled = JSON.parse(readFileSync(join(dist, "third-parties.json"), "utf8")) as readonly BundledPackage[];
    const manifest = readFileSync(join(packageDirectory, "package.json"));
    const files = [
      ...filesBelow(dist, "dist").filter(({ path }) => !leftOut.has(path.slice("dist/".length))),
      ...["crds", "demo"].flatMap((name) => filesBelow(join(packageDirectory, name), name)),
      { path: "package.json", kind: "file", bytes: manifest } as const,
      { path: "LICENSE", kind: "file", bytes: readFileSync(join(packageDirectory, "../../LICENSE")) } as const,
    ];
    const { version } = JSON.parse(manifest.toString()) as { readonly version: string };
    const sources = digestOfSources(join(dist, "sources.json"), packageDirectory);
    return sources.ok ? done({ version, files, bundled, sources: sources.value }) : sources;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function filesBelow(directory: string, prefix: string): readonly RootFile[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile()) return [];
    const file = join(entry.parentPath, entry.name);
    const path = `${prefix}${file.slice(directory.length)}`;
    return [{ path, kind: "file", bytes: readFileSync(file), executable: path === "dist/purser.js" }];
  });
}
