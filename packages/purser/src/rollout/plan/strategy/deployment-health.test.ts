import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import { csvAt, worldOf } from "../../../controllers/v0/cluster-service-version/plan/testing/csv-world.ts";
import { desiredDeployment, strategyDeployments } from "./csv-deployment.ts";
import { checkDeployments } from "./deployment-health.ts";
import type { StrategyWorld } from "./strategy-world.ts";

const base = csvAt("op.v1", "Installing");
const template = { spec: { containers: [{ name: "c", image: "i" }] } };
const spec = { deployments: [{ name: "d", spec: { template } }] };
const csv = { ...base, spec: { ...base.spec, install: { strategy: "deployment", spec } } } as unknown as typeof base;

/** Variables of the Subscription that installed the CSV. */
const withConfig = (value: string): StrategyWorld => ({
  ...worldOf(csv).strategy,
  csv,
  subscriptions: [
    {
      metadata: { name: "s" },
      spec: { config: { env: [{ name: "A", value }] } },
      status: { installedCSV: "op.v1" },
    } as unknown as Subscription,
  ],
});

/** What the strategy wrote under the configuration, with a status. */
function live(value: string, status: Deployment["status"], labels: Readonly<Record<string, string>> = {}): Deployment {
  const world = withConfig(value);
  const [entry] = strategyDeployments(world);
  assert.ok(entry);
  const { object } = desiredDeployment(world, entry, undefined);
  const { metadata } = object as unknown as Deployment;
  return {
    ...(object as unknown as Deployment),
    metadata: { ...metadata, labels: { ...metadata.labels, ...labels } },
    ...(status === undefined ? {} : { status }),
  };
}

const condition = (type: string, status: "True" | "False", reason = ""): Deployment["status"] => ({
  conditions: [{ type, status, reason, message: "" }],
});
const waiting = condition("Available", "False");
const available = condition("Available", "True");
const stuck = condition("Progressing", "False", "ProgressDeadlineExceeded");
const hash = "olm.deployment-spec-hash";

const fieldsV1 = { "f:metadata": { "f:labels": { [`f:${hash}`]: {} } } };

/** The same after others scaled it to 0. */
function scaledAway(deployment: Deployment): Deployment {
  const { metadata, spec } = deployment;
  const managedFields = [{ manager: "m", operation: "Update" as const, fieldsV1 }];
  return { ...deployment, metadata: { ...metadata, managedFields }, spec: { ...spec, replicas: 0 } } as Deployment;
}

const table: readonly (readonly [string, Deployment, string])[] = [
  ["a Deployment that is not available yet is waited for", live("old", waiting), "waiting"],
  ["a Deployment that does not become ready fails", live("old", stuck), "timeout"],
  ["a changed configuration goes before an unavailable Deployment", live("new", waiting), "configurationChanged"],
  ["a changed configuration goes before a roll-out that is stuck", live("new", stuck), "configurationChanged"],
  ["an edit goes before an unavailable Deployment", scaledAway(live("old", waiting)), "deploymentUpdated"],
  ["a changed configuration goes before an edit", scaledAway(live("new", available)), "configurationChanged"],
  ["an edit of an available Deployment is repaired", scaledAway(live("old", available)), "deploymentUpdated"],
  [
    "the condition Available decides, not the number of pods that are available",
    live("old", { ...available, replicas: 2, updatedReplicas: 2, availableReplicas: 1, unavailableReplicas: 1 }),
    "healthy",
  ],
  ["a Deployment without a hash is waited for", live("new", waiting, { [hash]: "" }), "waiting"],
];

for (const [what, deployment, expected] of table)
  test(what, () => {
    assert.equal(checkDeployments({ ...withConfig("old"), deployments: [deployment] }, "repaired").kind, expected);
  });

test("what a CSV waits for is no annotation of its pods, and asks for no roll-out", () => {
  const annotations = { ...csv.metadata.annotations, "purser.dev/state": "{}" };
  const annotated = { ...csv, metadata: { ...csv.metadata, annotations } };
  const world = { ...withConfig("old"), csv: annotated };
  const [entry] = strategyDeployments(world);
  assert.ok(entry);
  const { object } = desiredDeployment(world, entry, undefined);
  assert.deepEqual(object, desiredDeployment(withConfig("old"), entry, undefined).object);
  assert.equal(checkDeployments({ ...world, deployments: [live("old", available)] }, "repaired").kind, "healthy");
});
