// Change plans: of an upgrade compared with the live objects of the embedded API server, and of a path of 20 upgrades.
import { join } from "node:path";
import { createApiServer } from "@purser/apiserver";
import { asKubeObject } from "@purser/kubernetes/apis/object";
import { parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import { invariant } from "@purser/kubernetes/invariant";
import { createClient } from "@purser/kubernetes/kube/client";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import { written } from "@purser/kubernetes/kube/refusal";
import type { Figure } from "../../../bench/figure.ts";
import { readBundle } from "../src/bundle/read-bundle.ts";
import { readBundleDirectory } from "../src/cli/bundle-directory.ts";
import { ensureNamespace } from "../src/engine/catalog-objects.ts";
import type { ChangePlan, ReviewedBundle } from "../src/review/change-plan/change-plan.ts";
import { extensionObjects } from "../src/rollout/review/extension-objects.ts";
import { liveObjects } from "../src/rollout/review/live-objects.ts";
import { reviewChanges } from "../src/rollout/review/review-changes.ts";

const never = new AbortController().signal;
const [packageName, namespace] = ["argocd-operator", "ops"];

function versionIn(root: string, version: string): ReviewedBundle {
  const directory = readBundleDirectory(join(root, packageName, version));
  invariant(directory.ok, "a bundle that can be read");
  const bundle = readBundle(directory.value);
  invariant(bundle.ok, "a bundle without faults");
  const objects = extensionObjects(bundle.value, version, { name: packageName, namespace });
  invariant(objects.ok, "a bundle that can be rendered");
  const base = { csv: bundle.value.csv, objects: objects.value, granted: objects.value, deprecations: [] };
  return { name: `${packageName}.v${version}`, version, ...base, stays: () => false };
}

/** After this no further run begins: a busy machine has fewer runs, not none. */
const patienceMs = 60_000;

/** Milliseconds of each run but the first, which compiles; on a slow machine fewer than asked for, at least one. */
async function timesOf(
  what: string,
  runs: number,
  work: () => Promise<unknown> | ChangePlan,
): Promise<readonly number[]> {
  const times: number[] = [];
  const began = performance.now();
  for (let run = 0; run <= runs; run++) {
    const started = performance.now();
    await work();
    const took = performance.now() - started;
    if (run > 0) times.push(took);
    if (run > 0 && run < runs && performance.now() - began > patienceMs) {
      console.error(`${what}: ended after ${run} of ${runs} runs, the last of ${Math.round(took)} ms`);
      break;
    }
  }
  return times;
}

/**
 * Yields each figure once it is measured.
 * @param bundles directories `<package>/<version>`
 */
export async function* planFigures(bundles: string, runs: number): AsyncGenerator<Figure, undefined> {
  const [from, to, other] = ["0.17.0", "0.18.0", "0.16.0"].map((version) => versionIn(bundles, version));
  invariant(from !== undefined && to !== undefined && other !== undefined, "three versions");
  const server = await createApiServer();
  try {
    const client = createClient(server.transport());
    await ensureNamespace(client, namespace, never);
    const discovery = createDiscovery(client);
    for (const json of from.objects) {
      // Its certificate is issued in the roll-out.
      if (json["type"] === "kubernetes.io/tls") continue;
      const object = asKubeObject(json);
      invariant(object !== undefined, "a bundle holds objects");
      const gvk = { ...parseApiVersion(object.apiVersion ?? ""), kind: object.kind ?? "" };
      const type = await discovery.typeOf(gvk);
      invariant(type !== undefined, "a kind that is served");
      written(await client.write({ verb: "create", type, object }, never));
    }
    const rest = { installation: `ext/${packageName}`, options: {}, dependencies: [] };
    const count = to.objects.length;
    const one = `plan of an upgrade of ${count} objects, live`;
    const live = await timesOf(one, runs, async () => {
      const found = await liveObjects(client, [...from.objects, ...to.objects]);
      return reviewChanges({ ...rest, from, path: [to], ...found });
    });
    yield { name: one, unit: "ms", runs: live, goal: 100 };
    const path = Array.from({ length: 19 }, (_, hop) => [to, other, from][hop % 3] ?? to);
    const twenty = `plan of 20 upgrades of ${count} objects each`;
    const hops = await timesOf(twenty, runs, () => reviewChanges({ ...rest, from, path: [to, ...path] }));
    yield { name: twenty, unit: "ms", runs: hops, goal: 1000 };
  } finally {
    await server.stop();
  }
}
