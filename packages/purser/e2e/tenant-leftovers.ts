// What Purser writes outside of an operator's namespace, which no owner reference reaches: roles in the targets, ClusterRoles,
// labels of namespaces. It is deleted with the target, the operator, the group or the namespace.
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { clusterRoleBindings, clusterRoles, namespaces, roleBindings, roles } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, operatorGroups, subscriptions } from "../src/apis/olm-resources.ts";
import type { Driver } from "./driver.ts";
import { eventually } from "./eventually.ts";
import { csvSucceeded, namespace } from "./flow-steps.ts";
import type { Flow } from "./flows.ts";
import { subscribed } from "./tenant-rights.ts";

const [ops, target, further] = ["leftover-ops", "leftover-target", "leftover-further"] as const;
const ours: readonly string[] = [ops, target, further];
const uidLabel = "olm.operatorgroup.uid/";

/** Kinds of what exists for the operator and its group, each with the namespace that it lies in: `Role leftover-target`. */
async function present(driver: Driver): Promise<readonly string[]> {
  const found: string[] = [];
  const add = (kind: string, objects: readonly KubeObject[]): void => {
    for (const { metadata } of objects)
      if (metadata.labels?.["olm.owner.namespace"] === ops || metadata.labels?.["olm.copiedFrom"] === ops)
        found.push(metadata.namespace === undefined ? kind : `${kind} ${metadata.namespace}`);
  };
  for (const where of ours) {
    add("Role", await driver.list(roles, where));
    add("RoleBinding", await driver.list(roleBindings, where));
  }
  add("ClusterRole", await driver.list(clusterRoles));
  add("ClusterRoleBinding", await driver.list(clusterRoleBindings));
  for (const { metadata } of await driver.list(namespaces))
    if (
      ours.includes(metadata.name ?? "") &&
      Object.keys(metadata.labels ?? {}).some((label) => label.startsWith(uidLabel))
    )
      found.push(`label ${metadata.name}`);
  return [...new Set(found)].toSorted();
}

const becomes = (driver: Driver, what: string, expected: readonly string[]): Promise<void> =>
  eventually(what, async () => {
    const [is, wanted] = [(await present(driver)).join(", "), expected.toSorted().join(", ")];
    return is === wanted ? undefined : `there is ${is}; wanted: ${wanted}`;
  });

const rolesIn = (...where: readonly string[]): readonly string[] =>
  where.flatMap((name) => [`Role ${name}`, `RoleBinding ${name}`]);
const labels = (...where: readonly string[]): readonly string[] => where.map((name) => `label ${name}`);
const clusterWide = ["ClusterRole", "ClusterRoleBinding"];

export const tenantLeftovers: Flow = {
  name: "v0: roles, bindings and labels elsewhere are deleted with the target, the operator, the group and the namespace",
  namespaces: [ops, target, further],
  crds: ["ledgers.takeover.example.com"],
  catalogs: "none",
  async run(driver) {
    await driver.apply([ops, target, further].map(namespace).join("---\n"));
    await driver.apply(subscribed(ops, { targetNamespaces: [ops, target] }));
    await csvSucceeded(driver, ops, "ledger.v1");
    await becomes(driver, "a group for two namespaces", [
      ...rolesIn(ops, target),
      ...labels(ops, target),
      ...clusterWide,
    ]);

    const group = { namespace: ops, name: "group" };
    await driver.merge(operatorGroups, group, { spec: { targetNamespaces: [ops, further] } });
    const moved = [...rolesIn(ops, further), ...labels(ops, further), ...clusterWide];
    await becomes(driver, "another target instead", moved);

    // A target that goes takes its roles with it; the others stay.
    await driver.remove(namespaces, { name: further });
    await becomes(driver, "a target that was deleted", [...rolesIn(ops), ...labels(ops), ...clusterWide]);

    await driver.remove(subscriptions, { namespace: ops, name: "ledger" });
    await driver.remove(clusterServiceVersions, { namespace: ops, name: "ledger.v1" });
    await becomes(driver, "an operator that was deleted", [...labels(ops), "ClusterRole"]);
    await driver.remove(operatorGroups, group);
    await becomes(driver, "a group that was deleted", []);

    await driver.apply(subscribed(ops, { targetNamespaces: [ops, target] }));
    await csvSucceeded(driver, ops, "ledger.v1");
    await becomes(driver, "the operator again", [...rolesIn(ops, target), ...labels(ops, target), ...clusterWide]);
    await driver.remove(namespaces, { name: ops });
    await becomes(driver, "the namespace of operator and group deleted at once", []);
  },
};
