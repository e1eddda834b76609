// archive against the embedded cluster with the demo, over HTTP as a user runs it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clusterObjectSets } from "../../apis/olm-resources.ts";
import type { ClusterObjectSet } from "../../apis/v1/cluster-object-set.ts";
import { UsageError } from "../command.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";

const never = new AbortController().signal;
const loose = (name: string): ClusterObjectSet => ({
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterObjectSet",
  metadata: { name },
  spec: { lifecycleState: "Active", collisionProtection: "Prevent", revision: 1 },
});

let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
  for (const name of ["loose-1", "kept-1"]) {
    const created = await cluster.client.write({ verb: "create", type: clusterObjectSets, object: loose(name) }, never);
    assert.ok(created.ok);
  }
});
after(() => cluster?.stop());

const stateOf = async (name: string): Promise<string | undefined> =>
  (await cluster.client.get(clusterObjectSets, { name }))?.spec?.lifecycleState;

test("archive sets the state, and says when there is nothing to do, also as JSON", async () => {
  const first = await cluster.purser(["archive", "loose-1", "--yes"]);
  assert.deepEqual([first.exitCode, await stateOf("loose-1")], [0, "Archived"]);
  assert.match(first.text.trim(), /archived loose-1$/);
  assert.match(first.errors, /^Archive loose-1\n {2}deletes {2}those of its 0 objects that no newer revision controls/);
  const second = await cluster.purser(["archive", "loose-1", "--yes", "-o", "json"]);
  assert.deepEqual([second.exitCode, second.data], [0, { revision: "loose-1", changed: false }]);
});

test("archive asks first, and changes nothing without a yes", async () => {
  await assert.rejects(cluster.purser(["archive", "kept-1"]), UsageError);
  const declined = await cluster.purser(["archive", "kept-1"], "n");
  assert.deepEqual([declined.exitCode, declined.text.trim()], [1, "Nothing was changed."]);
  assert.equal(await stateOf("kept-1"), "Active");
});

test("archive of a revision that does not exist proposes near names with exit code 6", async () => {
  const missing = await cluster.purser(["archive", "kept-2", "--yes"]);
  assert.equal(missing.exitCode, 6);
  assert.match(
    missing.errors,
    /There is no ClusterObjectSet "kept-2"\n {2}do {4}purser archive kept-1 .*\n {2}or {4}kubectl get/,
  );
});

test("archive of the newest revision of an extension says that another one follows", async () => {
  const name = "apart-1";
  const labels = { "olm.operatorframework.io/owner-name": "elsewhere" };
  for (const [number, own] of [
    [1, name],
    [2, "apart-2"],
  ] as const) {
    const object = loose(own);
    const spec = { ...object.spec, revision: number } as NonNullable<ClusterObjectSet["spec"]>;
    const created = await cluster.client.write(
      { verb: "create", type: clusterObjectSets, object: { ...object, metadata: { name: own, labels }, spec } },
      never,
    );
    assert.ok(created.ok);
  }
  const follows = /then {5}ClusterExtension elsewhere creates another revision/;
  assert.doesNotMatch((await cluster.purser(["archive", name, "--yes"])).errors, follows);
  const newest = await cluster.purser(["archive", "apart-2", "--yes"]);
  assert.match(newest.errors, follows);
  assert.match(newest.text.trim(), /archived apart-2; purser status ext\/elsewhere$/);
});
