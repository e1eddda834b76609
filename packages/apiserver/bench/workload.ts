import { rawClient, type RawClient } from "./raw-client.ts";

export interface WorkloadTimes {
  /** 1,000 ConfigMaps of 1 KB, one after the other, in ms. */
  readonly createsOneByOneMs: number;
  /** 1,000 more with 8 clients at once, in ms. */
  readonly createsByEightMs: number;
  /** One list of 10,000 ConfigMaps of 1 KB without a limit, in ms; the best of five. */
  readonly listMs: readonly number[];
  /** From the request that writes until a watcher has read the event, in ms; one figure per write and watcher. */
  readonly fanOutMs: readonly number[];
}

const objects = 10_000;
const watchers = 100;
const watchedWrites = 50;
const text = "x".repeat(1000);
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text } });

/** The same writes, lists and watches on the server of the kubeconfig, in a namespace of their own. */
export async function runWorkload(kubeconfig: string): Promise<WorkloadTimes> {
  const client = await rawClient(kubeconfig, watchers + 8);
  try {
    await client.send("POST", "/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "bench" },
    });
    const path = "/api/v1/namespaces/bench/configmaps";
    const create = (name: string) => client.send("POST", path, configMap(name));
    for (let warm = 0; warm < 100; warm++) await create(`warm-${warm}`);
    const createsOneByOneMs = await timed(async () => {
      for (let i = 0; i < 1000; i++) await create(`single-${i}`);
    });
    const createsByEightMs = await timed(() => byEight(1000, (i) => create(`eight-${i}`)));
    await byEight(objects - 2100, (i) => create(`more-${i}`));
    const listMs: number[] = [];
    for (let run = 0; run < 6; run++) {
      const ms = await timed(() => client.send("GET", path));
      if (run > 0) listMs.push(ms);
    }
    return { createsOneByOneMs, createsByEightMs, listMs, fanOutMs: await fanOut(client, path) };
  } finally {
    client.close();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function byEight(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 8 }, one));
}

async function fanOut(client: RawClient, path: string): Promise<readonly number[]> {
  const arrivals: number[] = [];
  let written = 0;
  let started = 0;
  let waiting = 0;
  let allSaw: () => void = () => undefined;
  const watches = await Promise.all(
    Array.from({ length: watchers }, () => {
      let seen = 0;
      return client.stream(`${path}?watch=1&fieldSelector=metadata.name%3Dseen&allowWatchBookmarks=false`, (bytes) => {
        const now = performance.now();
        for (const byte of bytes) {
          if (byte !== 10) continue;
          seen++;
          if (seen !== written) continue;
          arrivals.push(now - started);
          if (--waiting === 0) allSaw();
        }
      });
    }),
  );
  for (let write = 0; write < watchedWrites; write++) {
    const everyone = new Promise<void>((resolve) => (allSaw = resolve));
    written = write + 1;
    waiting = watchers;
    started = performance.now();
    if (write === 0) await client.send("POST", path, configMap("seen"));
    else
      await client.send("PUT", `${path}/seen`, {
        ...configMap("seen"),
        data: { text, write: String(write) },
      });
    await everyone;
  }
  for (const watch of watches) watch.close();
  return arrivals;
}
