// purser version against the embedded cluster, over HTTP as a user runs it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import { deployments } from "@purser/kubernetes/apis/resources";
import { ownLabels } from "../../deploy/labels.ts";
import { ownVersion } from "../own-version.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";

const never = new AbortController().signal;
let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
});
after(() => cluster?.stop());

async function deploy(name: string, image: string): Promise<void> {
  const object: Deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "default", name, labels: ownLabels },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image }] } },
    },
  };
  const created = await cluster.client.write({ verb: "create", type: deployments, object }, never);
  assert.ok(created.ok);
}

test("the controllers of the cluster are shown with their versions, and one that is too far away with a warning", async () => {
  const alone = await cluster.purser(["version"]);
  assert.match(alone.text, /^purser \S+ \(Node \S+\)\ncluster v1\.\d+\.\S+$/);
  await deploy("purser", `example.com/purser:${ownVersion()}`);
  await deploy("purser-digest", `example.com/purser@sha256:${"0".repeat(64)}`);
  await deploy("purser-old", "example.com/purser:9.0.0");
  const ran = await cluster.purser(["version"]);
  assert.equal(ran.exitCode, 0);
  assert.deepEqual(ran.text.trim().split("\n").slice(2), [
    `controllers ${ownVersion()} (Deployment default/purser)`,
    `controllers example.com/purser@sha256:${"0".repeat(64)} (Deployment default/purser-digest)`,
    "controllers 9.0.0 (Deployment default/purser-old): more than one minor version apart from this purser",
  ]);
  const client = await cluster.purser(["version", "--client", "-o", "json"]);
  assert.deepEqual(client.data, { client: { version: ownVersion(), node: process.versions.node } });
});
