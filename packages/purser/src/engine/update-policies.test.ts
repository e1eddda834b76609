import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { findCondition } from "@purser/kubernetes/apis/condition";
import {
  clusterExtensions,
  clusterServiceVersions,
  clusterUpdatePolicies,
  installPlans,
  subscriptions,
  updatePolicies,
} from "../apis/olm-resources.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

const never = new AbortController().signal;
const apiVersion = "purser.dev/v1alpha1";

async function create(type: ResourceType, metadata: { name: string; namespace?: string }, spec: JsonObject) {
  const object = { apiVersion, kind: type.kind, metadata, spec };
  return world.client.write({ verb: "create", type, object }, never);
}

for (const [spec, message] of [
  [{}, /a policy requires one of versions, level, approval, .*crdChange, dependencies, rollback/],
  [{ permissionIncrease: "Sometimes" }, /Unsupported value: "Sometimes"/],
  [{ crdChange: "Deny", crdRules: { enum: "Maybe" } }, /crdRules\.enum: Unsupported value: "Maybe"/],
  [{ level: "patch", crdRules: { enum: "Off" } }, /crdRules requires crdChange/],
  [{ dependencies: "install" }, /Unsupported value: "install"/],
  [{ rollback: "Always" }, /Unsupported value: "Always"/],
  [{ windows: [] }, /at least 1 items/],
  [{ windows: [{ schedule: "0 22 * *", duration: "4h" }] }, /must be a cron expression of five fields such as/],
  [{ windows: [{ schedule: "@weekly", duration: "4h" }] }, /must be a cron expression of five fields such as/],
  [{ windows: [{ schedule: "0 22 * * 6", duration: "0h" }] }, /must be a duration of days, hours and minutes/],
  [{ windows: [{ schedule: "0 22 * * 6", duration: "four" }] }, /must be a duration of days, hours and minutes/],
  [{ windows: [{ schedule: "0 22 * * 6" }] }, /windows\[0\]\.duration: Required value/],
  [
    { windows: [{ schedule: "0 22 * * 6", duration: "4h", timeZone: "in Berlin" }] },
    /must be the name of a time zone such as Europe\/Berlin/,
  ],
  [{ approval: {} }, /approval requires one of install, patch, minor, major/],
  [{ approval: { minor: "Sometimes" } }, /Unsupported value: "Sometimes"/],
  [{ soak: "3 days" }, /must be a duration of days, hours and minutes/],
  [{ versions: { denied: ["1.x"] } }, /must be a version such as 1\.2\.3/],
  [{ level: "big" }, /Unsupported value: "big"/],
  [{ level: "patch", until: "tomorrow" }, /until/],
] satisfies [JsonObject, RegExp][])
  test(`the API server refuses the policy ${JSON.stringify(spec)}`, async () => {
    const made = await create(clusterUpdatePolicies, { name: "wrong" }, spec);
    assert.ok(!made.ok);
    assert.match(made.problem.status.message ?? "", message);
  });

test("a Subscription is not upgraded while a policy holds it, shows why, and is upgraded when the policy is deleted", async () => {
  const namespace = "logs";
  const key = { namespace, name: "logbook-db" };
  await world.tenant(namespace);
  const made = await create(
    updatePolicies,
    { name: "freeze", namespace },
    { selector: { packages: ["logbook-db"] }, level: "none", reason: "audit" },
  );
  assert.ok(made.ok, JSON.stringify(made));
  await world.subscribe(namespace, "logbook-db", { startingCSV: "logbook-db.v1.0.0" });
  const held = await world.reaches(subscriptions, key, "held", ({ status }) =>
    (status?.conditions ?? []).some(({ type }) => type === "UpdateHeld"),
  );
  await world.settled();
  const condition = held.status?.conditions?.find(({ type }) => type === "UpdateHeld");
  assert.deepEqual(
    [condition?.status, condition?.reason, condition?.message],
    [
      "True",
      "VersionHeld",
      "logbook-db.v1.1.0 is held back by UpdatePolicy logs/freeze: no upgrades (audit). see which policy decides, and change it: purser policy effective sub/logs/logbook-db",
    ],
  );
  assert.equal((await world.client.list(installPlans, { namespace })).length, 1);
  world.engineWrites.length = 0;
  await world.settled();
  assert.deepEqual(world.engineWrites, []);
  await world.remove(updatePolicies, { namespace, name: "freeze" });
  const done = await world.reaches(
    subscriptions,
    key,
    "upgraded",
    ({ status }) => status?.installedCSV === "logbook-db.v1.2.0",
  );
  assert.equal(
    done.status?.conditions?.some(({ type }) => type === "UpdateHeld"),
    false,
  );
  await world.reaches(
    clusterServiceVersions,
    { namespace, name: "logbook-db.v1.2.0" },
    "runs",
    ({ status }) => status?.phase === "Succeeded",
  );
});

