import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { oneBytePerCharacter } from "../../../build/one-byte-per-character.ts";
import { product, startProcess, type Cluster } from "../../../bench/built-purser.ts";

/**
 * Bundles the API server without engine and command line, with the package's build and launcher.
 * @returns the file to run, like `purser.js up`
 */
export async function buildServerAlone(scratch: string): Promise<string> {
  const dir = join(scratch, "alone");
  mkdirSync(dir, { recursive: true });
  const bundle = await rolldown({
    input: {
      cli: join(import.meta.dirname, "server-alone.ts"),
      "yaml-reader": join(import.meta.dirname, "../src/request/yaml-reader.ts"),
    },
    platform: "node",
    plugins: [oneBytePerCharacter],
    onLog: () => undefined,
  });
  await bundle.write({
    dir,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    minify: "dce-only",
  });
  writeFileSync(join(dir, "package.json"), '{ "type": "module" }\n');
  const launcher = join(dir, "purser.js");
  copyFileSync(join(product, "build/launcher.js"), launcher);
  return launcher;
}

/** Starts it in a process of its own, with its state in `directory`. @param listens as of `startProcess` */
export function startServerAlone(file: string, directory: string, listens = false): Promise<Cluster> {
  return startProcess([file, "up", directory], {}, listens);
}
