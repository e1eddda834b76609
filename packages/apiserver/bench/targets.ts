import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryOf } from "../../../bench/built-purser.ts";
import type { Figure } from "../../../bench/figure.ts";
import { percentile } from "../../../bench/figure.ts";
import { startServerAlone } from "./alone.ts";
import { rawClient, type RawClient } from "./raw-client.ts";

/** Small objects, as in the reference measurements. */
const text = "x".repeat(200);
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text } });
const directory = "/api/v1/namespaces/targets/configmaps";

/** Durations of one run, by name; reported as median and, where there is a goal for it, 99th percentile. */
type Times = Record<string, number[]>;

/**
 * Targets of the API server beyond the ratios to kube-apiserver: the server alone, with requests from this process over
 * TLS.
 */
export async function targetFigures(scratch: string, file: string, repeats: number): Promise<readonly Figure[]> {
  const all: Times = {};
  const note = (name: string, value: number): void => void (all[name] ??= []).push(value);
  for (let run = -1; run < repeats; run++) {
    const data = join(scratch, `targets-${run}`);
    for (const start of ["cold start", "start with the keys of a former one"]) {
      const server = await startServerAlone(file, data);
      const client = await rawClient(server.kubeconfig, 120);
      await client.send("GET", "/readyz");
      // The first round fills the file cache.
      if (run >= 0) note(start, performance.now() - server.startedAt);
      if (run >= 0 && start !== "cold start") {
        await sleep(1000);
        note("idle", memoryOf(server.pid)?.residentMB ?? Number.NaN);
        await measure(client, note, () => memoryOf(server.pid)?.residentMB ?? Number.NaN);
      }
      client.close();
      await server.stop();
    }
  }
  const row = (name: string, key: string, goal: number, unit: Figure["unit"] = "ms"): Figure => ({
    name: `API server alone: ${name}`,
    unit,
    runs: all[key] ?? [],
    goal,
  });
  return [
    row("start to `/readyz`, new data directory", "cold start", 300),
    row("the same without making keys", "start with the keys of a former one", 120),
    row("create of a small object, 99th percentile of 1,000", "create p99", 3),
    row("fill with 7,000 by 16 clients, ms per 1,000", "fill", 400),
    row("list of 10,000 small ones, the first", "list cold", 150),
    row("list of 10,000 small ones, later", "list", 60),
    row("the same in pages of 500", "pages", 120),
    row("list of 10,000 with a selector that matches none", "selector", 10),
    row("GET, median", "GET p50", 0.5),
    row("GET, 99th percentile", "GET p99", 2),
    row("JSON merge patch, median", "JMP p50", 1),
    row("JSON merge patch, 99th percentile", "JMP p99", 3),
    row("create until 1 watcher has the event, median", "watch 1", 1.5),
    row("create until the last of 10 has it, median", "watch 10", 1.5),
    row("create until the last of 100 has it, median", "watch 100", 4),
    row("definition created until Established", "definition", 5),
    row("Deployment created until available", "deployment", 20),
    row("deletion of a namespace with 10 objects", "namespace", 50),
    row("resident memory, idle", "idle", 120, "MB"),
    row("resident memory after all that, with 20,000 small objects", "full", 260, "MB"),
  ];
}

type Note = (name: string, value: number) => void;

