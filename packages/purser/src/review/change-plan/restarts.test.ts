import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectChange } from "./object-changes.ts";
import { restartedBy, workloadsIn } from "./restarts.ts";

const changed = (kind: string, path: readonly string[], change: ObjectChange["change"] = "changed"): ObjectChange => ({
  group: "apps",
  kind,
  namespace: "ns",
  name: "manager",
  change,
  fields: [{ kind: "added", path: path.map((field) => ({ field })), after: 1 }],
  drift: [],
});
const template = ["spec", "template", "metadata", "annotations", "a"];

for (const [what, change, isRestarted] of [
  ["a pod template", changed("Deployment", template), true],
  ["a selector", changed("Deployment", ["spec", "selector", "matchLabels"]), true],
  ["a whole spec", changed("DaemonSet", ["spec"]), true],
  ["the template of a StatefulSet", changed("StatefulSet", template), true],
  ["the number of replicas", changed("Deployment", ["spec", "replicas"]), false],
  ["labels of the object", changed("Deployment", ["metadata", "labels"]), false],
  ["a member of another field that is called template", changed("Deployment", ["metadata", "template"]), false],
  ["a CronJob", changed("CronJob", template), false],
  ["a Deployment that is created", changed("Deployment", template, "created"), false],
] as const)
  test(`${what} ${isRestarted ? "replaces pods" : "replaces no pod"}`, () => {
    assert.equal(restartedBy([change]).length, isRestarted ? 1 : 0);
    assert.equal(workloadsIn([change]).length, change.kind === "CronJob" ? 0 : 1);
  });
