import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clusterRoleBindings, clusterRoles, namespaces, roleBindings, roles } from "@purser/kubernetes/apis/resources";
import type { PolicyRule } from "@purser/kubernetes/apis/rbac";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { clusterServiceVersions, operatorGroups } from "../apis/olm-resources.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

const name = "logbook-db.v1.2.0";
const group = (namespace: string) => ({ namespace, name: "group" });

async function installed(namespace: string): Promise<void> {
  const isDone = (csv: { readonly status?: { readonly phase?: string } }): boolean => csv.status?.phase === "Succeeded";
  await world.reaches(clusterServiceVersions, { namespace, name }, "Succeeded", isDone);
  await world.settled();
}

/** `Role a`, `ClusterRole`: where the permissions of the operator in the namespace hold beside it. */
async function permissions(namespace: string): Promise<readonly string[]> {
  const own = new Set((await world.client.list(roles, { namespace })).map(({ metadata }) => metadata.name));
  const found = await Promise.all(
    ([roles, roleBindings, clusterRoles, clusterRoleBindings] as readonly ResourceType[]).map(async (type) =>
      (await world.client.list(type)).filter(
        ({ metadata }) => own.has(metadata.name) && metadata.namespace !== namespace,
      ),
    ),
  );
  return found
    .flat()
    .filter(({ metadata }) => metadata.labels?.["olm.owner"] === name)
    .map(({ kind, metadata }) => `${kind}${metadata.namespace === undefined ? "" : ` ${metadata.namespace}`}`)
    .sort();
}

const verbsOf = (rules: readonly PolicyRule[] | undefined): readonly string[] =>
  rules?.flatMap(({ verbs }) => verbs) ?? [];

test("the ClusterRoles of an installed operator's APIs are aggregated into admin, edit, view and the group's roles", async () => {
  await world.tenant("ops", {});
  await world.subscribe("ops", "logbook-db", { startingCSV: name });
  await installed("ops");
  const all = await world.client.list(clusterRoles);
  const ofApi = all.filter(({ metadata }) => metadata.name?.startsWith("ledgers.") === true);
  assert.deepEqual(
    ofApi.map(({ metadata }) => metadata.name),
    ["admin", "crdview", "edit", "view"].map((suffix) => `ledgers.logbook.demo.purser.dev-v1-${suffix}`),
  );
  const granting = all.filter(
    ({ metadata, rules }) =>
      !ofApi.some((role) => role.metadata.name === metadata.name) &&
      rules?.some(({ apiGroups }) => apiGroups?.includes("logbook.demo.purser.dev")) === true,
  );
  const names = granting.map(({ metadata }) => metadata.name?.replace(/-[^-]{30,}$/, "") ?? "");
  for (const aggregated of ["admin", "edit", "olm.og.group.admin", "olm.og.group.edit", "olm.og.group.view", "view"])
    assert.ok(names.includes(aggregated), `${aggregated} is among ${names.join()}`);
});

test("a role of an API that was changed or deleted is restored", async () => {
  const key = { name: "ledgers.logbook.demo.purser.dev-v1-view" };
  await world.merge(clusterRoles, key, { rules: [] });
  await world.reaches(clusterRoles, key, "with its rules", ({ rules }) => verbsOf(rules).join() === "get,list,watch");
  await world.remove(clusterRoles, key);
  await world.until("the role again", async () => (await world.client.get(clusterRoles, key)) !== undefined);
});

test("permissions follow the targets of a group", async () => {
  for (const name of ["tenant-a", "tenant-b"])
    await world.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await installed("ops");
  const reach = async (expected: readonly string[]): Promise<void> => {
    await world.until(
      expected.join(", "),
      async () => JSON.stringify(await permissions("ops")) === JSON.stringify(expected),
      { seen: () => permissions("ops") },
    );
    await world.settled();
    assert.deepEqual(await permissions("ops"), expected);
  };
  await reach(["ClusterRole", "ClusterRoleBinding"]);
  const target = (targetNamespaces: readonly string[] | null): Promise<void> =>
    world.merge(operatorGroups, group("ops"), { spec: { targetNamespaces } });
  await target(["ops", "tenant-a", "tenant-b"]);
  await reach(["Role tenant-a", "Role tenant-b", "RoleBinding tenant-a", "RoleBinding tenant-b"]);
  await world.remove(roles, await onlyRole("tenant-b"));
  await reach(["Role tenant-a", "Role tenant-b", "RoleBinding tenant-a", "RoleBinding tenant-b"]);
  await target(["ops", "tenant-b"]);
  await reach(["Role tenant-b", "RoleBinding tenant-b"]);
  await target(["ops"]);
  await reach([]);
  await target(null);
  await reach(["ClusterRole", "ClusterRoleBinding"]);
});

async function onlyRole(namespace: string): Promise<{ readonly namespace: string; readonly name: string }> {
  const [role] = await world.client.list(roles, { namespace });
  return { namespace, name: role?.metadata.name ?? "" };
}

test("an unchanged pass over permissions and roles of APIs reads and writes nothing", async () => {
  await world.settled();
  const [reads, writes, passes] = [world.engineReads.length, world.engineWrites.length, world.passes()];
  await world.merge(clusterServiceVersions, { namespace: "ops", name }, { metadata: { labels: { touched: "yes" } } });
  await world.until(
    "a pass",
    async () => (world.passes()["operator-permissions"] ?? 0) > (passes["operator-permissions"] ?? 0),
  );
  await world.settled();
  assert.ok((world.passes()["api-roles"] ?? 0) > (passes["api-roles"] ?? 0));
  assert.deepEqual(world.engineReads.slice(reads), []);
  assert.deepEqual(world.engineWrites.slice(writes), []);
});

test("what a deleted operator held outside its namespace is deleted", async () => {
  await world.merge(operatorGroups, group("ops"), { spec: { targetNamespaces: ["ops", "tenant-a"] } });
  await world.until(
    "a tenant role",
    async () => (await world.client.list(roles, { namespace: "tenant-a" })).length > 0,
  );
  await world.settled();
  await world.remove(clusterServiceVersions, { namespace: "ops", name });
  await world.until(
    "no tenant roles",
    async () => (await world.client.list(roles, { namespace: "tenant-a" })).length === 0,
  );
  assert.deepEqual(await world.client.list(roleBindings, { namespace: "tenant-a" }), []);
});
