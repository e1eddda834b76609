import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject } from "../src/apis/object.ts";
import { clusterExtensions, installPlans, namespaces, operatorGroups, subscriptions } from "../src/apis/resources.ts";
import type { ResourceType } from "../src/apis/resource-type.ts";
import { createClient, type KubeClient } from "../src/kube/client.ts";
import { httpTransport } from "../src/kube/http-transport.ts";
import { loadKubeconfig } from "../src/kube/kubeconfig.ts";
import { written } from "../src/kube/refusal.ts";
import { repository, startCluster } from "./built-purser.ts";
import type { Figure } from "./figure.ts";

/** Real packages whose newest bundle installs into all namespaces. */
const packages = [
  "argocd-operator",
  "cass-operator-community",
  "cert-manager",
  "clickhouse",
  "grafana-operator",
  "kube-green",
  "loki-operator",
  "node-healthcheck-operator",
  "prometheus",
  "rabbitmq-cluster-operator",
  "limitador-operator",
  "strimzi-kafka-operator",
  "vault-config-operator",
];

/** Thirteen packages installed at once from bundle directories: until all have their plan or are installed, and how long others wait. */
export async function burstFigures(scratch: string, bundles: string, runs: number): Promise<readonly Figure[]> {
  const catalog = writeCatalog(join(scratch, "burst"), bundles);
  const args = ["--ephemeral", "--catalog", `burst=${catalog}`, "--bundles", bundles];
  const cache = join(scratch, "burst-cache");
  const plans: Burst[] = [];
  const extensions: Burst[] = [];
  for (let run = 0; run < runs; run++) {
    plans.push(await onCluster(cache, args, installPlansOfAll));
    extensions.push(await onCluster(cache, args, extensionsOfAll));
  }
  const title = `${packages.length} packages at once`;
  return [
    { name: `${title}, Subscriptions to the last InstallPlan`, unit: "ms", runs: times(plans), goal: 1500 },
    { name: "longest wait of a GET meanwhile", unit: "ms", runs: waits(plans), goal: 50 },
    { name: `${title}, ClusterExtensions until all are rolling out`, unit: "ms", runs: times(extensions), goal: 1500 },
    { name: "longest wait of a GET meanwhile", unit: "ms", runs: waits(extensions), goal: 50 },
  ];
}

interface Burst {
  readonly ms: number;
  readonly longestWaitMs: number;
}

const times = (bursts: readonly Burst[]): readonly number[] => bursts.map(({ ms }) => ms);
const waits = (bursts: readonly Burst[]): readonly number[] => bursts.map(({ longestWaitMs }) => longestWaitMs);

/** A catalog of the newest bundle of each package, in a channel of its own. */
function writeCatalog(folder: string, bundles: string): string {
  const newest = packages.map((name) => join(bundles, name, newestIn(join(bundles, name))));
  const render = ["opm", "render", ...newest, "--alpha-image-ref-template", "example.com/{{.Package}}:v{{.Version}}"];
  const rendered = spawnSync(process.execPath, [join(repository, "dist/purser.js"), ...render], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (rendered.status !== 0) throw new Error(rendered.stderr);
  const blobs = [...rendered.stdout.matchAll(/^\{\n[^]*?^\}\n/gm)].flatMap(([text]) => {
    const { name, package: packageName } = JSON.parse(text) as { readonly name: string; readonly package: string };
    return [
      JSON.stringify({ schema: "olm.package", name: packageName, defaultChannel: "all" }),
      JSON.stringify({ schema: "olm.channel", package: packageName, name: "all", entries: [{ name }] }),
      text,
    ];
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "catalog.json"), blobs.join("\n"));
  return folder;
}

function newestIn(folder: string): string {
  const versions = readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory());
  return versions.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1) ?? "";
}

