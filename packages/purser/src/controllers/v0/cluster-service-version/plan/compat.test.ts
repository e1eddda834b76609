import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { type Compat, parseCompat } from "../../../../compat.ts";
import { desiredDeployment, strategyDeployments } from "../../../../rollout/plan/strategy/csv-deployment.ts";
import { planCsv } from "./plan-csv.ts";
import { csvAt, now, worldOf } from "./testing/csv-world.ts";
import type { CsvWorld } from "./world.ts";

function keeping(kept: string): Compat {
  const compat = parseCompat(kept);
  assert.ok(compat.ok);
  return compat.value;
}

/** `Phase/Reason` that the pass moves to; `-` when it stays. */
function next(world: CsvWorld, at = now): string {
  for (const action of planCsv(world, at).actions)
    if (action.kind === "status" && action.announce !== undefined)
      return `${action.status.phase}/${action.status.reason}`;
  return "-";
}

const began = Date.parse("2026-01-01T00:00:00Z");

test("with --compat=denied-install a denied install waits for a change of its rights, however long", () => {
  const denied = csvAt("op.v1", "Failed", "InstallComponentFailedNoRetry");
  const world = worldOf(denied, { compat: keeping("denied-install") });
  for (const later of [10_000, 30_000, 86_400_000]) assert.deepEqual(planCsv(world, began + later), { actions: [] });
});

const left = csvAt("op.v1", "Replacing");

test("without --compat=lost-replacement a CSV whose replacement was deleted returns to Pending", () => {
  const [action] = planCsv(worldOf(left), 0).actions;
  assert.equal(action?.kind === "status" ? action.status.phase : action?.kind, "Pending");
});

test("with --compat=lost-replacement a CSV whose replacement was deleted stays in Replacing with OLM's error", () => {
  assert.deepEqual(planCsv(worldOf(left, { compat: keeping("lost-replacement") }), 0), {
    actions: [],
    retry: "marked as replacement, but no replacement CSV found in cluster",
  });
});

const hooked = (resource: string): ClusterServiceVersion => {
  const csv = csvAt("op.v1", "Pending");
  const rules = [
    { apiGroups: ["admissionregistration.k8s.io"], apiVersions: ["v1"], operations: ["*"], resources: [resource] },
  ];
  const webhook = {
    type: "ValidatingAdmissionWebhook",
    generateName: "hook.g.io",
    rules,
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  };
  return { ...csv, spec: { ...csv.spec, webhookdefinitions: [webhook] } } as ClusterServiceVersion;
};

test("without --compat=webhook-rules a webhook about webhook configurations is refused by kind and by plural name", () => {
  for (const resource of ["ValidatingWebhookConfiguration", "validatingwebhookconfigurations"])
    assert.equal(next(worldOf(hooked(resource))), "Failed/InvalidWebhookDescription");
});

test("with --compat=webhook-rules only the kind of a webhook configuration is refused", () => {
  const compat = keeping("webhook-rules");
  const refused = "Failed/InvalidWebhookDescription";
  assert.equal(next(worldOf(hooked("ValidatingWebhookConfiguration"), { compat })), refused);
  assert.notEqual(next(worldOf(hooked("validatingwebhookconfigurations"), { compat })), refused);
});

const misnamed = (phase: "" | "Succeeded"): ClusterServiceVersion => {
  const csv = csvAt("op.v1", phase);
  const required = [{ name: "things", version: "v1", kind: "Thing" }];
  return { ...csv, spec: { ...csv.spec, customresourcedefinitions: { required } } };
};

