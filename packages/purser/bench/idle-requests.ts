import { setTimeout as sleep } from "node:timers/promises";
import { createApiServer } from "@purser/apiserver";
import { improved } from "../src/compat.ts";
import { createDemoObjects, demoWorld } from "../src/engine/demo-world.ts";
import { globalNamespace } from "../src/apis/own-namespaces.ts";
import { startLifecycle } from "../src/engine/lifecycle.ts";
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
  const started = await startLifecycle(
    {
      client,
      identities: userIdentities({ client, asUser: (user) => counted(server.transport(user)) }),
      catalogs: [{ namespace: globalNamespace, name: "demo", path: world.catalog }],
      bundleDirectories: [world.bundles],
      cacheDirectory: cache,
      clock: systemClock,
      entropy: systemEntropy,
      log: () => undefined,
      compat: improved,
      webhookCertificates: "auto",
    },
    "apply",
    signal,
  );
  if (!started.ok) throw new Error(started.problem.message);
  const { engine, stop } = started.value;
  await createDemoObjects(client, world, globalNamespace, signal);
  await engine.synced();
  await sleep(10_000);
  const runs: number[] = [];
  for (let second = 0; second < 10; second++) {
    const before = requests;
    await sleep(1000);
    runs.push(requests - before);
  }
  await stop();
  await server.stop();
  const mean = runs.reduce((sum, run) => sum + run, 0) / runs.length;
  return [{ name: "API requests of the idle controllers, mean of 10 s, demo", unit: "/s", runs: [mean] }];
}
