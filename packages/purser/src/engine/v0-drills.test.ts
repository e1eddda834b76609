// An installation of OLM v0 meets one fault of a kind at each kind of write, or a change of its surroundings, and converges
// without help and without a second copy of anything. Kills: `v0-kills.test.ts`; lasting faults: `api-faults.test.ts`.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinitions,
  deployments,
  namespaces,
  roles,
  serviceAccounts,
} from "@purser/kubernetes/apis/resources";
import type { ApiRequest, ApiResponse } from "@purser/kubernetes/kube/transport";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { clusterServiceVersions, installPlans, operators, subscriptions } from "../apis/olm-resources.ts";
import { timePasses } from "./testing/passing-time.ts";
import { World } from "./testing/world.ts";

const clock = new VirtualClock(Date.now());
let world: World;
before(async () => {
  world = await World.open({ clock });
});
after(() => world?.stop());
beforeEach(() => {
  world.intercept = undefined;
  world.disturb = undefined;
});

const packageName = "ballast-cache";
const csv = "ballast-cache.v0.4.1";

async function reached(what: string, look: () => Promise<boolean>): Promise<void> {
  await world.until(what, async () => {
    if (await look()) return true;
    await timePasses(world, clock, 1000);
    return false;
  });
}

async function phaseOf(namespace: string): Promise<string | undefined> {
  return (await world.client.get(clusterServiceVersions, { namespace, name: csv }))?.status?.phase;
}

const succeeds = (namespace: string): Promise<void> =>
  reached(`${csv} in ${namespace} Succeeded`, async () => (await phaseOf(namespace)) === "Succeeded");

async function begin(namespace: string): Promise<void> {
  await world.tenant(namespace);
  await world.subscribe(namespace, packageName, { startingCSV: csv, installPlanApproval: "Manual" });
  await reached("an InstallPlan", async () => (await world.client.list(installPlans, { namespace })).length > 0);
  await world.approve(namespace, csv);
}

/** How many there are of what an installation makes once. */
async function counts(namespace: string): Promise<Readonly<Record<string, number>>> {
  const types: readonly ResourceType[] = [installPlans, clusterServiceVersions, deployments];
  const found = await Promise.all(types.map((type) => world.client.list(type, { namespace })));
  const made = types.map(({ kind }, index): readonly [string, number] => [kind, found[index]?.length ?? 0]);
  const own = (await world.client.list(operators)).filter(({ metadata }) => metadata.name?.endsWith(`.${namespace}`));
  return Object.fromEntries([...made, ["Operator", own.length]]);
}
const once = { InstallPlan: 1, ClusterServiceVersion: 1, Deployment: 1, Operator: 1 };

async function end(namespace: string): Promise<void> {
  await world.remove(subscriptions, { namespace, name: packageName });
  await world.remove(clusterServiceVersions, { namespace, name: csv });
  await reached("the CSV gone", async () => (await phaseOf(namespace)) === undefined);
  await world.remove(namespaces, { name: namespace });
  await reached(
    "the namespace gone",
    async () => (await world.client.get(namespaces, { name: namespace })) === undefined,
  );
}

const isWrite = ({ method, query }: ApiRequest): boolean => method !== "GET" && query?.get("dryRun") !== "All";

/** `PUT clusterserviceversions/status`; undefined for events, of which one may be lost. */
function kindOf({ method, path }: ApiRequest): string | undefined {
  const parts = path.split("/").slice(path.startsWith("/api/") ? 3 : 4);
  const [resource = "", , subresource] = parts[0] === "namespaces" && parts.length > 2 ? parts.slice(2) : parts;
  if (resource === "events") return undefined;
  return `${method} ${resource}${subresource === undefined ? "" : `/${subresource}`}`;
}

const refusal = (code: number, reason: string, details: object = {}): ApiResponse => {
  const value = { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason, details };
  return {
    status: code,
    headers: { "content-type": "application/json" },
    body: { kind: "object", value },
  } as ApiResponse;
};

/** Every kind of write that an installation is made of. */
const writes = [
  "PATCH installplans",
  "PATCH operatorgroups",
  "PATCH subscriptions",
  "POST clusterrolebindings",
  "POST clusterroles",
  "POST clusterserviceversions",
  "POST customresourcedefinitions",
  "POST deployments",
  "POST installplans",
  "POST operatorconditions",
  "POST operators",
  "POST rolebindings",
  "POST roles",
  "POST serviceaccounts",
  "PUT clusterserviceversions/status",
  "PUT installplans/status",
  "PUT operatorgroups/status",
  "PUT operators/status",
  "PUT subscriptions/status",
];

const faults: readonly (readonly [name: string, fault: () => ApiResponse, moment: "before" | "after"])[] = [
  ["is refused as a conflict (409)", () => refusal(409, "Conflict"), "before"],
  ["is refused as gone (410)", () => refusal(410, "Gone"), "before"],
  ["is throttled (429)", () => refusal(429, "TooManyRequests", { retryAfterSeconds: 1 }), "before"],
  ["fails in the server (500)", () => refusal(500, "InternalError"), "before"],
  [
    "times out before it is carried out",
    () => {
      throw new Error("socket hang up");
    },
    "before",
  ],
  ["is carried out and its answer is lost", () => refusal(504, "Timeout"), "after"],
];