async function measure(client: RawClient, note: Note, residentMB: () => number): Promise<void> {
  await client.send("POST", "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "targets" },
  });
  const create = (name: string) => client.send("POST", directory, configMap(name));
  for (let warm = 0; warm < 1000; warm++) await create(`warm-${warm}`);
  note("create p99", percentile(await each(1000, (i) => create(`one-${i}`)), 0.99));
  for (const watchers of [1, 10, 100]) note(`watch ${watchers}`, percentile(await watched(client, watchers), 0.5));
  note("fill", (await timed(() => by(16, 7000, (i) => create(`fill-${i}`)))) / 7);
  await by(8, 850, (i) => create(`more-${i}`));
  note("list cold", await timed(() => client.send("GET", directory)));
  note("list", percentile(await each(5, () => client.send("GET", directory)), 0.5));
  note("pages", percentile(await each(5, () => pages(client)), 0.5));
  note("selector", percentile(await each(20, () => client.send("GET", `${directory}?labelSelector=no%3Done`)), 0.5));
  const gets = await each(2000, (i) => client.send("GET", `${directory}/fill-${(i * 37) % 7000}`));
  note("GET p50", percentile(gets, 0.5));
  note("GET p99", percentile(gets, 0.99));
  const patch = (i: number) =>
    client.ask(
      "PATCH",
      `${directory}/fill-${(i * 37) % 7000}`,
      { data: { i: String(i) } },
      "application/merge-patch+json",
    );
  const patches = await each(1000, patch);
  note("JMP p50", percentile(patches, 0.5));
  note("JMP p99", percentile(patches, 0.99));
  note("definition", percentile(await each(10, (i) => definition(client, i)), 0.5));
  note("deployment", percentile(await each(10, (i) => deployment(client, i)), 0.5));
  const deletions: number[] = [];
  for (let i = 0; i < 5; i++) deletions.push(await namespaceDeletion(client, `going-${i}`));
  note("namespace", percentile(deletions, 0.5));
  await by(16, 10_000, (i) => create(`twenty-${i}`));
  note("full", residentMB());
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function each(count: number, work: (index: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) times.push(await timed(() => work(i)));
  return times;
}

async function by(clients: number, count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: clients }, one));
}

async function pages(client: RawClient): Promise<void> {
  let token = "";
  do {
    const page = await client.ask("GET", `${directory}?limit=500${token === "" ? "" : `&continue=${token}`}`);
    token = page.metadata?.continue ?? "";
  } while (token !== "");
}

/** From the sending of a create until the last watcher has its event; one figure per create. */
async function watched(client: RawClient, watchers: number): Promise<number[]> {
  let waiting = 0;
  let all: () => void = () => undefined;
  const watches = await Promise.all(
    Array.from({ length: watchers }, () =>
      client.stream(`${directory}?watch=1&allowWatchBookmarks=false&labelSelector=seen`, (bytes) => {
        for (const byte of bytes) if (byte === 10 && --waiting === 0) all();
      }),
    ),
  );
  const times = await each(50, async (i) => {
    const everyone = new Promise<void>((resolve) => (all = resolve));
    waiting = watchers;
    const { metadata, ...rest } = configMap(`watched-${watchers}-${i}`);
    await client.send("POST", directory, { ...rest, metadata: { ...metadata, labels: { seen: "" } } });
    await everyone;
  });
  for (const watch of watches) watch.close();
  return times;
}

async function until(client: RawClient, path: string, holds: (status: Status) => boolean): Promise<void> {
  for (;;) {
    const { status } = await client.ask("GET", path);
    if (status !== undefined && holds(status)) return;
  }
}

type Status = NonNullable<Awaited<ReturnType<RawClient["ask"]>>["status"]>;

async function definition(client: RawClient, i: number): Promise<void> {
  const [plural, group] = [`things${i}`, "targets.example.org"];
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await client.send("POST", path, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind: `Thing${i}` },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  });
  await until(client, `${path}/${plural}.${group}`, ({ conditions = [] }) =>
    conditions.some(({ type, status }) => type === "Established" && status === "True"),
  );
}

async function deployment(client: RawClient, i: number): Promise<void> {
  const path = "/apis/apps/v1/namespaces/targets/deployments";
  const labels = { app: `d-${i}` };
  await client.send("POST", path, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `d-${i}` },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i:1" }] } },
    },
  });
  await until(client, `${path}/d-${i}`, ({ availableReplicas }) => availableReplicas === 1);
}

async function namespaceDeletion(client: RawClient, name: string): Promise<number> {
  await client.send("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const path = `/api/v1/namespaces/${name}`;
  for (let i = 0; i < 10; i++) await client.send("POST", `${path}/configmaps`, configMap(`c-${i}`));
  return timed(async () => {
    await client.send("DELETE", path);
    for (;;)
      try {
        await client.send("GET", path);
      } catch {
        return;
      }
  });
}
