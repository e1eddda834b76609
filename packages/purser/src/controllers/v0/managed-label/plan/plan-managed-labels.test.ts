import assert from "node:assert/strict";
import { test } from "node:test";
import { roleBindings, roles } from "@purser/kubernetes/apis/resources";
import { planManagedLabels, type Unlabelled } from "./plan-managed-labels.ts";

const copied = { "olm.copiedFrom": "ops" };
const left = (type: Unlabelled["type"], namespace: string, metadata: object = {}): Unlabelled => ({
  type,
  object: {
    apiVersion: "v1",
    kind: type.kind,
    metadata: { namespace, name: "op", uid: `uid-${namespace}`, ...metadata },
  },
});

test("an operator's own objects are labelled before the copies of its permissions, each only if it is still the one seen", () => {
  const { actions } = planManagedLabels([
    left(roles, "tenant", { labels: copied }),
    left(roles, "ops"),
    left(roleBindings, "tenant", { labels: copied }),
    left(roleBindings, "ops"),
  ]);
  const labelled = (type: Unlabelled["type"], namespace: string) => ({
    kind: "write",
    write: {
      verb: "patch",
      type,
      key: { namespace, name: "op" },
      patchType: "merge",
      patch: { metadata: { labels: { "olm.managed": "true" }, uid: `uid-${namespace}` } },
      fieldManager: "olm-ownership-labeller",
    },
  });
  assert.deepEqual(actions, [
    labelled(roles, "ops"),
    labelled(roleBindings, "ops"),
    labelled(roles, "tenant"),
    labelled(roleBindings, "tenant"),
  ]);
});

test("what is being deleted is not labelled", () => {
  assert.deepEqual(planManagedLabels([left(roles, "ops", { deletionTimestamp: "2026-01-01T00:00:00Z" })]), {
    actions: [],
  });
});