/** From now on the first write of each kind meets the fault; the kinds that have met it. */
function meetFaults(fault: () => ApiResponse, moment: "before" | "after"): ReadonlySet<string> {
  const met = new Set<string>();
  const isFirst = (request: ApiRequest): boolean => {
    const kind = isWrite(request) ? kindOf(request) : undefined;
    if (kind === undefined || met.has(kind)) return false;
    met.add(kind);
    return true;
  };
  if (moment === "before") world.intercept = (request) => (isFirst(request) ? fault() : undefined);
  else
    world.disturb = (request, at) => {
      if (at === "after" && isFirst(request)) throw new Error("socket hang up");
    };
  return met;
}

for (const [index, [name, fault, moment]] of faults.entries())
  test(`an operator is installed once when the first write of each kind ${name}`, async () => {
    const namespace = `writes-${index}`;
    const met = meetFaults(fault, moment);
    await begin(namespace);
    await succeeds(namespace);
    await timePasses(world, clock, 10_000);
    world.intercept = undefined;
    world.disturb = undefined;
    const missed = writes.filter((kind) => !met.has(kind));
    // A definition stays when its operator is deleted.
    assert.deepEqual(missed, index === 0 ? [] : ["POST customresourcedefinitions"]);
    await timePasses(world, clock, 180_000);
    assert.equal(await phaseOf(namespace), "Succeeded");
    assert.deepEqual(await counts(namespace), once);
    await end(namespace);
  });

/** Kinds of writes that an upgrade and a deletion are made of. */
const writesOfUpgrade = [
  "DELETE clusterserviceversions",
  "PATCH clusterserviceversions",
  "PATCH deployments",
  "POST clusterserviceversions",
  "PUT clusterserviceversions/status",
  "PUT installplans/status",
  "PUT subscriptions/status",
];
const writesOfDeletion = ["DELETE clusterrolebindings", "DELETE clusterroles", "PATCH clusterserviceversions"];

for (const [index, [name, fault, moment]] of faults.entries())
  test(`an operator is upgraded once and deleted without remains when the first write of each kind ${name}`, async () => {
    const namespace = `moves-${index}`;
    const [before, after] = ["logbook-db.v1.1.0", "logbook-db.v1.2.0"];
    const phases = async (): Promise<readonly string[]> =>
      (await world.client.list(clusterServiceVersions, { namespace })).map(
        ({ metadata, status }) => `${metadata.name} ${status?.phase}`,
      );
    const succeeded = (csv: string): Promise<void> =>
      reached(`${csv} alone, Succeeded`, async () => (await phases()).join() === `${csv} Succeeded`);
    await world.tenant(namespace);
    await world.subscribe(namespace, "logbook-db", { startingCSV: before, installPlanApproval: "Manual" });
    await reached("an InstallPlan", async () => (await world.client.list(installPlans, { namespace })).length > 0);
    await world.approve(namespace, before);
    await succeeded(before);
    await reached("the next one", async () => (await world.client.list(installPlans, { namespace })).length > 1);

    const met = meetFaults(fault, moment);
    await world.approve(namespace, after);
    await succeeded(after);
    assert.deepEqual(
      writesOfUpgrade.filter((kind) => !met.has(kind)),
      [],
    );
    await timePasses(world, clock, 60_000);
    assert.deepEqual(await phases(), [`${after} Succeeded`]);
    assert.deepEqual(await counts(namespace), { ...once, InstallPlan: 2 });

    world.intercept = undefined;
    world.disturb = undefined;
    await world.remove(subscriptions, { namespace, name: "logbook-db" });
    const alsoMet = meetFaults(fault, moment);
    await world.remove(clusterServiceVersions, { namespace, name: after });
    await reached("no CSV", async () => (await phases()).length === 0);
    assert.deepEqual(
      writesOfDeletion.filter((kind) => !alsoMet.has(kind)),
      [],
    );
    world.intercept = undefined;
    world.disturb = undefined;
    await timePasses(world, clock, 30_000);
    const owned = { labelSelector: `olm.owner.namespace=${namespace}` };
    for (const type of [clusterRoles, clusterRoleBindings, roles, deployments] as readonly ResourceType[])
      assert.deepEqual(
        (await world.client.list(type, owned)).filter(({ metadata }) => metadata.name?.startsWith("logbook")),
        [],
      );
    await world.remove(namespaces, { name: namespace });
  });

test("an operator is installed again in a namespace that was deleted and made again", async () => {
  const namespace = "twice";
  await begin(namespace);
  await succeeds(namespace);
  await end(namespace);
  await begin(namespace);
  await succeeds(namespace);
  assert.deepEqual(await counts(namespace), once);
  await end(namespace);
});

