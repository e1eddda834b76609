import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { numberIn, objectIn } from "../kinds/decoding/json-parts.ts";
import { Version } from "../storage/version.ts";
import { started } from "../testing/server.ts";
import { addNode, apps, set } from "../testing/sets.ts";

let reads = 0;

/** Counts reads of stored pods. */
for (const name of ["object", "passing"] as const) {
  const property = Object.getOwnPropertyDescriptor(Version.prototype, name);
  Object.defineProperty(Version.prototype, name, {
    get(this: Version) {
      const object = property?.get?.call(this) as KubeObject;
      if (object.kind === "Pod") reads++;
      return object;
    },
  });
}

/** How often each of `pods` pods of an owner is read until the owner is reconciled. */
async function readsPerPod(pods: number, path: string, counter: string, body: JsonObject): Promise<number> {
  const server = await started();
  if (path.endsWith("daemonsets")) for (let node = 1; node < pods; node++) await addNode(server, `node-${node}`);
  await server.server.settled();
  const before = reads;
  const made = await server.ask({ method: "POST", path, body });
  assert.equal(made.code, 201, made.message);
  await server.server.settled();
  const after = reads - before;
  const { object } = await server.ask({ path: `${path}/s` });
  assert.equal(numberIn(objectIn(object, "status"), counter), pods);
  await server.server.stop();
  return after / pods;
}

const job = (pods: number): JsonObject => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "s" },
  spec: {
    completions: pods,
    parallelism: pods,
    template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "registry.example/s:1" }] } },
  },
});

for (const [what, path, counter, bodyFor] of [
  ["Deployment", `${apps}/deployments`, "availableReplicas", (pods) => set("Deployment", { replicas: pods })],
  ["StatefulSet", `${apps}/statefulsets`, "availableReplicas", (pods) => set("StatefulSet", { replicas: pods })],
  ["DaemonSet", `${apps}/daemonsets`, "numberAvailable", () => set("DaemonSet")],
  ["Job", "/apis/batch/v1/namespaces/demo/jobs", "succeeded", job],
] as const satisfies readonly (readonly [string, string, string, (pods: number) => JsonObject])[])
  test(`the number of reads per pod of a ${what} does not grow with the number of pods`, async () => {
    const few = await readsPerPod(12, path, counter, bodyFor(12));
    const many = await readsPerPod(60, path, counter, bodyFor(60));
    assert.ok(many < few + 10, `each of 12 pods is read ${few} times, each of 60 ${many} times`);
  });
