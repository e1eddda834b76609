import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { roleBindings, roles, services } from "@purser/kubernetes/apis/resources";
import { isReferring, planManagedLabels, type Unlabelled } from "./plan-managed-labels.ts";

const copied = { "olm.copiedFrom": "ops" };
const left = (type: Unlabelled["type"], namespace: string, metadata: object = {}): Unlabelled => ({
  type,
  object: {
    apiVersion: "v1",
    kind: type.kind,
    ...(type.kind === "Role" ? { rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }] } : {}),
    ...(type.kind === "RoleBinding"
      ? {
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "op" },
          subjects: [{ kind: "ServiceAccount", name: "op", namespace: "ops" }],
        }
      : {}),
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
  const hashes = {
    Role: "11rrkxEvVvfh9HkCh7cyssbBqZFy9B7koZklln",
    RoleBinding: "5NSsUIdz3dP4k2ZePfZtylMRCndu4IKB3iGllF",
  };
  const labelled = (type: Unlabelled["type"], namespace: string) => ({
    kind: "write",
    write: {
      verb: "patch",
      type,
      key: { namespace, name: "op" },
      patchType: "merge",
      patch: {
        metadata: {
          labels: { "olm.managed": "true", "olm.permissions.hash": hashes[type.kind as keyof typeof hashes] },
          uid: `uid-${namespace}`,
        },
      },
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

test("an existing hash of permissions stays, and other kinds get none", () => {
  const kept = left(roles, "ops", { labels: { "olm.permissions.hash": "kept" } });
  const labels = planManagedLabels([kept, left(services, "ops")]).actions.map(({ write }) =>
    write.verb === "patch"
      ? (write.patch as unknown as { readonly metadata: KubeObject["metadata"] }).metadata.labels
      : undefined,
  );
  assert.deepEqual(labels, [{ "olm.managed": "true" }, { "olm.managed": "true" }]);
});

test("only a reference to the very CSV makes an object one of its bundle", () => {
  const owned = (...owners: readonly (readonly [kind: string, name: string])[]) => {
    const ownerReferences = owners.map(([kind, name]) => ({ apiVersion: "v1", kind, name, uid: "1" }));
    return isReferring(left(services, "ops", { ownerReferences }).object, "op.v1");
  };
  assert.equal(owned(["CatalogSource", "op.v1"], ["ClusterServiceVersion", "op.v1"]), true);
  assert.equal(owned(["ClusterServiceVersion", "other.v1"]), false);
  assert.equal(owned(["CatalogSource", "op.v1"]), false);
  assert.equal(owned(), false);
});
