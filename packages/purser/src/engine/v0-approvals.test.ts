// Approval of an InstallPlan by the digest of its changes: nothing but exactly what was approved is installed.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { customResourceDefinitions, events, roles, serviceAccounts } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import {
  clusterCatalogs,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  subscriptions,
} from "../apis/olm-resources.ts";
import type { InstallPlan } from "../apis/v0/install-plan.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world?.stop());

const never = new AbortController().signal;
const namespace = "books";
const key = { namespace, name: "logbook-db" };
const csv = "logbook-db.v1.1.0";

async function waiting(): Promise<InstallPlan> {
  return world.until("an InstallPlan that waits", async () =>
    (await world.client.list(installPlans, { namespace })).find(
      ({ spec, status }) => status?.phase === "RequiresApproval" && spec.clusterServiceVersionNames[0] === csv,
    ),
  );
}

async function approve(digest: string, more: JsonObject = {}): Promise<void> {
  const { name = "" } = (await waiting()).metadata;
  const annotations = { "purser.dev/plan": digest, ...more };
  await world.merge(installPlans, { namespace, name }, { metadata: { annotations }, spec: { approved: true } });
}

let number = 0;
/** A digest that nothing has, another one each time. */
const numbered = (): string => `sha256:${String(++number).padStart(64, "0")}`;

/** Approves the changes of the digest, and returns the digest of what would be done instead. */
async function refused(digest: string): Promise<string> {
  await approve(digest);
  const message = await world.until(
    "a stale approval",
    async () =>
      (await waiting()).status?.conditions?.find(
        ({ reason, message: text = "" }) => reason === "PlanStale" && text.includes(`approved, ${digest}, `),
      )?.message,
  );
  const [, now = ""] = /are now (sha256:[0-9a-f]{64}): nothing is changed/.exec(message) ?? [];
  assert.equal(
    message,
    `The changes of ${csv} that were approved, ${digest}, are now ${now}: nothing is changed. See and approve them: purser approve`,
  );
  await world.settled();
  assert.equal((await world.client.get(subscriptions, key))?.status?.installedCSV, "logbook-db.v1.0.0");
  return now;
}

test("a stale approval shows both digests once, and nothing begins", async () => {
  await world.tenant(namespace);
  await world.subscribe(namespace, "logbook-db", {
    startingCSV: "logbook-db.v1.0.0",
    installPlanApproval: "Manual",
  });
  const [first] = await world.until("the first InstallPlan", async () => {
    const plans = await world.client.list(installPlans, { namespace });
    return plans.length === 0 ? undefined : plans;
  });
  const { name = "" } = first?.metadata ?? {};
  await world.merge(installPlans, { namespace, name }, { spec: { approved: true } });
  await refused(numbered());
  world.engineWrites.length = 0;
  await world.merge(installPlans, { namespace, name }, { metadata: { annotations: { touched: "once" } } });
  await world.settled();
  assert.deepEqual(world.engineWrites, []);
});

async function alterStep(): Promise<void> {
  const plan = await waiting();
  const steps = (plan.status?.plan ?? []).map((step) =>
    step.resource.kind === "ClusterServiceVersion"
      ? {
          ...step,
          resource: {
            ...step.resource,
            manifest: step.resource.manifest?.replace("logbook-db-controller:1.1.0", "evil:1.1.0"),
          },
        }
      : step,
  );
  const object = { ...plan, status: { ...plan.status, plan: steps } } as unknown as InstallPlan;
  const result = await world.client.write(
    { verb: "replace", type: installPlans, object, subresource: "status" },
    never,
  );
  assert.ok(result.ok, JSON.stringify(result));
}

