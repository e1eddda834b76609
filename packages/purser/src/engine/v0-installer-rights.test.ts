import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  serviceAccounts,
} from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, installPlans } from "../apis/olm-resources.ts";
import { bundleRights } from "../cli/bundle/rights.ts";
import type { Invocation } from "../cli/command.ts";
import { contentAt } from "../cli/image/local-content.ts";
import { webhookOperator } from "./testing/server-operator.ts";
import { installerManifests } from "../bundle/installer-manifests.ts";
import { installerRights } from "../bundle/installer-rights.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

const types: Readonly<Record<string, ResourceType>> = {
  ServiceAccount: serviceAccounts,
  Role: roles,
  RoleBinding: roleBindings,
  ClusterRole: clusterRoles,
  ClusterRoleBinding: clusterRoleBindings,
};

/** Puts on the cluster what `purser bundle rights` prints; returns what it says on stderr. */
async function grant(bundle: string, namespace: string, tier: string, account = "installer"): Promise<string> {
  const said: string[] = [];
  const outcome = bundleRights(
    {
      arguments: [bundle],
      options: { namespace, tier, account, output: "json" },
      terminal: { err: (line: string) => said.push(line) } as unknown as Invocation["terminal"],
      signal: new AbortController().signal,
    },
    contentAt(join(world.bundlesDirectory, bundle)),
  );
  const { items } = JSON.parse(outcome.verbatim ?? "") as { readonly items: readonly KubeObject[] };
  await apply(items);
  return said.join("\n");
}

async function apply(objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    const type = types[object.kind];
    assert.ok(type, object.kind);
    const { name = "", namespace } = object.metadata;
    const key = namespace === undefined ? { name } : { namespace, name };
    if ((await world.client.get(type, key)) === undefined) await world.create(type, object);
  }
}

const succeeded = (namespace: string, name: string): Promise<unknown> =>
  world.reaches(
    clusterServiceVersions,
    { namespace, name },
    "Succeeded",
    ({ status }) => status?.phase === "Succeeded",
  );

for (const [bundle, name, csv] of [
  ["logbook-db/1.2.0", "logbook-db", "logbook-db.v1.2.0"],
  ["ballast-cache/0.4.1", "ballast-cache", "ballast-cache.v0.4.1"],
] as const)
  test(`the account of the least tier installs ${name}, and no request of it is refused`, async () => {
    const namespace = `least-${name}`;
    await world.tenant(namespace, { targetNamespaces: [namespace], serviceAccountName: "installer" });
    assert.equal(await grant(bundle, namespace, "least-privilege"), "");
    const before = world.engineWrites.length;
    await world.subscribe(namespace, name, { startingCSV: csv });
    await succeeded(namespace, csv);
    const refused = world.engineWrites.slice(before).filter(({ status }) => status === 403);
    assert.deepEqual(refused, []);
    await world.remove(clusterServiceVersions, { namespace, name: csv });
    for (const { metadata } of await world.client.list(installPlans, { namespace }))
      await world.remove(installPlans, { namespace, name: metadata.name ?? "" });
  });

test("the account of the least tier serves webhooks with certificates of its own", async () => {
  const namespace = "least-webhooks";
  const csv = webhookOperator(namespace, "server.v1");
  await world.tenant(namespace, { targetNamespaces: [namespace], serviceAccountName: "installer" });
  const rights = installerRights({ csv, objects: [] }, namespace);
  const account = { namespace, name: "installer" };
  await apply(installerManifests(account, "least-privilege", rights) as unknown as readonly KubeObject[]);
  const before = world.engineWrites.length;
  await world.create(clusterServiceVersions, csv);
  await succeeded(namespace, "server.v1");
  assert.deepEqual(
    world.engineWrites.slice(before).filter(({ status }) => status === 403),
    [],
  );
});

test("an InstallPlan whose account is bounded to its namespace names every rule that is missing, and goes on with them", async () => {
  const namespace = "bounded";
  await world.tenant(namespace, { targetNamespaces: [namespace], serviceAccountName: "installer" });
  const missing =
    "ServiceAccount bounded/installer may not patch,update customresourcedefinitions.apiextensions.k8s.io ledgers.logbook.demo.purser.dev in the whole cluster; " +
    "create customresourcedefinitions.apiextensions.k8s.io in the whole cluster; " +
    "get,list,watch,update,patch ledgers.logbook.demo.purser.dev in the whole cluster; " +
    "get,list,watch,update,patch ledgers/status.logbook.demo.purser.dev in the whole cluster; " +
    "create,patch,update clusterrolebindings.rbac.authorization.k8s.io in the whole cluster; " +
    "create,patch,update clusterroles.rbac.authorization.k8s.io in the whole cluster";
  const said = await grant("logbook-db/1.2.0", namespace, "namespace-bounded");
  assert.equal(said, `this account cannot install the bundle: ${missing}`);
  await world.subscribe(namespace, "logbook-db", { startingCSV: "logbook-db.v1.2.0" });
  const plan = await world.until("a plan that names the rules", async () =>
    (await world.client.list(installPlans, { namespace })).find(
      ({ status }) => status?.message?.includes("PermissionDenied") === true,
    ),
  );
  assert.equal(
    plan.status?.message?.split("\n").at(-1),
    `PermissionDenied: ${missing}. \`purser bundle rights BUNDLE --namespace bounded --account installer\` writes the roles that it needs`,
  );
  await apply(
    installerManifests({ namespace, name: "installer" }, "cluster-admin", {
      cluster: [],
      namespaces: new Map(),
    }) as unknown as readonly KubeObject[],
  );
  await succeeded(namespace, "logbook-db.v1.2.0");
});
