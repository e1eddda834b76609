import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { downtimeHints } from "./downtime-hints.ts";
import type { ObjectChange } from "./object-changes.ts";

const deployment = (spec: JsonObject, namespace: string | undefined = "ns", kind = "Deployment"): JsonObject => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "manager", ...(namespace === "" ? {} : { namespace }) },
  spec,
});
const hints = (
  before: JsonObject | undefined,
  after: JsonObject,
  change: ObjectChange["change"] = "changed",
  serving: readonly string[] = [],
  path: readonly string[] = [],
) =>
  downtimeHints(
    [
      {
        group: "apps",
        kind: String(JSON.parse(JSON.stringify(after["kind"]))),
        ...(JSON.stringify(after["metadata"]).includes("namespace") ? { namespace: "ns" } : {}),
        name: "manager",
        change,
        fields: path.length === 0 ? [] : [{ kind: "added", path: path.map((field) => ({ field })), after: 1 }],
        drift: [],
      },
    ],
    before === undefined ? [] : [before],
    [after],
    new Set(serving),
  );

const [a, b] = [{ spec: { a: 1 } }, { spec: { a: 2 } }];
const single = "Deployment ns/manager: 1 replica, which restarts; the new pod starts before the old one stops";
const recreated = "Deployment ns/manager: strategy Recreate stops all pods before new ones start";
const selected =
  "Deployment ns/manager: its selector changes, which the API server refuses; the Deployment has to be deleted and created again";

test("a changed Deployment with one replica restarts, one with several replaces its pods one by one", () => {
  assert.deepEqual(
    [
      hints(deployment({ template: a }), deployment({ template: b })),
      hints(deployment({ template: a }), deployment({ template: b, replicas: 1 })),
      hints(deployment({ template: a }), deployment({ template: b, replicas: 2 })),
      hints(deployment({ template: a }), deployment({ template: a, replicas: 1 })),
      hints(deployment({ template: a }), deployment({ template: b }), "kept"),
      hints(deployment({ template: a }), deployment({ template: b }), "created"),
      hints(deployment({ template: a }, "ns", "StatefulSet"), deployment({ template: b }, "ns", "StatefulSet")),
      hints(undefined, deployment({ template: b }), "changed", [], ["spec", "template", "spec"]),
      hints(undefined, deployment({ template: b }), "changed", [], ["spec", "replicas"]),
      hints(deployment({ template: a }, ""), deployment({ template: b }, "")),
    ],
    [[single], [single], [], [], [], [], [], [single], [], [single.replace("ns/", "")]],
  );
});

test("with strategy Recreate all pods stop, and admission webhooks that they serve with them", () => {
  const after = deployment({ template: b, strategy: { type: "Recreate" } });
  const webhooks = "; its admission webhooks are unavailable meanwhile";
  assert.deepEqual(
    [
      hints(deployment({ template: a }), after),
      hints(deployment({ template: a }), after, "changed", ["manager"]),
      hints(deployment({ template: a }), after, "changed", ["other"]),
      hints(deployment({ template: a }), deployment({ template: b, strategy: { type: "RollingUpdate" } })),
    ],
    [[recreated], [`${recreated}${webhooks}`], [recreated], [single]],
  );
});

test("a selector that changes needs the Deployment to be created again", () => {
  const of = (before: JsonObject, after: JsonObject) =>
    hints(deployment({ template: a, ...before }), deployment({ template: a, ...after }));
  assert.deepEqual(
    [
      of({ selector: { x: 1 } }, { selector: { x: 2 } }),
      of({ selector: { x: 1 } }, { selector: { x: 1 } }),
      of({}, { selector: { x: 1 } }),
      of({ selector: { x: 1 } }, {}),
    ],
    [[selected], [], [], [selected]],
  );
  assert.deepEqual(hints(deployment({ selector: { x: 1 } }), deployment({ selector: { x: 2 }, template: b })), [
    selected,
    single,
  ]);
});
