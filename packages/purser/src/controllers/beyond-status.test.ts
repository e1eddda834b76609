import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import type { Subscription } from "../apis/v0/subscription.ts";
import { beyondStatus } from "./beyond-status.ts";
import { allowsCopies } from "./v0/copied-csv/plan/copying.ts";
import { groupState } from "./v0/operator-group/plan/plan-operator-group.ts";
import { permissionState } from "./v0/operator-permissions/plan/permission-scope.ts";
import { referredTo } from "./v0/operator/plan/plan-adoption.ts";

const held: KubeObject = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: { namespace: "ns", name: "op.v1", uid: "u", generation: 1, resourceVersion: "1", labels: { a: "1" } },
  status: { phase: "Pending" },
};
const metadata = (changed: object): KubeObject =>
  ({ ...held, metadata: { ...held.metadata, resourceVersion: "2", ...changed } }) as KubeObject;
const filter = beyondStatus();

for (const [words, before, after, expected] of [
  ["another status only", held, { ...metadata({}), status: { phase: "Succeeded" } } as KubeObject, false],
  ["another field manager", held, metadata({ managedFields: [{ manager: "m" }] }), false],
  ["a new object", undefined, held, true],
  ["an object that was deleted", held, undefined, true],
  ["another specification", held, metadata({ generation: 2 }), true],
  ["an object of the same name", held, metadata({ uid: "v" }), true],
  ["another label", held, metadata({ labels: { a: "2" } }), true],
  ["an annotation", held, metadata({ annotations: { a: "2" } }), true],
  ["a deletion that begins", held, metadata({ deletionTimestamp: "t" }), true],
  ["a finalizer", held, metadata({ finalizers: ["f"] }), true],
  ["an owner", held, metadata({ ownerReferences: [{ kind: "K" }] }), true],
  ["an object without generations", metadata({ generation: undefined }), metadata({ generation: undefined }), true],
] as const)
  test(`${words} ${expected ? "is more than" : "is only"} a change of status`, () =>
    assert.equal(filter({ ...(before && { before }), ...(after && { after }) }), expected));

const csv = (phase?: string, reason?: string): ClusterServiceVersion =>
  ({ ...held, status: { phase, reason } }) as unknown as ClusterServiceVersion;
const ofCsvs = {
  copies: beyondStatus<ClusterServiceVersion>((one) => [allowsCopies(one)]),
  group: beyondStatus<ClusterServiceVersion>(groupState),
  permissions: beyondStatus<ClusterServiceVersion>(permissionState),
};

for (const [before, after, expected] of [
  [csv(), csv("Pending", "RequirementsUnknown"), ["copies", "permissions"]],
  [csv("Pending", "RequirementsNotMet"), csv("InstallReady", "AllRequirementsMet"), ["group"]],
  [csv("InstallReady", "AllRequirementsMet"), csv("Installing", "InstallSucceeded"), []],
  [csv("Installing", "InstallWaiting"), csv("Succeeded", "InstallSucceeded"), []],
  [csv("Succeeded", "InstallSucceeded"), csv("Failed", "NoOperatorGroup"), ["copies", "permissions"]],
  [csv("Succeeded", "InstallSucceeded"), csv("Failed", "InterOperatorGroupOwnerConflict"), ["copies", "permissions"]],
  [csv("Succeeded", "InstallSucceeded"), csv("Succeeded", "Copied"), ["copies", "group"]],
] as const) {
  const { phase: from = "none" } = before.status ?? {};
  const { phase: to, reason } = after.status ?? {};
  test(`a CSV that goes from ${from} to ${to}/${reason} concerns ${expected.join(" and ") || "neither copies nor group nor permissions"}`, () => {
    const concerned = Object.entries(ofCsvs).flatMap(([name, filters]) => (filters({ before, after }) ? [name] : []));
    assert.deepEqual(concerned, expected);
  });
}

for (const [words, status, expected] of [
  ["another installed CSV", { installedCSV: "op.v2" }, true],
  ["another InstallPlan", { installedCSV: "op.v1", installPlanRef: { name: "install-b" } }, true],
  [
    "another state only",
    { installedCSV: "op.v1", installPlanRef: { name: "install-a" }, state: "AtLatestKnown" },
    false,
  ],
] as const)
  test(`a Subscription with ${words} ${expected ? "may have" : "has no"} other components`, () => {
    const before = { ...held, status: { installedCSV: "op.v1", installPlanRef: { name: "install-a" } } };
    const change = { before, after: { ...metadata({}), status } } as unknown as {
      before: Subscription;
      after: Subscription;
    };
    assert.equal(beyondStatus(referredTo)(change), expected);
  });