test("a ClusterExtension gets what the policy allows, shows what it holds, and moves on when the policy ends", async () => {
  const name = "ballast-cache";
  await world.extend(name, "0.4.0");
  await world.reaches(
    clusterExtensions,
    { name },
    "at 0.4.0",
    ({ status }) => status?.install?.bundle.version === "0.4.0",
  );
  const made = await create(clusterUpdatePolicies, { name: "fixed" }, { versions: { range: "<=0.4.0" } });
  assert.ok(made.ok);
  await world.merge(clusterExtensions, { name }, { spec: { source: { catalog: { version: null } } } });
  const held = await world.reaches(
    clusterExtensions,
    { name },
    "held",
    ({ status }) => findCondition(status?.conditions, "UpdateHeld") !== undefined,
  );
  assert.match(
    findCondition(held.status?.conditions, "UpdateHeld")?.message ?? "",
    /^ballast-cache\.v0\.4\.1 is held back by ClusterUpdatePolicy fixed: range <=0\.4\.0\. /,
  );
  await world.settled();
  assert.equal((await world.client.get(clusterExtensions, { name }))?.status?.install?.bundle.version, "0.4.0");
  const until = new Date(Date.now() + 1500).toISOString();
  await world.merge(clusterUpdatePolicies, { name: "fixed" }, { spec: { until } });
  const moved = await world.reaches(
    clusterExtensions,
    { name },
    "at 0.4.1",
    ({ status }) => status?.install?.bundle.version === "0.4.1",
  );
  assert.equal(findCondition(moved.status?.conditions, "UpdateHeld"), undefined);
});

test("an InstallPlan waits for the approval that a policy asks for, and names the policy; the next one does not", async () => {
  const namespace = "approved";
  const key = { namespace, name: "logbook-db" };
  await world.tenant(namespace);
  const made = await create(updatePolicies, { name: "minor", namespace }, { approval: { minor: "Manual" } });
  assert.ok(made.ok, JSON.stringify(made));
  await world.subscribe(namespace, "logbook-db", { startingCSV: "logbook-db.v1.0.0" });
  await world.reaches(
    subscriptions,
    key,
    "installed",
    ({ status }) => status?.installedCSV === "logbook-db.v1.0.0" && status.state === "UpgradePending",
  );
  await world.settled();
  const plans = await world.client.list(installPlans, { namespace });
  assert.deepEqual(
    plans
      .toSorted((left, right) => (left.spec.generation ?? 0) - (right.spec.generation ?? 0))
      .map(({ metadata, spec, status }) => [
        ...spec.clusterServiceVersionNames,
        spec.approval,
        spec.approved,
        status?.phase,
        metadata.annotations?.["purser.dev/approval-asked"],
      ]),
    [
      ["logbook-db.v1.0.0", "Automatic", true, "Complete", undefined],
      [
        "logbook-db.v1.1.0",
        "Manual",
        false,
        "RequiresApproval",
        "UpdatePolicy approved/minor: minor upgrades need approval",
      ],
    ],
  );
  await world.merge(updatePolicies, { namespace, name: "minor" }, { spec: { approval: { minor: "Automatic" } } });
  await world.approve(namespace, "logbook-db.v1.1.0");
  await world.reaches(subscriptions, key, "upgraded", ({ status }) => status?.installedCSV === "logbook-db.v1.2.0");
});
