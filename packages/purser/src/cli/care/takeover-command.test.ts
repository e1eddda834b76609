// doctor takeover against the embedded cluster, over HTTP as a user runs it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deployments, leases } from "@purser/kubernetes/apis/resources";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import { UsageError } from "../command.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";

const never = new AbortController().signal;
const olm: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { namespace: "olm", name: "catalog-operator" },
  spec: {
    selector: { matchLabels: { app: "olm" } },
    template: { metadata: { labels: { app: "olm" } }, spec: { containers: [{ name: "olm", image: "olm" }] } },
  },
};

let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
});
after(() => cluster?.stop());

const takeover = (...args: readonly string[]) => cluster.purser(["doctor", "takeover", ...args]);

interface Report {
  readonly kind: string;
  readonly findings: readonly { readonly code: string; readonly severity: string }[];
}

test("a cluster that Purser runs already changes in nothing, and ends with 0", async () => {
  const ran = await takeover();
  assert.equal(ran.exitCode, 0, ran.text);
  assert.match(
    ran.text,
    /InstallPlanContinues  InstallPlan demo-logbook\/install-\w+ stays pending approval for logbook-db.v1.1.0/,
  );
  assert.match(ran.text, /\nPurser can be started, and nothing changes: 0 blockers, 0 changes, \d+ notes?$/);
});

test("OLM that runs is a blocker with a command, first of all, and ends with 10", async () => {
  const created = await cluster.client.write({ verb: "create", type: deployments, object: olm }, never);
  assert.ok(created.ok);
  const ran = await takeover();
  assert.equal(ran.exitCode, 10);
  const [first, second] = ran.text.trim().split("\n");
  assert.equal(
    first,
    "failed OlmRunning  Deployment olm/catalog-operator runs with 1 replica: two managers would overwrite each other",
  );
  assert.equal(second, "    do    kubectl -n olm scale deployment catalog-operator --replicas=0");
  assert.match(ran.text, /\nDo not start Purser yet: 1 blocker, 0 changes, \d+ notes?$/);
  const { kind, findings } = ran.data as unknown as Report;
  assert.equal(kind, "TakeoverReport");
  assert.deepEqual(findings[0], {
    code: "OlmRunning",
    severity: "blocker",
    object: "Deployment olm/catalog-operator",
    summary: "runs with 1 replica: two managers would overwrite each other",
    remedy: "kubectl -n olm scale deployment catalog-operator --replicas=0",
  });
});

test("it writes nothing", async () => {
  const versions = async (): Promise<unknown> =>
    (await cluster.client.list(deployments)).map(({ metadata }) => metadata.resourceVersion);
  const before = [await versions(), (await cluster.client.list(leases)).length];
  await takeover("--compat=strict", "--global-namespace", "elsewhere");
  assert.deepEqual([await versions(), (await cluster.client.list(leases)).length], before);
});

test("an unknown compatibility switch is refused", async () => {
  await assert.rejects(takeover("--compat=never"), UsageError);
});
