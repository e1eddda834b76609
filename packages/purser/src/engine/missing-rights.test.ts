import assert from "node:assert/strict";
import { test } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import type { ClusterRole } from "@purser/kubernetes/apis/rbac";
import { clusterRoleBindings, clusterRoles, events } from "@purser/kubernetes/apis/resources";
import type { JsonValue } from "@purser/kubernetes/json";
import type { Log } from "@purser/kubernetes/kube/log";
import {
  clusterExtensions,
  clusterObjectSets,
  clusterServiceVersions,
  installPlans,
  subscriptions,
} from "../apis/olm-resources.ts";
import { accessManifests } from "../deploy/access.ts";
import { resolve } from "../deploy/template.ts";
import { defaultValues } from "../deploy/values.ts";
import { World } from "./testing/world.ts";

/** One verb on one resource, as `create deployments.apps`. */
type RightName = string;

const { namespace, name: account } = { namespace: defaultValues.namespace, name: "purser" };
const user = {
  name: `system:serviceaccount:${namespace}:${account}`,
  groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
};
const manifests = accessManifests.flatMap((template) => resolve(template, defaultValues) ?? []) as never[];
const role = manifests.find(({ kind }) => kind === "ClusterRole") as unknown as ClusterRole;
const binding = manifests.find(({ kind }) => kind === "ClusterRoleBinding") as never;

interface Atom {
  readonly name: RightName;
  readonly rule: NonNullable<ClusterRole["rules"]>[number];
}

const atoms: readonly Atom[] = (role.rules ?? []).flatMap(({ apiGroups = [], resources = [], verbs }) =>
  apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => ({
        name: `${verb} ${resource}${group === "" ? "" : `.${group}`}`,
        rule: { apiGroups: [group], resources: [resource], verbs: [verb] },
      })),
    ),
  ),
);

function roleWithout(missing: RightName | undefined): ClusterRole {
  if (missing === undefined) return role;
  const rules = atoms.filter(({ name }) => name !== missing).map(({ rule }) => rule);
  assert.notEqual(rules.length, atoms.length, `there is a right ${missing}`);
  // `list` of everything stands for every single one.
  const isList = missing.startsWith("list ");
  return { ...role, rules: isList ? rules.filter(({ resources }) => resources?.[0] !== "*") : rules };
}

/** A cluster in which Purser's ServiceAccount lacks a right from the start, or none. */
async function worldWithout(missing: RightName | undefined, log?: Log): Promise<World> {
  const world = await World.open({
    user,
    ...(log === undefined ? {} : { log }),
    async prepare(client) {
      const never = new AbortController().signal;
      await client.write({ verb: "create", type: clusterRoles, object: roleWithout(missing) }, never);
      await client.write({ verb: "create", type: clusterRoleBindings, object: binding }, never);
    },
  });
  await world.tenant("ops");
  await world.subscribe("ops", "logbook-db", { startingCSV: "logbook-db.v1.2.0" });
  await world.extend("ballast-cache");
  return world;
}

const csv = { namespace: "ops", name: "logbook-db.v1.2.0" };
const subscriptionInstalls = (world: World): Promise<unknown> =>
  world.reaches(clusterServiceVersions, csv, "Succeeded", ({ status }) => status?.phase === "Succeeded");
const extensionInstalls = (world: World): Promise<unknown> =>
  world.reaches(
    clusterExtensions,
    { name: "ballast-cache" },
    "installed",
    ({ status }) => status?.conditions?.some(({ type, status: is }) => type === "Installed" && is === "True") === true,
  );
const restored = (world: World): Promise<void> =>
  world.merge(clusterRoles, { name: role.metadata.name ?? "" }, { rules: role.rules } as unknown as JsonValue);

/** What the API server says about a request without the right. */
function refusalOf(missing: RightName): string {
  const [verb = "", resource = ""] = missing.split(" ");
  const [plural = "", ...group] = resource.split(".");
  return `cannot ${verb} resource "${plural}" in API group "${group.join(".")}"`;
}

const shownIn = (object: unknown, missing: RightName): boolean =>
  JSON.stringify(object).replaceAll("\\", "").includes(refusalOf(missing));

test("with its own rights alone Purser installs, upgrades by approval and removes, and no request is forbidden", async () => {
  const forbidden: string[] = [];
  const world = await worldWithout(undefined, (_level, message, facts) => {
    const line = `${message} ${JSON.stringify(facts)}`;
    // What is still requested in a namespace that is being deleted is refused to everybody.
    if (line.includes("is forbidden") && !line.includes("because it is being terminated")) forbidden.push(line);
  });
  try {
    await Promise.all([subscriptionInstalls(world), extensionInstalls(world)]);
    await world.tenant("approved");
    await world.subscribe("approved", "logbook-db", {
      startingCSV: "logbook-db.v1.0.0",
      installPlanApproval: "Manual",
    });
    for (const version of ["v1.0.0", "v1.1.0", "v1.2.0"]) {
      await world.approve("approved", `logbook-db.${version}`);
      const key = { namespace: "approved", name: `logbook-db.${version}` };
      await world.reaches(clusterServiceVersions, key, "Succeeded", ({ status }) => status?.phase === "Succeeded");
    }
    await world.remove(subscriptions, { namespace: "approved", name: "logbook-db" });
    await world.remove(clusterServiceVersions, { namespace: "approved", name: "logbook-db.v1.2.0" });
    await world.remove(clusterExtensions, { name: "ballast-cache" });
    await world.vanishes(clusterExtensions, { name: "ballast-cache" });
    await world.settled();
    assert.deepEqual(forbidden, []);
    assert.deepEqual(
      (await world.client.list(events)).filter(({ reason }) => reason === "PermissionDenied"),
      [],
    );
    assert.deepEqual(world.engine.cache.unfollowed(), []);
  } finally {
    await world.stop();
  }
});