for (const [words, byMs] of [
  ["a day forwards", 86_400_000],
  ["ten years forwards", 315_360_000_000],
] as const)
  test(`a clock that jumps ${words} changes nothing about an installed operator`, async () => {
    const namespace = `jump-${byMs}`;
    await begin(namespace);
    await succeeds(namespace);
    await timePasses(world, clock, 60_000);
    const before = world.engineWrites.length;
    clock.advance(byMs);
    await timePasses(world, clock, 60_000);
    assert.equal(await phaseOf(namespace), "Succeeded");
    assert.deepEqual(
      world.engineWrites.slice(before).map(({ method, path }) => `${method} ${path}`),
      [],
    );
    await end(namespace);
  });

for (const [words, byMs] of [
  ["an hour", 3_600_000],
  ["ten years", 315_360_000_000],
] as const)
  test(`a clock that is set back by ${words} changes nothing about an installed operator, and the next installs and heals within a minute`, async () => {
    const [still, next] = [`back-${byMs}`, `after-${byMs}`];
    await begin(still);
    await succeeds(still);
    // Fails, and is attempted again with growing pauses, which its status remembers by the wall clock.
    await begin(next);
    world.intercept = (request) =>
      isWrite(request) && request.path.endsWith(`/namespaces/${next}/deployments`)
        ? refusal(500, "InternalError")
        : undefined;
    await reached("a failed install", async () => (await phaseOf(next)) === "Failed");
    await timePasses(world, clock, 120_000);
    const before = world.engineWrites.length;
    clock.setBack(byMs);
    world.intercept = undefined;
    await timePasses(world, clock, 60_000);
    assert.equal(await phaseOf(next), "Succeeded");
    assert.equal(await phaseOf(still), "Succeeded");
    const touched = world.engineWrites.slice(before).filter(({ path }) => path.includes(`/namespaces/${still}/`));
    assert.deepEqual(
      touched.map(({ method, path }) => `${method} ${path}`),
      [],
    );
    assert.deepEqual(await counts(next), once);
    await end(still);
    await end(next);
  });

test("an operator waits for a definition that cannot finish its deletion, and is installed once it is deleted", async () => {
  const namespace = "terminating";
  await begin(namespace);
  await succeeds(namespace);
  const { spec } = (await world.client.get(clusterServiceVersions, { namespace, name: csv })) ?? {};
  const name = spec?.customresourcedefinitions?.owned?.[0]?.name ?? "";
  await end(namespace);
  await world.merge(customResourceDefinitions, { name }, { metadata: { finalizers: ["example.com/stuck"] } });
  await world.remove(customResourceDefinitions, { name });
  await begin(namespace);
  await timePasses(world, clock, 30_000);
  const isDeleting = async (): Promise<boolean> =>
    (await world.client.get(customResourceDefinitions, { name }))?.metadata.deletionTimestamp !== undefined;
  assert.equal(await isDeleting(), true);
  await world.merge(customResourceDefinitions, { name }, { metadata: { finalizers: null } });
  await reached("another definition", async () => {
    const live = await world.client.get(customResourceDefinitions, { name });
    return live !== undefined && live.metadata.deletionTimestamp === undefined;
  });
  await succeeds(namespace);
  await timePasses(world, clock, 180_000);
  assert.deepEqual(await counts(namespace), once);
  await end(namespace);
});

test("a CSV that lost its Subscription keeps working, and the next one for its package names it and the way out", async () => {
  const namespace = "orphaned";
  await begin(namespace);
  await succeeds(namespace);
  const uids = async (): Promise<readonly unknown[]> => {
    const found = await Promise.all(
      [clusterServiceVersions, deployments].map((type: ResourceType) => world.client.list(type, { namespace })),
    );
    return found.flat().map(({ metadata }) => metadata.uid);
  };
  const held = await uids();
  await world.remove(subscriptions, { namespace, name: packageName });
  await timePasses(world, clock, 60_000);
  assert.equal(await phaseOf(namespace), "Succeeded");
  await world.subscribe(namespace, packageName, { startingCSV: csv, installPlanApproval: "Manual" });
  await reached("the way out", async () => {
    const found = await world.client.get(subscriptions, { namespace, name: packageName });
    const failed = found?.status?.conditions?.find(({ type }) => type === "ResolutionFailed");
    return failed?.message?.includes(`purser adopt csv/${namespace}/${csv}`) === true;
  });
  await timePasses(world, clock, 60_000);
  assert.deepEqual(await uids(), held);
  await end(namespace);
});

test("an operator whose account is deleted while it is installed gets it back", async () => {
  const namespace = "account";
  await begin(namespace);
  await reached("an account", async () => {
    const accounts = await world.client.list(serviceAccounts, { namespace });
    return accounts.some(({ metadata }) => metadata.name !== "default");
  });
  const accounts = await world.client.list(serviceAccounts, { namespace });
  const own = accounts.find(({ metadata }) => metadata.name !== "default")?.metadata.name ?? "";
  await world.remove(serviceAccounts, { namespace, name: own });
  await reached(
    "the account again",
    async () => (await world.client.get(serviceAccounts, { namespace, name: own })) !== undefined,
  );
  await succeeds(namespace);
  assert.deepEqual(await counts(namespace), once);
  await end(namespace);
});
