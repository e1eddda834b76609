import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { repository, startProcess, type Cluster } from "../built-purser.ts";

/** Builds the API server without engine and command line, as the package is built. @returns the file to run. */
export async function buildServerAlone(scratch: string): Promise<string> {
  const dir = join(scratch, "alone");
  mkdirSync(dir, { recursive: true });
  const bundle = await rolldown({
    input: { "server-alone": join(repository, "bench/apiserver/server-alone.ts") },
    platform: "node",
    onLog: () => undefined,
  });
  await bundle.write({
    dir,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name].mjs",
    minify: "dce-only",
  });
  return join(dir, "server-alone.mjs");
}

/** In a process of its own, with its state in `folder`. */
export function startServerAlone(file: string, folder: string): Promise<Cluster> {
  return startProcess([file, folder], {});
}