async function onCluster(
  cache: string,
  args: readonly string[],
  install: (client: KubeClient, signal: AbortSignal) => Promise<void>,
): Promise<Burst> {
  const cluster = await startCluster(cache, args);
  const access = loadKubeconfig({ path: cluster.kubeconfig, env: {} });
  if (!access.ok) throw new Error(`no kubeconfig: ${readFileSync(cluster.kubeconfig, "utf8")}`);
  const transport = httpTransport(access.value);
  const client = createClient(transport, { userAgent: "bench" });
  const signal = AbortSignal.timeout(120_000);
  await createOperatorGroup(client, signal);
  // Catalogs are read at the start; what is measured begins with content that is there.
  await new Promise((done) => setTimeout(done, 3000));
  const probe = probing(client);
  const started = performance.now();
  await install(client, signal);
  const ms = performance.now() - started;
  const longestWaitMs = await probe.stop();
  transport.close();
  await cluster.stop();
  return { ms, longestWaitMs };
}

/** Asks for a namespace again and again, and tells the longest wait. */
function probing(client: KubeClient): { readonly stop: () => Promise<number> } {
  let isDone = false;
  let longest = 0;
  const run = async (): Promise<number> => {
    while (!isDone) {
      const asked = performance.now();
      await client.get(namespaces, { name: "default" });
      longest = Math.max(longest, performance.now() - asked);
      await new Promise((done) => setTimeout(done, 2));
    }
    return longest;
  };
  const running = run();
  return {
    stop() {
      isDone = true;
      return running;
    },
  };
}

async function createOperatorGroup(client: KubeClient, signal: AbortSignal): Promise<void> {
  await create(client, namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "operators" } }, signal);
  const metadata = { name: "all", namespace: "operators" };
  const group = { apiVersion: "operators.coreos.com/v1", kind: "OperatorGroup", metadata, spec: {} };
  await create(client, operatorGroups, group, signal);
}

async function installPlansOfAll(client: KubeClient, signal: AbortSignal): Promise<void> {
  const planned = until(client, installPlans, signal, ({ spec }) => namesOf(spec));
  for (const name of packages) {
    const spec = { name, channel: "all", source: "burst", sourceNamespace: "olm" };
    const metadata = { name, namespace: "operators" };
    const subscription = { apiVersion: "operators.coreos.com/v1alpha1", kind: "Subscription", metadata, spec };
    await create(client, subscriptions, subscription, signal);
  }
  await planned;
}

function namesOf(spec: unknown): readonly string[] {
  return (spec as { readonly clusterServiceVersionNames?: readonly string[] }).clusterServiceVersionNames ?? [];
}

async function extensionsOfAll(client: KubeClient, signal: AbortSignal): Promise<void> {
  const installed = until(client, clusterExtensions, signal, ({ metadata, status }) => {
    const { conditions = [] } = (status ?? {}) as {
      readonly conditions?: readonly { readonly type: string; readonly reason: string }[];
    };
    const moved = conditions.some(({ type, reason }) => type === "Progressing" && reason !== "Retrying");
    return moved ? [metadata.name ?? ""] : [];
  });
  for (const name of packages) {
    const extension = {
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterExtension",
      metadata: { name },
      spec: {
        namespace: "operators",
        serviceAccount: { name: "default" },
        source: { sourceType: "Catalog", catalog: { packageName: name } },
      },
    };
    await create(client, clusterExtensions, extension, signal);
  }
  await installed;
}

/** Until the objects of the type stand for as many names as there are packages. */
async function until<Type extends KubeObject>(
  client: KubeClient,
  type: ResourceType<Type>,
  signal: AbortSignal,
  names: (object: Type & { readonly spec?: unknown; readonly status?: unknown }) => readonly string[],
): Promise<void> {
  const seen = new Set<string>();
  for await (const event of client.watch(type, {}, {}, signal)) {
    if (event.type === "BOOKMARK") continue;
    for (const name of names(event.object as Type)) seen.add(name);
    if (seen.size >= packages.length) return;
  }
}

async function create(client: KubeClient, type: ResourceType, object: object, signal: AbortSignal): Promise<void> {
  written(await client.write({ verb: "create", type, object: object as KubeObject }, signal));
}
