import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import {
  clusterExtensions,
  clusterObjectSets,
  clusterServiceVersions,
  installPlans,
  subscriptions,
} from "../apis/olm-resources.ts";
import type { ClusterServiceVersion, ClusterServiceVersionSpec } from "../apis/v0/cluster-service-version.ts";
import { reservedClaims } from "../bundle/reserved-claims.ts";
import { improved, parseCompat } from "../compat.ts";
import { applyOwnCrds } from "./own-manifests.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { World } from "./testing/world.ts";

const namespace = "claims";
const { signal } = new AbortController();

let world: World;
before(async () => {
  world = await World.open();
  await world.tenant(namespace);
});
after(() => world.stop());

function csvOf(name: string, spec: unknown): ClusterServiceVersion {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace, name },
    spec: {
      displayName: name,
      install: { strategy: "deployment", spec: { deployments: [] } },
      installModes: [{ type: "OwnNamespace", supported: true }],
      ...(spec as Partial<ClusterServiceVersionSpec>),
    },
  };
}

const crd = (name: string) => ({ name, version: "v1", kind: "Thing" });
const service = (group: string) => ({ name: "things", group, version: "v1", kind: "Thing" });
const webhook = (type: string, conversionCRDs: readonly string[]) => ({
  type,
  generateName: "hook.claims.example",
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  conversionCRDs,
});

const refused: readonly (readonly [string, unknown, string])[] = [
  [
    "that owns CRDs",
    {
      customresourcedefinitions: {
        owned: [crd("as.claims.example"), crd("subscriptions.operators.coreos.com"), crd("as.purser.dev")],
      },
    },
    "it owns CustomResourceDefinitions of the lifecycle manager: subscriptions.operators.coreos.com, as.purser.dev. An operator may require",
  ],
  [
    "that owns an APIService",
    { apiservicedefinitions: { owned: [service("packages.operators.coreos.com")] } },
    "it owns APIServices of the lifecycle manager: v1.packages.operators.coreos.com. An operator may require",
  ],
  [
    "with a conversion webhook for a CRD",
    {
      webhookdefinitions: [
        webhook("ConversionWebhook", ["as.claims.example", "clustercatalogs.olm.operatorframework.io"]),
      ],
    },
    "it has a conversion webhook for CustomResourceDefinitions of the lifecycle manager: clustercatalogs.olm.operatorframework.io. An operator may require",
  ],
];

for (const [what, spec, message] of refused)
  test(`a ClusterServiceVersion ${what} of a reserved group is refused on create and update, and the engine decides the same`, async () => {
    const bad = csvOf("bad", spec);
    assert.equal(reservedClaims(bad).length > 0, true);
    const created = await world.client.write({ verb: "create", type: clusterServiceVersions, object: bad }, signal);
    assert.ok(!created.ok && created.problem.kind === "invalid");
    assert.ok(created.problem.status.message.includes(message), created.problem.status.message);
    const good = csvOf("good", {});
    await world.create(clusterServiceVersions, good);
    const key = { namespace, name: "good" };
    const patch = { spec: spec as never };
    const updated = await world.client.write(
      { verb: "patch", type: clusterServiceVersions, key, patchType: "merge", patch },
      signal,
    );
    assert.ok(!updated.ok && updated.problem.status.message.includes(message));
    await world.remove(clusterServiceVersions, key);
    await world.vanishes(clusterServiceVersions, key);
  });

test("groups are compared as a whole, and required APIs may be of any group", async () => {
  const good = csvOf("near-misses", {
    customresourcedefinitions: {
      owned: [crd("as.foo.operators.coreos.com"), crd("as.demo.purser.dev"), crd("purser.dev"), crd("as.coreos.com")],
      required: [crd("subscriptions.operators.coreos.com")],
    },
    apiservicedefinitions: {
      owned: [service("x.packages.operators.coreos.com")],
      required: [service("packages.operators.coreos.com")],
    },
    webhookdefinitions: [webhook("ValidatingAdmissionWebhook", ["subscriptions.operators.coreos.com"])],
  });
  assert.deepEqual(reservedClaims(good), []);
  await world.create(clusterServiceVersions, good);
  await world.remove(clusterServiceVersions, { namespace, name: "near-misses" });
});