test("without --compat=crd-names a CSV with a CRD name that cannot exist fails with the name, in every phase and once", () => {
  for (const phase of ["", "Succeeded"] as const) {
    const [action, ...more] = planCsv(worldOf(misnamed(phase)), now).actions;
    assert.ok(action?.kind === "status" && more.length === 0);
    assert.equal(`${action.status.phase}/${action.status.reason}`, "Failed/RequirementsNotMet");
    assert.match(action.status.message ?? "", /"things": names are <plural>\.<group>/);
    const failed = { ...misnamed(phase), status: action.status };
    assert.deepEqual(planCsv(worldOf(failed), now), { actions: [] });
    assert.equal(next(worldOf({ ...failed, spec: csvAt("op.v1", "").spec })), "Succeeded/InstallSucceeded");
  }
});

test("with --compat=crd-names a CSV with a CRD name that cannot exist gets no status", () => {
  assert.deepEqual(planCsv(worldOf(misnamed(""), { compat: keeping("crd-names") }), now), { actions: [] });
});

/** An operator whose Deployment was available and then scaled to 0. */
function scaledAway(compat: Compat): CsvWorld {
  const base = csvAt("op.v1", "Succeeded");
  const template = { spec: { containers: [{ name: "c", image: "i" }] } };
  const install = { strategy: "deployment", spec: { deployments: [{ name: "d", spec: { replicas: 1, template } }] } };
  const csv = { ...base, spec: { ...base.spec, install } } as unknown as ClusterServiceVersion;
  const world = worldOf(csv, { compat });
  const strategy = { ...world.strategy, csv };
  const [entry] = strategyDeployments(strategy);
  assert.ok(entry !== undefined);
  const wanted = desiredDeployment(strategy, entry, undefined).object as unknown as Deployment;
  const fieldsV1 = { "f:metadata": { "f:labels": { "f:olm.deployment-spec-hash": {} } } };
  const live = {
    ...wanted,
    metadata: { ...wanted.metadata, managedFields: [{ manager: "m", operation: "Update" as const, fieldsV1 }] },
    spec: { ...wanted.spec, replicas: 0 },
    status: { conditions: [{ type: "Available", status: "True" }] },
  } as unknown as Deployment;
  return { ...world, strategy: { ...strategy, deployments: [live] } };
}

test("without --compat=deployment-edits a Deployment that was scaled to 0 is installed again", () => {
  assert.equal(next(scaledAway(keeping(""))), "InstallReady/ComponentUnhealthy");
});

test("with --compat=deployment-edits a Deployment that was scaled to 0 stays", () => {
  assert.equal(next(scaledAway(keeping("deployment-edits"))), "Succeeded/InstallSucceeded");
});

/** An install that began, and after which the Deployment does not exist. */
function deletedWhileInstalling(compat: Compat): CsvWorld {
  const base = csvAt("op.v1", "Installing", "InstallWaiting");
  const template = { metadata: { labels: { app: "d" } }, spec: { containers: [] } };
  const deployment = { name: "d", spec: { selector: { matchLabels: { app: "d" } }, template } };
  const install = { strategy: "deployment", spec: { deployments: [deployment] } };
  return worldOf({ ...base, spec: { ...base.spec, install } } as unknown as ClusterServiceVersion, { compat });
}

test("without --compat=deployment-edits a Deployment that is deleted while it rolls out is created again, five seconds after the install at the earliest", () => {
  const world = deletedWhileInstalling(keeping(""));
  const young = planCsv(world, began + 4_000);
  const [action] = young.actions;
  assert.equal(action?.kind === "status" && action.status.message, "installing: missing deployment with name=d");
  assert.equal(action?.kind === "status" && action.status.phase, "Installing");
  assert.equal(young.recheckAfterMs, 1_001);
  assert.equal(next(world, began + 5_000), "InstallReady/InstallWaiting");
});

test("with --compat=deployment-edits a Deployment that is deleted while it rolls out is missing until the install times out", () => {
  const world = deletedWhileInstalling(keeping("deployment-edits"));
  assert.equal(planCsv(world, began + 100_000).recheckAfterMs, 200_001);
  assert.equal(next(world, began + 299_999), "Installing/InstallWaiting");
  assert.equal(next(world, began + 300_000), "Failed/InstallCheckFailed");
});
