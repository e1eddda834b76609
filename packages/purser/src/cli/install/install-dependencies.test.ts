// install of a ClusterExtension whose bundle requires another one that becomes ready late, never, or is deleted meanwhile.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { namespaces } from "@purser/kubernetes/apis/resources";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { clusterExtensions } from "../../apis/olm-resources.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { exitCodes } from "../exit-code.ts";
import { type CorpusCluster, startCorpusCluster } from "../remedies/testing/corpus-cluster.ts";
import { changes, deletes, space } from "../remedies/testing/live-world.ts";

const never = new AbortController().signal;
const namespace = "lean-system";
let cluster: CorpusCluster;
before(async () => {
  cluster = await startCorpusCluster();
});
after(() => cluster.stop());
// Package lean requires package kiln, which is installed into the same namespace.
beforeEach(() => cluster.create(space(namespace, { "sim/result": "never-ready" })));
afterEach(() => cluster.clear());

const args = ["install", "lean", "-n", namespace, "--as-extension"];
const installing = [...args, "--dependencies", "install", "--yes"];
const waits =
  "ext/lean  Installing  DependencyMissing: lean.v1.0.0 requires package kiln >=1.0.0; ClusterExtension kiln is being installed for it. Wait for it: purser status ext/kiln";

async function comes(what: string, is: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await is()); tries++) {
    assert.ok(tries < 3000, what);
    await systemClock.sleep(50, never);
  }
}

const held = (name: string): Promise<ClusterExtension | undefined> => cluster.client.get(clusterExtensions, { name });
const awaits = (): Promise<void> =>
  comes(
    "it does not wait for kiln",
    async () =>
      (await held("lean"))?.status?.conditions?.some(({ message }) => /is being installed for it/.test(message)) ===
      true,
  );

/** Pods of the namespace become ready from now on. */
const podsAreReady = changes(namespaces, { name: namespace }, { metadata: { annotations: { "sim/result": null } } });

test("a dependency that becomes ready late is awaited", async () => {
  const running = cluster.purser(installing);
  await awaits();
  // Longer than the time after which a command gives up on what is blocked.
  await systemClock.sleep(3_500, never);
  await podsAreReady(cluster);
  const { exitCode, text, errors } = await running;
  assert.deepEqual([exitCode, text], [0, "ok lean 1.0.0 is ready as ext/lean"], errors);
  assert.ok(errors.includes(waits), errors);
});

test("a dependency that never becomes ready is awaited until the time is over", async () => {
  const { exitCode, errors } = await cluster.purser([...installing, "--timeout", "4s"]);
  assert.equal(exitCode, exitCodes.timeout, errors);
  assert.ok(errors.includes(waits), errors);
  assert.equal(
    errors.trimEnd().split("\n").at(-1),
    "attention ext/lean is not ready yet; the installation continues in the cluster. purser status ext/lean",
  );
});

test("a dependency that is deleted while it is awaited is installed again", async () => {
  const running = cluster.purser(installing);
  await awaits();
  const uid = (await held("kiln"))?.metadata.uid;
  await deletes(clusterExtensions, { name: "kiln" })(cluster);
  await comes("kiln is not created again", async () => ![undefined, uid].includes((await held("kiln"))?.metadata.uid));
  await podsAreReady(cluster);
  const { exitCode, text, errors } = await running;
  assert.deepEqual([exitCode, text], [0, "ok lean 1.0.0 is ready as ext/lean"], errors);
});

test("a dependency that is paused while it is awaited ends the wait with the command that resumes it", async () => {
  const running = cluster.purser(installing);
  await awaits();
  await cluster.purser(["pause", "ext/kiln", "--yes"]);
  const { exitCode, errors } = await running;
  assert.equal(exitCode, exitCodes.failed, errors);
  const cause =
    "lean.v1.0.0 requires package kiln >=1.0.0; ClusterExtension kiln, which is to provide it, is stuck: it is paused. Resume it: purser resume ext/kiln";
  assert.equal(
    errors.split("\n").find((line) => line.startsWith("failed")),
    `failed ext/lean is Blocked: DependencyMissing: ${cause}`,
  );
});

test("without --dependencies nothing is written, and both ways to get the dependency are named", async () => {
  const { exitCode, errors } = await cluster.purser([...args, "--yes"]);
  assert.deepEqual([exitCode, await held("lean"), await held("kiln")], [exitCodes.failed, undefined, undefined]);
  assert.deepEqual(
    errors.split("\n").map((line) => line.replaceAll(/ {2,}/g, "  ")),
    [
      "failed ClusterExtension lean would get lean.v1.0.0, which requires package kiln >=1.0.0, and the cluster has none  DependencyMissing",
      "  do  purser install 'kiln@>=1.0.0' -n lean-system --as-extension  Install kiln, which provides package kiln >=1.0.0",
      "  or  purser install lean --dependencies install -n lean-system --as-extension  Have it installed",
    ],
  );
});
