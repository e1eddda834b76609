import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { createClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { memoryOf, product } from "../../../bench/built-purser.ts";
import type { Figure } from "../../../bench/figure.ts";
import { clusterServiceVersions } from "../src/apis/olm-resources.ts";
import { runSettings } from "../build/image/platform-image.ts";
import { freePort } from "../src/image/testing/free-port.ts";
import { createTenant, subscribe } from "./real/cluster.ts";
import { writeOperators } from "./scale/operators.ts";

interface Replica {
  readonly pid: number;
  readonly readyMs: number;
  readonly metricsUrl: string;
  stop(): Promise<void>;
}

export interface ReplicaInputs {
  readonly scratch: string;
  /** Of a kube-apiserver that nobody has used before: what is created stays. */
  readonly kubeconfig: string;
  readonly catalog: string;
}

/** Operators that the leader has installed, as the goal for its memory says, and more of them until `/metrics` has this many series. */
const operators = 20;
const wantedSeries = 1000;
const settleMs = 25_000;

/**
 * Replicas of `purser run` with the settings of the image: start, memory of one that follows and of the leader with {@link operators}
 * operators and one large catalog, and a scrape of its metrics over HTTP.
 */
export async function replicaFigures({ scratch, kubeconfig, catalog }: ReplicaInputs): Promise<readonly Figure[]> {
  const access = loadKubeconfig({ path: kubeconfig, env: {} });
  if (!access.ok) throw new Error(JSON.stringify(access.problem));
  const client = createClient(httpTransport(access.value), { userAgent: "bench" });
  const { args, packages } = writeOperators(scratch, 200, 1);
  const run = [...args, "--catalog", `community=${catalog}`, "--kubeconfig", kubeconfig, "--install-crds"];
  const start = (number: number): Promise<Replica> => startReplica(run, join(scratch, `replica-${number}`));
  // The first start indexes the catalogs and creates the definitions.
  for (const number of [0, 1]) await (await start(number)).stop();
  const alone: number[] = [];
  for (let round = 0; round < 5; round++) {
    const replica = await start(0);
    alone.push(replica.readyMs);
    await replica.stop();
  }
  const leader = await start(0);
  const following: number[] = [];
  let follower = await start(1);
  for (let round = 0; round < 4; round++) {
    following.push(follower.readyMs);
    await follower.stop();
    follower = await start(1);
  }
  try {
    await createTenant(client, "bench-replicas", "all");
    const wanted = packages.map(({ name }) => ({
      namespace: "bench-replicas",
      packageName: name,
      catalog: packages[0]?.catalog ?? "",
      channel: "stable",
    }));
    const first = await subscribe(client, wanted.slice(0, operators));
    await sleep(settleMs);
    const [leaderMB, followerMB] = [memoryOf(leader.pid), memoryOf(follower.pid)];
    const page = async (): Promise<string> => (await fetch(leader.metricsUrl)).text();
    const seriesOf = (text: string): number => text.split("\n").filter((line) => /^[^#]/.test(line)).length;
    for (let next = operators; next < packages.length && seriesOf(await page()) < wantedSeries; next += operators)
      await subscribe(client, wanted.slice(next, next + operators));
    await sleep(settleMs);
    const series = seriesOf(await page());
    const scrapes: number[] = [];
    for (let scrape = 0; scrape < 20; scrape++) {
      // As a scraper: seldom, and not while the page is warm from the last answer.
      await sleep(500);
      const before = performance.now();
      await page();
      scrapes.push(performance.now() - before);
    }
    const installed = (await client.list(clusterServiceVersions, { namespace: "bench-replicas" })).length;
    return [
      { name: "`purser run` to `Ready`, alone, warm cache", unit: "ms", runs: alone, goal: 1000 },
      { name: "the same beside a leader", unit: "ms", runs: following, goal: 1000 },
      { name: `${operators} operators at once on a kube-apiserver`, unit: "ms", runs: [first.succeededMs] },
      { name: "resident memory of the follower", unit: "MB", runs: mb(followerMB), goal: 100 },
      { name: `of the leader, ${operators} operators, v4.20`, unit: "MB", runs: mb(leaderMB), goal: 150 },
      { name: `\`/metrics\`, ${series} series, ${installed} operators`, unit: "ms", runs: scrapes, goal: 20 },
    ];
  } finally {
    await follower.stop();
    await leader.stop();
  }
}

const mb = (memory: ReturnType<typeof memoryOf>): readonly number[] =>
  memory === undefined ? [] : [memory.residentMB];

async function startReplica(args: readonly string[], cache: string): Promise<Replica> {
  const startedAt = performance.now();
  const [metrics, catalogs] = [await freePort(), await freePort()].map((port) => `127.0.0.1:${port}`);
  const image = Object.fromEntries(runSettings.Env.map((line) => line.split("=", 2) as [string, string]));
  const addresses = [`--metrics-address=${metrics}`, `--catalog-address=${catalogs}`, "--no-package-api"];
  const child = spawn(
    process.execPath,
    [join(product, "dist/purser.js"), "run", "--lease-duration=3", ...addresses, ...args],
    {
      env: { ...process.env, ...image, PATH: process.env["PATH"], SSL_CERT_FILE: undefined, PURSER_CACHE_DIR: cache },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  const ended = new Promise<void>((done) => child.on("close", () => done()));
  const readyMs = await new Promise<number>((done, refuse) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (piece: Buffer) => {
        output = `${output}${piece.toString()}`.slice(-10_000);
        if (/^Ready/m.test(output)) done(performance.now() - startedAt);
      });
    void ended.then(() => refuse(new Error(`purser run ended:\n${output}`)));
  });
  return {
    pid: child.pid ?? 0,
    readyMs,
    metricsUrl: `http://${metrics}/metrics`,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