// Where a user finds the missing right, and which installation goes on meanwhile.
const rows: readonly (readonly [
  missing: RightName,
  shown: "extension" | "plan" | "event",
  goesOn: "v0" | "v1" | "none",
])[] = [
  ["create serviceaccounts", "extension", "none"],
  ["get customresourcedefinitions.apiextensions.k8s.io", "extension", "none"],
  ["patch secrets", "extension", "v0"],
  ["create roles.rbac.authorization.k8s.io", "plan", "v1"],
  ["create installplans.operators.coreos.com", "event", "v1"],
  ["update clusterserviceversions/status.operators.coreos.com", "event", "v1"],
  ["create clusterobjectsets.olm.operatorframework.io", "extension", "v0"],
  ["update clusterextensions/status.olm.operatorframework.io", "event", "v0"],
];

for (const [missing, shown, goesOn] of rows)
  test(`without the right to ${missing} the ${shown} names it, what does not need it goes on, and the rest once it is granted`, async () => {
    const world = await worldWithout(missing);
    try {
      await world.until(
        `${refusalOf(missing)} in ${shown}`,
        async () => {
          switch (shown) {
            case "extension":
              return shownIn(await world.client.get(clusterExtensions, { name: "ballast-cache" }), missing);
            case "plan":
              return shownIn(
                (await world.client.list(installPlans)).map(({ status }) => status?.message),
                missing,
              );
            case "event":
              return shownIn(
                (await world.client.list(events)).filter(({ reason }) => reason === "PermissionDenied"),
                missing,
              );
          }
        },
        { seen: () => world.client.get(clusterExtensions, { name: "ballast-cache" }) },
      );
      if (goesOn === "v0") await subscriptionInstalls(world);
      if (goesOn === "v1") await extensionInstalls(world);
      await restored(world);
      await Promise.all([subscriptionInstalls(world), extensionInstalls(world)]);
    } finally {
      await world.stop();
    }
  });

for (const missing of ["watch catalogsources.operators.coreos.com", "list deployments.apps"])
  test(`without the right to ${missing} the caches name it, and everything is installed once it is granted`, async () => {
    const world = await worldWithout(missing);
    try {
      await world.until("the missing right", () => Promise.resolve(shownIn(world.engine.cache.unfollowed(), missing)), {
        seen: () => Promise.resolve(world.engine.cache.unfollowed()),
      });
      await restored(world);
      await Promise.all([subscriptionInstalls(world), extensionInstalls(world)]);
    } finally {
      await world.stop();
    }
  });

/** Every place where a user finds why an installation does not go on. */
async function namedSomewhere(world: World, missing: RightName): Promise<boolean> {
  const seen = await Promise.all([
    world.client.list(clusterExtensions),
    world.client.list(installPlans),
    world.client.list(clusterServiceVersions),
    world.client.list(subscriptions),
    world.client.list(events),
    world.client.list(clusterObjectSets),
  ]);
  return shownIn([...seen, world.engine.cache.unfollowed()], missing);
}

const isInstalled = async (world: World): Promise<boolean> => {
  const [installed, extension] = await Promise.all([
    world.client.get(clusterServiceVersions, csv),
    world.client.get(clusterExtensions, { name: "ballast-cache" }),
  ]);
  return (
    installed?.status?.phase === "Succeeded" &&
    findCondition(extension?.status?.conditions, "Installed")?.status === "True"
  );
};

/** `all`, or how many of the others, spread over the list: each takes some seconds. */
const asked = process.env["PURSER_TEST_RIGHTS"] ?? "0";
const others = atoms.filter(({ name }) => !rows.some(([missing]) => missing === name));
const step = asked === "all" ? 1 : Math.ceil(others.length / Math.max(1, Number(asked)));
for (const { name: missing } of asked === "0" ? [] : others.filter((_, index) => index % step === 0))
  test(`without the right to ${missing} both families install, or it is named, and they do once it is granted`, async () => {
    const world = await worldWithout(missing);
    try {
      await world.until(
        `${refusalOf(missing)}, or both installed`,
        async () => (await isInstalled(world)) || (await namedSomewhere(world, missing)),
        { seen: () => world.client.list(clusterExtensions) },
      );
      await restored(world);
      await Promise.all([subscriptionInstalls(world), extensionInstalls(world)]);
    } finally {
      await world.stop();
    }
  });
