import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { done, type Result } from "@purser/kubernetes/result";
import { digestOfSources } from "./read-sources.ts";
import type { RootFile } from "./root-files.ts";
import type { BundledPackage } from "./sbom.ts";

const packageFolder = resolve(import.meta.dirname, "../..");
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
    await promisify(execFile)(process.execPath, [resolve(packageFolder, "build/bundle.ts"), dist]);
    const bundled = JSON.parse(readFileSync(join(dist, "third-parties.json"), "utf8")) as readonly BundledPackage[];
    const manifest = readFileSync(join(packageFolder, "package.json"));
    const files = [
      ...filesBelow(dist, "dist").filter(({ path }) => !leftOut.has(path.slice("dist/".length))),
      ...["crds", "demo"].flatMap((name) => filesBelow(join(packageFolder, name), name)),
      { path: "package.json", kind: "file", bytes: manifest } as const,
      { path: "LICENSE", kind: "file", bytes: readFileSync(join(packageFolder, "../../LICENSE")) } as const,
    ];
    const { version } = JSON.parse(manifest.toString()) as { readonly version: string };
    const sources = digestOfSources(join(dist, "sources.json"), packageFolder);
    return sources.ok ? done({ version, files, bundled, sources: sources.value }) : sources;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function filesBelow(folder: string, prefix: string): readonly RootFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile()) return [];
    const file = join(entry.parentPath, entry.name);
    const path = `${prefix}${file.slice(folder.length)}`;
    return [{ path, kind: "file", bytes: readFileSync(file), executable: path === "dist/purser.js" }];
  });
}
