// node catalogs-measured.js parse|load|cores DIRECTORY: one measurement in a fresh process, as a line of JSON.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CatalogEntry } from "../src/catalog/model.ts";
import { validateCatalog } from "../src/catalog/validate.ts";
import { readCatalogEntries } from "../src/catalog-store/read/read-catalog.ts";
import { readEntriesOnAllCores } from "../src/catalog-store/read/read-on-all-cores.ts";

export interface Measured {
  readonly blobs: number;
  readonly ms: number;
  /** Of all threads. */
  readonly cpuMs: number;
  readonly peakMiB: number;
}

/** The denominator: read, decode and parse JSON blob by blob, for a catalog of objects that end with `}` on its line. */
function parseJsonBlobs(root: string): number {
  let blobs = 0;
  for (const file of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const bytes = readFileSync(join(file.parentPath, file.name));
    for (let start = 0, end = 0; ; start = end + 3, blobs++) {
      end = bytes.indexOf("\n}\n", start);
      if (end === -1) break;
      JSON.parse(bytes.toString("utf8", start, end + 2));
    }
  }
  return blobs;
}

async function loadAndValidate(root: string, onAllCores: boolean): Promise<number> {
  const entries: CatalogEntry[] = [];
  for (const entry of onAllCores ? await readEntriesOnAllCores(root) : readCatalogEntries(root)) {
    if (!entry.ok) throw new Error(JSON.stringify(entry.problem));
    entries.push(entry.value);
  }
  const [problem] = validateCatalog(entries);
  if (problem !== undefined) throw new Error(JSON.stringify(problem));
  return entries.length;
}

/** Read from the system, because the value of `getrusage` includes the process that started this one. */
function peakMiB(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS / 1024;
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
}

const [mode, root = ""] = process.argv.slice(2);
const started = performance.now();
const before = process.cpuUsage();
const blobs = mode === "parse" ? parseJsonBlobs(root) : await loadAndValidate(root, mode === "cores");
const ms = performance.now() - started;
const { user, system } = process.cpuUsage(before);
const measured: Measured = {
  blobs,
  ms,
  cpuMs: (user + system) / 1000,
  peakMiB: peakMiB(),
};
process.stdout.write(JSON.stringify(measured));
