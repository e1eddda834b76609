import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordingCluster } from "../../conformance/suites/v0/recording-cluster.ts";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { StepStatus } from "../apis/v0/install-plan.ts";
import { parseCompat } from "../compat.ts";
import { executeCrdStep } from "./crd-step.ts";

const name = "foos.g.io";
const unready: CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name },
  spec: {
    group: "g.io",
    names: { kind: "Foo", plural: "foos" },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
  status: { conditions: [], storedVersions: ["v1"] },
};

/** Where a step that waits stands after one pass. */
async function after(switches: string, ...held: readonly CustomResourceDefinition[]): Promise<string> {
  const { status, writes } = await afterStep("WaitingForApi", switches, held);
  assert.deepEqual(writes, []);
  return status;
}

async function afterStep(
  status: StepStatus,
  switches: string,
  held: readonly CustomResourceDefinition[],
): Promise<{ readonly status: string; readonly writes: readonly string[] }> {
  const compat = parseCompat(switches);
  assert.ok(compat.ok);
  const cluster = new RecordingCluster(held);
  const resource = { sourceName: "cat", sourceNamespace: "olm", group: "apiextensions.k8s.io", version: "v1" };
  const outcome = await executeCrdStep(
    unready,
    {
      resolving: "op.v1",
      resource: { ...resource, kind: "CustomResourceDefinition", name },
      status,
    },
    "ns",
    { reader: cluster, writer: cluster, compat: compat.value },
    new AbortController().signal,
  );
  return { status: outcome.ok ? outcome.value.status : outcome.problem.message, writes: cluster.writes };
}

const ending = {
  ...unready,
  metadata: { name, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["example.com/own"] },
};

test("without --compat=crd-wait a step waits for the end of a CRD that is being deleted", async () => {
  for (const status of ["Unknown", "NotPresent"] as const)
    assert.deepEqual(await afterStep(status, "", [ending]), { status: "NotPresent", writes: [] });
});

test("with --compat=crd-wait a CRD that is being deleted is written, as by OLM", async () => {
  const { writes } = await afterStep("Unknown", "crd-wait", [ending]);
  assert.deepEqual(writes, [`update customresourcedefinitions ${name}`]);
});

test("without --compat=crd-wait a step keeps waiting for a CRD that is not established, and creates a deleted one again", async () => {
  assert.equal(await after("", unready), "WaitingForApi");
  assert.equal(await after(""), "NotPresent");
});

test("with --compat=crd-wait a waiting step becomes Unknown, as in OLM", async () => {
  assert.equal(await after("crd-wait", unready), "Unknown");
  assert.equal(await after("crd-wait"), "Unknown");
});
