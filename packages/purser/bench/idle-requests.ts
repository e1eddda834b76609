import { setTimeout as sleep } from "node:timers/promises";
import { createApiServer } from "@purser/apiserver";
import { improved } from "../src/compat.ts";
import { createContent } from "../src/content/create-content.ts";
import { ensureNamespace, registerCatalog } from "../src/engine/catalog-objects.ts";
import { createDemoObjects, demoWorld } from "../src/engine/demo-world.ts";
import { globalNamespace, systemNamespace } from "../src/engine/own-namespaces.ts";
import { applyOwnCrds } from "../src/engine/own-manifests.ts";
import { startEngine } from "../src/engine/start-engine.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { createClient } from "@purser/kubernetes/kube/client";
import { userIdentities } from "@purser/kubernetes/kube/access/identities";
import type { Transport } from "@purser/kubernetes/kube/transport";
import type { Figure } from "../../../bench/figure.ts";

/** Requests per second that the controllers send while nothing changes: the demo world, 10 s after it is installed. */
export async function idleRequestFigures(cache: string): Promise<readonly Figure[]> {
  const world = demoWorld("default");
  if (world === undefined) throw new Error("there is no demo world");
  const signal = new AbortController().signal;
  let requests = 0;
  const counted =
    (transport: Transport): Transport =>
    (request, until) => {
      requests++;
      return transport(request, until);
    };
  const server = await createApiServer();
  const client = createClient(counted(server.transport()), { userAgent: "purser" });
  const catalog = { namespace: globalNamespace, name: "demo", path: world.catalog };
  const content = createContent({
    catalogs: [catalog],
    bundleFolders: [world.bundles],
    cacheDir: cache,
    clock: systemClock,
  });
  await applyOwnCrds(client, systemClock, signal, improved);
  for (const name of [globalNamespace, systemNamespace]) await ensureNamespace(client, name, signal);
  const engine = startEngine({
    client,
    identities: userIdentities({ client, asUser: (user) => counted(server.transport(user)) }),
    content,
    clock: systemClock,
    entropy: systemEntropy,
    log: () => undefined,
    compat: improved,
    webhookCertificates: "auto",
    globalNamespace,
    systemNamespace,
  });
  await registerCatalog(client, catalog, signal);
  await createDemoObjects(client, world, signal);
  await engine.synced();
  await sleep(10_000);
  const runs: number[] = [];
  for (let second = 0; second < 10; second++) {
    const before = requests;
    await sleep(1000);
    runs.push(requests - before);
  }
  await engine.stop();
  await content.stop();
  await server.stop();
  const mean = runs.reduce((sum, run) => sum + run, 0) / runs.length;
  return [{ name: "API requests of the idle controllers, mean of 10 s, demo", unit: "/s", runs: [mean] }];
}
