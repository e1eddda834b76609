import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { namespaces } from "@purser/kubernetes/apis/resources";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { kubectlOf, processorMsOf, product, startCluster } from "../../../bench/built-purser.ts";
import type { Figure } from "../../../bench/figure.ts";
import { freePort } from "../src/image/testing/free-port.ts";
import { deprecate, Installs } from "./extension-installs.ts";
import { bareDeployments, create } from "./real/cluster.ts";
import { newestBundles, realPackages, writeRealPackages } from "./real-packages.ts";
import { writeOperators } from "./scale/operators.ts";

const namespace = "measured";
const settleMs = 3_000;

/** ClusterExtensions on the embedded cluster (`purser up`): small operators of five objects, then real packages. */
export async function* embeddedExtensionFigures(
  scratch: string,
  bundles: string,
  runs: number,
): AsyncGenerator<Figure> {
  const root = join(scratch, "embedded-operators");
  const { args, packages } = writeOperators(root, 100, 1, false);
  const names = packages.map(({ name }) => name);
  const twenty: Measured[] = [];
  for (let run = 0; run < runs; run++)
    twenty.push(
      await onCluster(scratch, args, async ({ installs, measured }) => {
        await installs.until(names.slice(0, 1));
        await sleep(settleMs);
        return measured(names.slice(10, 30));
      }),
    );
  yield {
    name: "20 small ClusterExtensions at once until all are `Installed`",
    unit: "ms",
    runs: ms(twenty),
    goal: 1500,
  };
  yield {
    name: "processor time until then, API server included",
    unit: "ms",
    runs: twenty.map((one) => one.processorMs),
  };
  yield {
    name: "requests of the controllers for these 20",
    unit: "",
    runs: twenty.map((one) => one.requests),
    goal: 401,
  };

  const [hundred, change, bare] = await onCluster(scratch, args, async ({ client, installs, measured }) => {
    await installs.until(names.slice(0, 1));
    await installs.remove(names.slice(0, 1));
    await sleep(settleMs);
    const all = await measured(names);
    const catalog = join(root, "catalogs/catalog-00/catalog.json");
    const [changed = ""] = names;
    const resolvedMs = await installs.afterChange(changed, () => deprecate(catalog, changed));
    await sleep(settleMs);
    return [all, resolvedMs, await bareDeployments(client, namespace, names.length)] as const;
  });
  yield {
    name: "100 small ClusterExtensions at once until all are `Installed`",
    unit: "ms",
    runs: [hundred.ms],
    goal: 5000,
  };
  yield { name: "processor time until then, API server included", unit: "ms", runs: [hundred.processorMs] };
  yield { name: "100 Deployments that only this bench creates, until all are available", unit: "ms", runs: [bare] };
  yield {
    name: "changed catalog served until the one affected extension of 100 shows it",
    unit: "ms",
    runs: [change],
    goal: 1000,
  };
  yield* realPackageFigures(scratch, bundles, runs);
}

async function* realPackageFigures(scratch: string, bundles: string, runs: number): AsyncGenerator<Figure> {
  const catalog = writeRealPackages(join(scratch, "embedded-real"), bundles);
  const args = ["--catalog", `real=${catalog}`, "--bundles", bundles];
  const file = join(scratch, "real-objects.json");
  const count = writeObjects(file, bundles);
  const installed: Measured[] = [];
  const created: number[] = [];
  for (let run = 0; run < runs; run++) {
    installed.push(await onCluster(scratch, args, ({ measured }) => measured(realPackages)));
    created.push(await onCluster(scratch, [], ({ kubeconfig }) => Promise.resolve(kubectlCreate(kubeconfig, file))));
  }
  yield {
    name: `${realPackages.length} real packages at once until all are \`Installed\``,
    unit: "ms",
    runs: ms(installed),
  };
  yield {
    name: "processor time until then, API server included",
    unit: "ms",
    runs: installed.map((one) => one.processorMs),
  };
  yield { name: `\`kubectl create\` of the same ${count} objects`, unit: "ms", runs: created };
  yield {
    name: "real packages over `kubectl create`",
    unit: "x",
    runs: installed.map((one, run) => one.ms / (created[run] ?? Number.NaN)),
    goal: 1.5,
  };
}

interface Measured {
  readonly ms: number;
  readonly processorMs: number;
  readonly requests: number;
}

const ms = (all: readonly Measured[]): readonly number[] => all.map((one) => one.ms);

interface MeasuredCluster {
  readonly kubeconfig: string;
  readonly client: KubeClient;
  readonly installs: Installs;
  readonly measured: (names: readonly string[]) => Promise<Measured>;
}

async function onCluster<Value>(
  scratch: string,
  args: readonly string[],
  act: (cluster: MeasuredCluster) => Promise<Value>,
): Promise<Value> {
  const port = await freePort();
  const metrics = ["--metrics-address", `127.0.0.1:${port}`];
  const cluster = await startCluster(join(scratch, "cache"), ["--ephemeral", ...metrics, ...args]);
  const { pid, kubeconfig } = cluster;
  const access = loadKubeconfig({ path: kubeconfig, env: {} });
  if (!access.ok) throw new Error(`no kubeconfig: ${readFileSync(kubeconfig, "utf8")}`);
  const transport = httpTransport(access.value);
  const client = createClient(transport, { userAgent: "bench" });
  try {
    await create(client, namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const installs = new Installs(client, namespace, AbortSignal.timeout(300_000));
    await sleep(settleMs);
    const measured = async (names: readonly string[]): Promise<Measured> => {
      const [processor, requests] = [processorMsOf(pid) ?? 0, await requestsOf(port)];
      const elapsed = await installs.until(names);
      const processorMs = (processorMsOf(pid) ?? 0) - processor;
      await sleep(settleMs);
      return { ms: elapsed, processorMs, requests: (await requestsOf(port)) - requests };
    };
    return await act({ kubeconfig, client, installs, measured });
  } finally {
    transport.close();
    await cluster.stop();
  }
}

async function requestsOf(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return [...text.matchAll(/^purser_api_requests_total\{.*\} (\S+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

/** Writes what the packages put on a cluster as one list; @returns how many objects. Certificates are made at installation and not among them. */
function writeObjects(file: string, bundles: string): number {
  const objects = newestBundles(bundles).flatMap((directory) => {
    const render = ["bundle", "render", directory, "--namespace", namespace, "-o", "json"];
    const rendered = spawnSync(process.execPath, [join(product, "dist/purser.js"), ...render], {
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
    if (rendered.status !== 0) throw new Error(rendered.stderr);
    const { items } = JSON.parse(rendered.stdout) as { readonly items: readonly { readonly kind: string }[] };
    return items.filter(({ kind }) => kind !== "Secret");
  });
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  return objects.length;
}

function kubectlCreate(kubeconfig: string, file: string): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(
    kubectlOf(process.env) ?? "kubectl",
    ["--kubeconfig", kubeconfig, "create", "-f", file],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`kubectl create failed: ${stderr}`);
  return performance.now() - began;
}