for (const [input, change] of [
  [
    "a live object",
    () =>
      world.merge(
        serviceAccounts,
        { namespace, name: "logbook-db-controller" },
        { metadata: { labels: { team: "blue" } } },
      ),
  ],
  [
    "the live CRD",
    () =>
      world.merge(
        customResourceDefinitions,
        { name: "ledgers.logbook.demo.purser.dev" },
        { metadata: { labels: { team: "blue" } } },
      ),
  ],
  [
    "a live Role of the operator",
    async () => {
      const owned = await world.client.list(roles, { namespace, labelSelector: "olm.owner=logbook-db.v1.0.0" });
      const role = { namespace, name: owned[0]?.metadata.name ?? "" };
      await world.merge(roles, role, { metadata: { labels: { team: "blue" } } });
    },
  ],
  [
    "a version in which objects of the CRD are stored",
    async () => {
      const key = { name: "ledgers.logbook.demo.purser.dev" };
      const { status } = (await world.client.get(customResourceDefinitions, key)) ?? {};
      await world.mergeStatus(customResourceDefinitions, key, {
        storedVersions: [...(status?.storedVersions ?? []), "v0"],
      });
    },
  ],
  [
    "the ServiceAccount of the OperatorGroup",
    async () => {
      await world.create(serviceAccounts, {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { namespace, name: "installer" },
      });
      const [group] = await world.client.list(operatorGroups, { namespace });
      const key = { namespace, name: group?.metadata.name ?? "" };
      await world.merge(operatorGroups, key, { spec: { serviceAccountName: "installer" } });
    },
  ],
  [
    "the configuration of the Subscription",
    () => world.merge(subscriptions, key, { spec: { config: { env: [{ name: "A", value: "b" }] } } }),
  ],
  [
    "the namespaces of the OperatorGroup",
    async () => {
      const [group] = await world.client.list(operatorGroups, { namespace });
      await world.merge(
        operatorGroups,
        { namespace, name: group?.metadata.name ?? "" },
        { spec: { targetNamespaces: null } },
      );
      await world.settled();
    },
  ],
  ["a step of the InstallPlan", alterStep],
] as const)
  test(`an approved InstallPlan does not begin when ${input} changes between the plan and its execution`, async () => {
    const planned = await refused(numbered());
    await change();
    const now = await refused(planned);
    assert.notEqual(now, planned);
  });

test("an approved InstallPlan still holds what was planned after catalog and bundle changed", async () => {
  const digest = await refused(numbered());
  const resolved = async (): Promise<string> =>
    JSON.stringify((await world.client.get(clusterCatalogs, { name: "demo" }))?.status?.resolvedSource);
  const before = await resolved();
  for (const file of [
    join(world.catalogDirectory, "logbook-db", "catalog.yaml"),
    join(world.bundlesDirectory, "logbook-db", "1.1.0", "manifests", "logbook-db.clusterserviceversion.yaml"),
  ]) {
    const text = await readFile(file, "utf8");
    assert.match(text, /logbook-db-controller:1\.1\.0/);
    await writeFile(file, text.replaceAll("logbook-db-controller:1.1.0", "logbook-db-controller:changed"));
  }
  await world.until("the changed catalog", async () => (await resolved()) !== before);
  await world.settled();
  assert.equal(await refused(numbered()), digest);
});

test("what is approved is installed, and an event says who approved which changes from what to what", async () => {
  const [group] = await world.client.list(operatorGroups, { namespace });
  const ofGroup = { namespace, name: group?.metadata.name ?? "" };
  await world.merge(operatorGroups, ofGroup, { spec: { serviceAccountName: null } });
  await world.mergeStatus(
    customResourceDefinitions,
    { name: "ledgers.logbook.demo.purser.dev" },
    { storedVersions: ["v1"] },
  );
  const digest = await refused(numbered());
  await approve(digest, { "purser.dev/approved-by": "ana" });
  await world.until("1.1.0", async () => (await world.client.get(subscriptions, key))?.status?.installedCSV === csv);
  const { spec } = (await world.client.get(clusterServiceVersions, { namespace, name: csv })) ?? {};
  assert.match(JSON.stringify(spec), /evil:1\.1\.0/);
  const told = await world.until("an event", async () =>
    (await world.client.list(events)).find(
      ({ reason, message = "" }) => reason === "Approved" && message.includes(csv),
    ),
  );
  assert.match(
    told.message ?? "",
    new RegExp(
      `^${csv} in place of logbook-db\\.v1\\.0\\.0 is installed with the changes ${digest}, approved by ana, by \\S+ at \\d{4}-\\d{2}-\\d{2}T[\\d:]+Z$`,
    ),
  );
});
