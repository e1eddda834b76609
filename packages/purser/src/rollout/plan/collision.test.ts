import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { revisionAnnotation } from "../../apis/v1/labels.ts";
import type { ClusterObjectSet, CollisionProtection } from "../../apis/v1/cluster-object-set.ts";
import { decideCollision, effectiveProtection } from "./collision.ts";

const set = (uid: string, revision: number) =>
  ({ metadata: { uid }, spec: { revision } }) as unknown as ClusterObjectSet;
const live = (controller: string | undefined, annotations: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "a",
    annotations,
    ownerReferences: [
      { apiVersion: "v1", kind: "Other", name: "b", uid: "no-controller" },
      ...(controller === undefined
        ? []
        : [{ apiVersion: "v1", kind: "ClusterObjectSet", name: "c", uid: controller, controller: true }]),
    ],
  },
});
const siblings = [set("older", 1), set("equal", 2), set("newer", 3)];

for (const [what, object, protection, expected] of [
  ["its own object is applied", live("own"), "Prevent", "apply"],
  ["that of an older revision is taken over", live("older"), "Prevent", "apply"],
  ["that of a newer revision is left to it", live("newer"), "None", "progressed"],
  ["that of a revision with the same number collides", live("equal"), "None", "collision"],
  ["that of another controller collides", live("foreign"), "IfNoController", "collision"],
  ["that of another controller is taken over without protection", live("foreign"), "None", "apply"],
  ["one without a controller collides", live(undefined), "Prevent", "collision"],
  ["one without a controller is taken over where that is allowed", live(undefined), "IfNoController", "apply"],
  ["one that a revision orphaned collides", live(undefined, { [revisionAnnotation]: "1" }), "None", "collision"],
] as const satisfies readonly (readonly [string, KubeObject, CollisionProtection, string])[])
  test(`an object that exists: ${what} (${protection})`, () =>
    assert.equal(decideCollision(object, set("own", 2), siblings, protection).kind, expected));

test("the nearest setting protects, without one Prevent", () => {
  assert.equal(effectiveProtection(undefined, "None", "IfNoController"), "None");
  assert.equal(effectiveProtection(undefined, undefined), "Prevent");
});
