import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { withInstalledAlongside } from "../../rollout/plan/installed-alongside.ts";
import { changedBeyondMarks, changedMarks } from "./crd-state.ts";

const one = { namespace: "a", name: "op.v1" };
const two = { namespace: "b", name: "op.v1" };
const nobody = { namespace: "", name: "" };

const crd = (marks: readonly (typeof one)[], metadata: object = {}, rest: object = {}): KubeObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "foos.g.io", uid: "u", annotations: withInstalledAlongside({}, marks, nobody), ...metadata },
  ...rest,
});
const before = crd([one], { resourceVersion: "1", labels: { "olm.managed": "true" } });

const table: readonly (readonly [string, KubeObject | undefined, boolean])[] = [
  ["that got a mark", crd([one, two], { resourceVersion: "2", labels: { "olm.managed": "true" } }), false],
  ["that lost its mark", crd([], { resourceVersion: "2", labels: { "olm.managed": "true" } }), false],
  [
    "that got a component label",
    crd([one], { labels: { "olm.managed": "true", "operators.coreos.com/a.b": "" } }),
    false,
  ],
  ["that got another label", crd([one], { labels: { "olm.managed": "true", team: "a" } }), true],
  ["with another generation", crd([one], { generation: 2, labels: { "olm.managed": "true" } }), true],
  ["with another status", crd([one], { labels: { "olm.managed": "true" } }, { status: { conditions: [] } }), true],
  ["that was deleted", undefined, true],
];

for (const [words, after, expected] of table)
  test(`a definition ${words} ${expected ? "is another" : "is the same"} for those that do not ask for marks`, () => {
    assert.equal(changedBeyondMarks({ before, ...(after === undefined ? {} : { after }) }), expected);
  });

test("a definition that appears is a change for all", () => {
  assert.equal(changedBeyondMarks({ after: before }), true);
});

test("the marks that changed are those that came and those that went", () => {
  assert.deepEqual(changedMarks({ before: crd([one]), after: crd([two]) }), [one, two]);
  assert.deepEqual(changedMarks({ before: crd([one]), after: crd([one, two]) }), [two]);
  assert.deepEqual(changedMarks({ before: crd([one]) }), [one]);
});
