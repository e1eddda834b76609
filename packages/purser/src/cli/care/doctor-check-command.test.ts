// purser doctor against the embedded cluster, over HTTP as a user runs it.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { ObjectKey } from "@purser/kubernetes/apis/object";
import { customResourceDefinitions, secrets } from "@purser/kubernetes/apis/resources";
import { catalogSources, subscriptions } from "../../apis/olm-resources.ts";
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
      fix: { kind: "applyDefinitions" },
    },
  ]);
});

test("--fix asks first, writes nothing when it is not wanted, and repairs the definition when it is", async () => {
  const isRepaired = async (): Promise<boolean> => {
    const live = await cluster.client.get(customResourceDefinitions, { name: "updatepolicies.purser.dev" });
    const schema = live?.spec.versions[0]?.schema?.openAPIV3Schema as unknown as {
      readonly properties: { readonly spec: { readonly properties: object } };
    };
    return "reason" in schema.properties.spec.properties;
  };
  await assert.rejects(cluster.purser(["doctor", "--fix"]), /there is no terminal to ask for confirmation/);
  const no = await cluster.purser(["doctor", "--fix"], "n");
  assert.deepEqual([no.exitCode, await isRepaired()], [10, false]);
  assert.match(
    no.errors,
    /^CustomResourceDefinition updatepolicies\.purser\.dev is older: .*\n {2}do {4}purser crds apply\n/,
  );
  const yes = await cluster.purser(["doctor", "--fix"], "y");
  assert.deepEqual([await isRepaired(), yes.text.includes("updatepolicies")], [true, false]);
  assert.match(yes.errors, /CustomResourceDefinitions are served$/);
  const { fixes } = yes.data as unknown as { readonly fixes: readonly object[] };
  assert.deepEqual(fixes, [
    { object: "CustomResourceDefinition updatepolicies.purser.dev", command: "purser crds apply", outcome: "done" },
  ]);
});

test("--fix-only deletes a certificate that cannot be read, and nothing else; another object is refused", async () => {
  const [one, other] = ["broken", "other"].map((name) => ({ namespace: "demo-logbook", name })) as [
    ObjectKey,
    ObjectKey,
  ];
  for (const { namespace = "", name } of [one, other]) {
    const labels = { "olm.managed": "true" };
    const data = { "tls.crt": "bm90aGluZw==", "tls.key": "bm90aGluZw==" };
    const object = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace, name, labels },
      type: "kubernetes.io/tls",
      data,
    };
    const made = await cluster.client.write({ verb: "create", type: secrets, object: object as never }, never);
    assert.ok(made.ok, JSON.stringify(made));
  }
  await assert.rejects(
    cluster.purser(["doctor", "--fix-only", "Secret demo-logbook/none", "--yes"]),
    /no finding is about "Secret demo-logbook\/none"/,
  );
  const fixed = await cluster.purser(["doctor", "--fix-only", "Secret demo-logbook/broken", "--yes"]);
  const { fixes } = fixed.data as unknown as { readonly fixes: readonly object[] };
  const command = "kubectl -n demo-logbook delete secret broken";
  assert.deepEqual(fixes, [{ object: "Secret demo-logbook/broken", command, outcome: "done" }]);
  assert.match(fixed.errors, /Secret demo-logbook\/broken is deleted; Purser issues another certificate/);
  assert.equal(await cluster.client.get(secrets, one), undefined);
  assert.ok((await cluster.client.get(secrets, other)) !== undefined);
  await cluster.client.write({ verb: "delete", type: secrets, key: other }, never);
});

test("--fix-only looks at the image of a catalog again", async () => {
  const metadata = { namespace: "demo-logbook", name: "gone" };
  const spec = { sourceType: "grpc", image: "localhost:1/catalog:latest" };
  const object = { apiVersion: "operators.coreos.com/v1alpha1", kind: "CatalogSource", metadata, spec };
  const made = await cluster.client.write({ verb: "create", type: catalogSources, object: object as never }, never);
  assert.ok(made.ok, JSON.stringify(made));
  await cluster.eventually(["doctor"], /CatalogSource demo-logbook\/gone is /);
  const fixed = await cluster.purser([
    "doctor",
    "--fix-only",
    "CatalogSource demo-logbook/gone",
    "--yes",
    "--timeout",
    "1s",
  ]);
  const { fixes } = fixed.data as unknown as { readonly fixes: readonly object[] };
  const command = "purser source refresh demo-logbook/gone";
  assert.deepEqual(fixes, [{ object: "CatalogSource demo-logbook/gone", command, outcome: "done" }]);
  const live = await cluster.client.get(catalogSources, metadata);
  assert.match(live?.metadata.annotations?.["purser.dev/refresh"] ?? "", /^\d{4}-/);
  await cluster.client.write({ verb: "delete", type: catalogSources, key: metadata }, never);
});

test("--fix adopts an operator without a Subscription, and the check finds it no more", async () => {
  const key = { namespace: "demo-logbook", name: "logbook-db" };
  const deleted = await cluster.client.write({ verb: "delete", type: subscriptions, key }, never);
  assert.ok(deleted.ok);
  const found = await cluster.eventually(["doctor"], /csv\/demo-logbook\/logbook-db\.v1\.0\.0 has no Subscription/);
  assert.match(found.text, /\nNext: purser doctor --fix$/);
  const log = join(cluster.cacheDirectory, "doctor.log");
  mkdirSync(cluster.cacheDirectory, { recursive: true });
  const fixed = await cluster.purser(["doctor", "--fix", "--yes", "--log-file", log]);
  // What is fixed reaches the cluster by the same flags.
  assert.match(readFileSync(log, "utf8"), /POST .*\/namespaces\/demo-logbook\/subscriptions/);
  assert.doesNotMatch(fixed.text, /has no Subscription/);
  assert.match(fixed.errors, /logbook-db\.v1\.0\.0 is now owned by sub\/demo-logbook\/logbook-db/);
});
