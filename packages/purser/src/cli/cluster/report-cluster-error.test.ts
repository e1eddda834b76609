import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { statusOf } from "@purser/kubernetes/apis/status";
import { ApiRefusedError } from "@purser/kubernetes/kube/refusal";
import { clusterFailure } from "./report-cluster-error.ts";

test("a cluster without the definitions is answered with a directory that kubectl can apply", () => {
  const refused = new ApiRefusedError({ kind: "notFound", status: statusOf("NotFound", "no such kind") });
  const found = clusterFailure(refused);
  assert.equal(found?.code, "NotFound");
  const [directory = ""] = found.remedies.flatMap(
    ({ command = "" }) => /^kubectl apply -f (.+)$/.exec(command)?.[1] ?? [],
  );
  assert.ok(readdirSync(directory).includes("operators.coreos.com_subscriptions.yaml"), directory);
});

for (const [message, command] of [
  [
    'subscriptions.operators.coreos.com is forbidden: User "ana" cannot list resource "subscriptions" in API group "operators.coreos.com" at the cluster scope',
    "purser permissions ask list subscriptions.operators.coreos.com",
  ],
  [
    'namespaces "x" is forbidden: User "ana" cannot get resource "namespaces" in API group "" in the namespace "x"',
    "purser permissions ask get namespaces -n x",
  ],
] as const)
  test(`a right that is missing is answered with the command that prints its role: ${command}`, () => {
    const refused = new ApiRefusedError({ kind: "forbidden", status: statusOf("Forbidden", message) });
    const found = clusterFailure(refused);
    assert.equal(found?.code, "Forbidden");
    assert.equal(found.summary, `The cluster refused: ${message}`);
    assert.deepEqual(
      found.remedies.map((remedy) => remedy.command),
      [command],
    );
  });

test("an error that does not come from the cluster is not explained as one", () => {
  assert.equal(clusterFailure(new Error("a bug")), undefined);
});
