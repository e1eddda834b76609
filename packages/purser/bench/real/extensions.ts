import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { namespaces } from "@purser/kubernetes/apis/resources";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import type { Figure } from "../../../../bench/figure.ts";
import { deprecate, Installs } from "../extension-installs.ts";
import { writeOperators } from "../scale/operators.ts";
import { bareDeployments } from "./cluster.ts";
import { startCounted } from "./counted-process.ts";

const namespace = "measured-extensions";
const settleMs = 5_000;

/** ClusterExtensions of small operators (ServiceAccount, ClusterRole, ClusterRoleBinding, definition, Deployment) on a cluster that is already there. */
export async function extensionFigures(kubeconfig: string, scratch: string, runs: number): Promise<readonly Figure[]> {
  const access = loadKubeconfig({ path: kubeconfig, env: {} });
  if (!access.ok) throw new Error(`no kubeconfig: ${kubeconfig}`);
  const transport = httpTransport(access.value);
  const client = createClient(transport, { userAgent: "bench" });
  const signal = AbortSignal.timeout(900_000);
  const { args, packages } = writeOperators(join(scratch, "small-operators"), 100, 1, false);
  const cache = join(scratch, "small-operators-cache");
  const names = packages.map(({ name }) => name);
  await ensureNamespace(client, signal);
  const running = await startCounted(
    ["--kubeconfig", kubeconfig, "--install-crds", "--catalog-address", "none", ...args],
    cache,
  );
  try {
    const installs = new Installs(client, namespace, signal);
    await sleep(settleMs);
    const single: number[] = [];
    for (const name of names.slice(0, runs + 1)) {
      single.push(await installs.until([name]));
      await installs.remove([name]);
    }
    const twenty: number[] = [];
    const requests: number[] = [];
    let counted: Readonly<Record<string, number>> = {};
    for (let run = 0; run < runs; run++) {
      const batch = names.slice(10, 30);
      await sleep(settleMs);
      await running.requests();
      twenty.push(await installs.until(batch));
      await sleep(settleMs);
      counted = await running.requests();
      requests.push(sumOf(counted));
      await installs.remove(batch);
    }
    console.error(shown("20 small ClusterExtensions", counted));
    await sleep(settleMs);
    const bare = await bareDeployments(client, namespace, 20);
    await sleep(settleMs);
    const hundred = await installs.until(names);
    await sleep(settleMs * 4);
    await running.requests();
    await sleep(60_000);
    const idle = await running.requests();
    const catalog = join(scratch, "small-operators/catalogs/catalog-00/catalog.json");
    const [changed = ""] = names;
    await running.requests();
    const resolved = await installs.afterChange(changed, () => deprecate(catalog, changed));
    await sleep(settleMs);
    const forChange = await running.requests();
    await installs.remove(names);
    await sleep(settleMs * 4);
    const bareHundred = await bareDeployments(client, namespace, names.length);
    console.error(shown("60 s at rest", idle));
    console.error(shown("a catalog of which one package changes", forChange));
    return [
      { name: "ClusterExtension to `Installed`, probes passed, warm", unit: "ms", runs: single.slice(1), goal: 150 },
      { name: "20 small ClusterExtensions at once until all are `Installed`", unit: "ms", runs: twenty, goal: 1500 },
      { name: "20 Deployments that only this bench creates, until all are available", unit: "ms", runs: [bare] },
      {
        name: "20 small ClusterExtensions over 20 Deployments",
        unit: "x",
        runs: twenty.map((ms) => ms / bare),
        goal: 1.5,
      },
      { name: "requests of the process for these 20", unit: "", runs: requests, goal: 401 },
      {
        name: "100 small ClusterExtensions at once until all are `Installed`",
        unit: "ms",
        runs: [hundred],
        goal: 5000,
      },
      {
        name: "100 Deployments that only this bench creates, until all are available",
        unit: "ms",
        runs: [bareHundred],
      },
      {
        name: "100 small ClusterExtensions over 100 Deployments",
        unit: "x",
        runs: [hundred / bareHundred],
        goal: 1.5,
      },
      {
        name: "requests in 60 s at rest, without those of the Lease",
        unit: "",
        runs: [sumOf(withoutLease(idle))],
        goal: 1,
      },
      {
        name: "changed catalog served until the one affected extension of 100 shows it",
        unit: "ms",
        runs: [resolved],
        goal: 1000,
      },
      {
        name: "requests for that change, without those of the Lease",
        unit: "",
        runs: [sumOf(withoutLease(forChange))],
        goal: 5,
      },
    ];
  } finally {
    await running.stop();
    transport.close();
    rmSync(cache, { recursive: true, force: true });
  }
}

const sumOf = (requests: Readonly<Record<string, number>>): number =>
  Object.values(requests).reduce((sum, count) => sum + count, 0);

const withoutLease = (requests: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(requests).filter(([name]) => !name.endsWith(" leases")));

function shown(title: string, requests: Readonly<Record<string, number>>): string {
  const lines = Object.entries(requests).toSorted(([, one], [, other]) => other - one);
  return [`${title}: ${sumOf(requests)} requests`, ...lines.map(([name, count]) => `  ${count} ${name}`)].join("\n");
}

async function ensureNamespace(client: KubeClient, signal: AbortSignal): Promise<void> {
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  const made = await client.write({ verb: "create", type: namespaces, object }, signal);
  if (!made.ok && made.problem.kind !== "alreadyExists") throw new Error(made.problem.status.message);
}
