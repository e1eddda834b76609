// purser doctor against the embedded cluster, over HTTP as a user runs it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";

const never = new AbortController().signal;
let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
});
after(() => cluster?.stop());

test("the demo cluster has a line for each check, and the clock of its API server is compared", async () => {
  const ran = await cluster.purser(["doctor"]);
  const lines = ran.text.trim().split("\n");
  assert.match(lines[0] ?? "", /^ok rights  \d{3} rights of the user of this kubeconfig$/);
  for (const name of ["definitions", "versions", "managers", "clock", "certificates"])
    assert.equal(lines.filter((line) => line.startsWith(`ok ${name}  `)).length, 1, ran.text);
  assert.ok(ran.text.includes("ok clock  the API server and this machine agree"), ran.text);
});

test("a definition that lacks a field is a problem with a command, and the exit code is 10", async () => {
  const type = customResourceDefinitions;
  const key = { name: "updatepolicies.purser.dev" };
  const path = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/reason";
  const patched = await cluster.client.write(
    { verb: "patch", type, key, patch: [{ op: "remove", path }], patchType: "json" },
    never,
  );
  assert.ok(patched.ok, JSON.stringify(patched));
  const ran = await cluster.purser(["doctor", "-o", "json"]);
  assert.equal(ran.exitCode, 10);
  const { kind, checks } = ran.data as unknown as {
    readonly kind: string;
    readonly checks: readonly { readonly name: string; readonly findings: readonly object[] }[];
  };
  assert.equal(kind, "DoctorReport");
  assert.deepEqual(checks.find(({ name }) => name === "definitions")?.findings, [
    {
      severity: "problem",
      object: "CustomResourceDefinition updatepolicies.purser.dev",
      summary: "is older: it lacks field spec.reason",
      remedy: "purser crds apply, which keeps stored objects",
    },
  ]);
});