test("a CSV that owned a reserved API before the policy existed fails, cannot add another one, and can be deleted", async () => {
  const upstream = parseCompat("reserved-groups");
  assert.ok(upstream.ok);
  await applyOwnCrds(world.client, systemClock, signal, upstream.value);
  const claim = crd("subscriptions.operators.coreos.com");
  await world.create(clusterServiceVersions, csvOf("old", { customresourcedefinitions: { owned: [claim] } }));
  await applyOwnCrds(world.client, systemClock, signal, improved);
  const key = { namespace, name: "old" };
  const failed = await world.reaches(
    clusterServiceVersions,
    key,
    "Failed",
    ({ status }) => status?.phase === "Failed" && status.reason === "OwnerConflict",
  );
  assert.match(
    failed.status?.message ?? "",
    /^it brings APIs of the lifecycle manager: subscriptions\.operators\.coreos\.com\. /,
  );
  assert.ok(failed.metadata.finalizers?.includes("operators.coreos.com/csv-cleanup"));
  const owned = [claim, crd("installplans.operators.coreos.com")];
  const patch = { spec: { customresourcedefinitions: { owned } } };
  const grown = await world.client.write(
    { verb: "patch", type: clusterServiceVersions, key, patchType: "merge", patch },
    signal,
  );
  assert.ok(!grown.ok);
  assert.match(grown.problem.status.message, /lifecycle manager: installplans\.operators\.coreos\.com\. /);
  await world.settled();
  const before = world.passes()["cluster-service-version"];
  await world.merge(clusterServiceVersions, key, { metadata: { annotations: { a: "b" } } });
  await world.settled();
  assert.ok((world.passes()["cluster-service-version"] ?? 0) - (before ?? 0) <= 3);
  await world.remove(clusterServiceVersions, key);
  await world.vanishes(clusterServiceVersions, key);
});

test("without --compat=reserved-groups a bundle with a CRD of a reserved group is refused by OLM v0 and OLM v1, with the CRD and the reason", async () => {
  const { bundlesDirectory } = world;
  const directory = join(bundlesDirectory, "logbook-db", "1.0.0");
  const kept = join(bundlesDirectory, "..", "kept");
  await cp(directory, kept, { recursive: true });
  const live = await world.client.get(customResourceDefinitions, { name: "subscriptions.operators.coreos.com" });
  const file = join(directory, "manifests", "stolen.crd.yaml");
  const text = await readFile(join(directory, "manifests", "ledgers.crd.yaml"), "utf8");
  await writeFile(
    file,
    text
      .replaceAll("ledgers", "subscriptions")
      .replaceAll("logbook.demo.purser.dev", "operators.coreos.com")
      .replaceAll("Ledger", "Subscription"),
  );
  await world.tenant("stolen");
  await world.subscribe("stolen", "logbook-db", { startingCSV: "logbook-db.v1.0.0" });
  const subscription = await world.reaches(
    subscriptions,
    { namespace: "stolen", name: "logbook-db" },
    "refused",
    ({ status }) => status?.conditions?.some(({ type }) => type === "BundleUnpackFailed") === true,
  );
  const condition = subscription.status?.conditions?.find(({ type }) => type === "BundleUnpackFailed");
  assert.equal(condition?.reason, "ErrorPreventedUnpacking");
  const problem =
    "it brings APIs of the lifecycle manager: subscriptions.operators.coreos.com. An operator may require";
  assert.ok(
    condition.message?.startsWith(`Bundle unpacking failed - BundleInvalid: logbook-db.v1.0.0: ${problem}`),
    condition.message,
  );
  assert.equal((await world.client.list(installPlans, { namespace: "stolen" })).length, 0);
  await world.extend("logbook-db", "1.0.0", { namespace: "stolen" });
  const extension = await world.reaches(
    clusterExtensions,
    { name: "logbook-db" },
    "blocked",
    ({ status }) => status?.conditions?.some(({ reason }) => reason === "Blocked") === true,
  );
  const progressing = extension.status?.conditions?.find(({ type }) => type === "Progressing");
  assert.equal(progressing?.status, "False");
  assert.ok(progressing.message.startsWith(`BundleInvalid: logbook-db.v1.0.0: ${problem}`), progressing.message);
  assert.equal((await world.client.list(clusterObjectSets)).length, 0);
  const after = await world.client.get(customResourceDefinitions, { name: "subscriptions.operators.coreos.com" });
  assert.equal(after?.metadata.generation, live?.metadata.generation);
});

test("with --compat=reserved-groups OLM's own package server is accepted", async () => {
  const compat = parseCompat("reserved-groups");
  assert.ok(compat.ok);
  const kept = await World.open({ compat: compat.value });
  try {
    await kept.tenant(namespace);
    const owned = [{ ...service("packages.operators.coreos.com"), deploymentName: "packageserver" }];
    await kept.create(clusterServiceVersions, csvOf("packageserver", { apiservicedefinitions: { owned } }));
    const judged = await kept.reaches(
      clusterServiceVersions,
      { namespace, name: "packageserver" },
      "judged by its requirements",
      ({ status }) => status?.requirementStatus !== undefined,
    );
    assert.equal(judged.status?.reason, "RequirementsNotMet");
  } finally {
    await kept.stop();
  }
});
