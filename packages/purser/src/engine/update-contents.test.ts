// Update policies that judge an upgrade by what it holds: permissions that it gains, CRDs that may break stored objects.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import type { JsonObject } from "@purser/kubernetes/json";
import { clusterExtensions, clusterUpdatePolicies, installPlans, subscriptions } from "../apis/olm-resources.ts";
import type { Subscription } from "../apis/v0/subscription.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world?.stop());

const never = new AbortController().signal;

async function policy(name: string, spec: JsonObject): Promise<void> {
  const object = { apiVersion: "purser.dev/v1alpha1", kind: "ClusterUpdatePolicy", metadata: { name }, spec };
  const made = await world.client.write({ verb: "create", type: clusterUpdatePolicies, object }, never);
  assert.ok(made.ok, JSON.stringify(made));
}

const change = (name: string, spec: JsonObject): Promise<void> =>
  world.merge(clusterUpdatePolicies, { name }, { spec });

const namespace = "books";
const key = { namespace, name: "logbook-db" };
const held = ({ status }: Subscription): string => {
  const found = status?.conditions?.find(({ type }) => type === "UpdateHeld");
  return found === undefined ? "" : `${found.reason}: ${found.message}`;
};
const gained =
  "new permissions (ServiceAccount books/logbook-db-controller, namespace books: get, list, watch, create, update, delete  statefulsets (apps))";

test("a Subscription stays where it is while its upgrade gains permissions that a policy denies, and nothing is written again", async () => {
  await policy("grants", { selector: { packages: ["logbook-db"] }, permissionIncrease: "Deny" });
  await world.tenant(namespace);
  await world.subscribe(namespace, "logbook-db", { startingCSV: "logbook-db.v1.0.0" });
  const found = await world.reaches(subscriptions, key, "held", (one) => held(one) !== "");
  assert.equal(
    held(found),
    // A summary has 200 characters.
    `VersionHeld: logbook-db.v1.1.0 is held back by ClusterUpdatePolicy grants: ${gained.slice(0, -3)}…. see which policy decides, and change it: purser policy effective sub/books/logbook-db`,
  );
  await world.settled();
  world.engineWrites.length = 0;
  await world.merge(subscriptions, key, { metadata: { annotations: { touched: "once" } } });
  await world.settled();
  assert.deepEqual(world.engineWrites, []);
  assert.equal((await world.client.list(installPlans, { namespace })).length, 1);
});

test("its InstallPlan waits for approval when the policy asks for that, and names what it gains", async () => {
  await change("grants", { permissionIncrease: "RequireApproval" });
  const plan = await world.until("an InstallPlan that waits", async () =>
    (await world.client.list(installPlans, { namespace })).find(({ status }) => status?.phase === "RequiresApproval"),
  );
  assert.equal(
    plan.metadata.annotations?.["purser.dev/approval-asked"],
    `ClusterUpdatePolicy grants: ${gained} need approval`,
  );
  assert.deepEqual([plan.spec.approval, plan.spec.clusterServiceVersionNames], ["Manual", ["logbook-db.v1.1.0"]]);
  const { name = "" } = plan.metadata;
  await world.merge(installPlans, { namespace, name }, { spec: { approved: true } });
  // The next version gains nothing, so nobody is asked about it.
  const done = await world.reaches(
    subscriptions,
    key,
    "upgraded",
    ({ status }) => status?.installedCSV === "logbook-db.v1.2.0",
  );
  assert.equal(held(done), "");
});

const ofExtension = async (name: string): Promise<string | undefined> => {
  const { status } = (await world.client.get(clusterExtensions, { name })) ?? {};
  const found = findCondition(status?.conditions, "UpdateHeld");
  return found === undefined ? undefined : `${found.reason}: ${found.message}`;
};
const versionOf = async (name: string): Promise<string | undefined> =>
  (await world.client.get(clusterExtensions, { name }))?.status?.install?.bundle.version;

test("a ClusterExtension is held back for the CRD rules that a policy sets to Error, and moves on when they are Off", async () => {
  const file = join(world.bundlesDirectory, "ballast-cache", "0.4.1", "manifests", "caches.crd.yaml");
  const crd = await readFile(file, "utf8");
  const broken = crd.replace(/^( +)(size[A-Za-z]*):\n/m, "$1$2:\n$1  nullable: true\n");
  assert.notEqual(broken, crd);
  await writeFile(file, broken);
  await world.extend("ballast-cache", "0.4.0");
  await world.until("0.4.0", async () => (await versionOf("ballast-cache")) === "0.4.0");
  await policy("crds", { selector: { packages: ["ballast-cache"] }, crdChange: "Deny" });
  // OLM v1's own check is off, so that only the policy decides.
  const spec = {
    source: { catalog: { version: null } },
    install: { preflight: { crdUpgradeSafety: { enforcement: "None" } } },
  };
  await world.merge(clusterExtensions, { name: "ballast-cache" }, { spec });
  const text = await world.until("held", () => ofExtension("ballast-cache"));
  assert.match(
    text,
    /^VersionHeld: ballast-cache\.v0\.4\.1 is held back by ClusterUpdatePolicy crds: CRDs that may break stored objects \(caches\.[a-z.]+: v1: \^\.spec\.size[A-Za-z]*: nullable: nullable added : false -> true\)\./,
  );
  await change("crds", { crdChange: "RequireApproval" });
  await world.until("asked", async () => (await ofExtension("ballast-cache"))?.startsWith("ApprovalRequired: "));
  await world.settled();
  assert.equal(await versionOf("ballast-cache"), "0.4.0");
  await change("crds", { crdRules: { nullable: "Off" } });
  await world.until("0.4.1", async () => (await versionOf("ballast-cache")) === "0.4.1");
  assert.equal(await ofExtension("ballast-cache"), undefined);
});
