import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials } from "@grpc/grpc-js";
import { buildIndex } from "../src/catalog-store/build.ts";
import { openIndex } from "../src/catalog-store/open.ts";
import { memoryOf, product } from "../../../bench/built-purser.ts";
import type { Figure } from "../../../bench/figure.ts";
import { freePort } from "../src/image/testing/free-port.ts";

const flags = ["--disable-warning=ExperimentalWarning"];
const script = (name: string): string => join(product, "bench", name);
/** Served by one process in the larger of the two measurements of memory. */
const manyCatalogs = 6;

/** How fast a stored catalog answers, over gRPC too, and what serving one more takes in memory. */
export async function catalogServingFigures(scratch: string, catalog: string): Promise<readonly Figure[]> {
  const directory = join(scratch, "serving");
  mkdirSync(directory, { recursive: true });
  const { signal } = new AbortController();
  const built = await buildIndex({ directory: catalog, into: join(directory, "indexes"), signal });
  if (!built.ok) throw new Error(JSON.stringify(built.problem[0]));
  const opened = openIndex(built.value.file);
  if (!opened.ok) throw new Error(opened.problem.message);
  const names = opened.value.packages();
  const name = names[Math.floor(names.length / 2)] ?? "";
  opened.value.close();

  const opening = Array.from({ length: 9 }, () => {
    const output = execFileSync(process.execPath, [...flags, script("catalog-open.ts"), built.value.file, name]);
    return (JSON.parse(output.toString()) as { readonly took: number }).took;
  });
  const cache = join(directory, "opm-cache");
  execFileSync(process.execPath, [...opmServe(catalog, ["--cache-dir", cache, "--cache-only"])]);
  const warm: number[] = [];
  const cold: number[] = [];
  for (let run = 0; run < 5; run++) warm.push(await firstAnswer(catalog, ["--cache-dir", cache]));
  for (let run = 0; run < 3; run++) cold.push(await firstAnswer(catalog, []));

  const copies = Array.from({ length: manyCatalogs }, (_, index) => copyOf(catalog, directory, index));
  const first = await servingProcess(join(directory, "cache-0"), copies.slice(0, 1));
  const listing = await listingTimes(first.served[0]?.grpc ?? "", 30);
  first.child.kill();
  const alone: number[] = [];
  const growth: number[] = [];
  for (let run = 1; run <= 3; run++) {
    const one = await settledMemory(await servingProcess(join(directory, `cache-one-${run}`), copies.slice(0, 1)));
    const many = await settledMemory(await servingProcess(join(directory, `cache-many-${run}`), copies));
    if (one === undefined || many === undefined) break;
    alone.push(one);
    growth.push((many - one) / (manyCatalogs - 1));
  }
  return [
    { name: "from opening a stored index to `GetPackage`, fresh process, v4.20", unit: "ms", runs: opening, goal: 50 },
    { name: "`ListBundles` over gRPC, v4.20", unit: "ms", runs: listing, goal: 30 },
    { name: "`opm serve` with a cache, from process start to an answer over gRPC, v4.20", unit: "ms", runs: warm },
    { name: "`opm serve` without a cache, from process start to an answer over gRPC, v4.20", unit: "ms", runs: cold },
    {
      name: `resident memory of the serving process for each further catalog of v4.20's size, built and asked for everything`,
      unit: "MB",
      runs: growth,
      goal: 5,
    },
    {
      name: "resident memory of a process that serves one, asked for everything",
      unit: "MB",
      runs: alone,
    },
  ];
}

/** Arguments of node for the built `opm serve`. */
function opmServe(catalog: string, more: readonly string[]): readonly string[] {
  const quiet = ["--pprof-addr", "", "--termination-log", ""];
  return [join(product, "dist/purser.js"), "opm", "serve", catalog, ...quiet, ...more];
}

/** From the start of the process to the answer of a first call; the server ends afterwards. */
async function firstAnswer(catalog: string, more: readonly string[]): Promise<number> {
  const port = await freePort();
  const start = performance.now();
  const child = spawn(process.execPath, opmServe(catalog, ["--port", String(port), ...more]), {
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const line of createInterface({ input: child.stderr })) if (line.includes("serving registry")) break;
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  await listBundles(client, "/api.Registry/ListPackages");
  const took = performance.now() - start;
  client.close();
  child.kill();
  return took;
}

/** A catalog of the same size with a digest of its own. */
function copyOf(catalog: string, directory: string, index: number): string {
  const copy = join(directory, `catalog-${index}`);
  cpSync(catalog, copy, { recursive: true });
  execFileSync("chmod", ["-R", "u+w", copy]);
  const first = readdirSync(copy).length;
  appendFileSync(join(copy, "note.yaml"), `schema: acme.note\nname: copy-${index}-${first}\n`);
  return copy;
}

interface Serving {
  readonly child: ChildProcess;
  readonly served: readonly { readonly grpc: string; readonly http: string }[];
}

async function servingProcess(cache: string, catalogs: readonly string[]): Promise<Serving> {
  const child = spawn(process.execPath, [...flags, script("catalog-serving-process.ts"), cache, ...catalogs], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, served: JSON.parse(line) as Serving["served"] };
  }
  throw new Error("the serving process ended");
}

/** Milliseconds from the call to the end of the stream; the first few warm both ends up. */
async function listingTimes(address: string, repeats: number): Promise<readonly number[]> {
  const client = new Client(address, credentials.createInsecure());
  const times: number[] = [];
  for (let run = 0; run < repeats + 10; run++) {
    const start = performance.now();
    await listBundles(client);
    if (run >= 10) times.push(performance.now() - start);
  }
  client.close();
  return times;
}

function listBundles(client: Client, path = "/api.Registry/ListBundles"): Promise<number> {
  const asIs = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve, reject) => {
    let messages = 0;
    client
      .makeServerStreamRequest(path, asIs, asIs, Buffer.alloc(0))
      .on("data", () => messages++)
      .on("error", reject)
      .on("end", () => resolve(messages));
  });
}

/** Both processes answer as often as this, whatever they serve: what is compared is the catalogs, not the traffic. */
const questions = manyCatalogs * 5;

/** Asks for everything over both APIs many times, each catalog as often, lets the process rest, and reads its memory. */
async function settledMemory({ child, served }: Serving): Promise<number | undefined> {
  try {
    for (let round = 0; round < questions / served.length; round++)
      for (const { grpc, http } of served) {
        const client = new Client(grpc, credentials.createInsecure());
        await listBundles(client);
        client.close();
        await (await fetch(http)).arrayBuffer();
      }
    await sleep(5000);
    return memoryOf(child.pid ?? 0)?.residentMB;
  } finally {
    child.kill();
  }
}
