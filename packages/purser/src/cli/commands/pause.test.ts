// pause and resume against the embedded cluster with the demo, over HTTP as a user runs them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clusterExtensions } from "../../apis/olm-resources.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { isPaused } from "../../apis/v1/paused.ts";
import { UsageError } from "../command.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";

const never = new AbortController().signal;
const held: ClusterExtension = {
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterExtension",
  metadata: { name: "held" },
  spec: { namespace: "default", source: { sourceType: "Catalog", catalog: { packageName: "ballast-cache" } } },
};

let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
  const created = await cluster.client.write({ verb: "create", type: clusterExtensions, object: held }, never);
  assert.ok(created.ok);
});
after(() => cluster?.stop());

const purser = (...args: readonly string[]) => cluster.purser(args);
const paused = async (): Promise<boolean> => {
  const extension = await cluster.client.get(clusterExtensions, { name: "held" });
  return extension !== undefined && isPaused(extension);
};

test("pause sets the annotation, resume removes it, and each says when there is nothing to do", async () => {
  const rows: readonly (readonly [command: string, text: RegExp, isPaused: boolean])[] = [
    ["resume", /^ext\/held is not paused$/, false],
    ["pause", /paused ext\/held; purser resume ext\/held$/, true],
    ["pause", /^ext\/held is paused already$/, true],
    ["resume", /resumed ext\/held; purser status ext\/held$/, false],
  ];
  for (const [command, text, expected] of rows) {
    const ran = await purser(command, "ext/held", "--yes");
    assert.equal(ran.exitCode, 0);
    assert.match(ran.text.trim(), text);
    assert.equal(await paused(), expected, command);
  }
});

test("a Subscription is not paused, and the refusal says what holds back its upgrades", async () => {
  await assert.rejects(purser("pause", "demo-logbook/logbook-db", "--yes"), (error: unknown) => {
    assert.ok(error instanceof UsageError);
    assert.equal(error.message, "only a ClusterExtension can be paused, and sub/demo-logbook/logbook-db is not one");
    assert.equal(error.hints[0], "to hold back its upgrades: purser hold sub/demo-logbook/logbook-db");
    return true;
  });
});
