// Approval of a ClusterExtension's upgrade: nothing but exactly what was approved is installed.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import {
  clusterRoles,
  customResourceDefinitions,
  events,
  namespaced,
  serviceAccounts,
} from "@purser/kubernetes/apis/resources";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { clusterExtensions, clusterObjectSets, clusterUpdatePolicies } from "../apis/olm-resources.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
  original = await readFile(catalogFile(), "utf8");
});
after(() => world?.stop());

let original = "";
const never = new AbortController().signal;
const name = "ballast-cache";
const bundle = `${name}.v0.4.1`;

async function policy(policyName: string, spec: JsonObject): Promise<void> {
  const object = {
    apiVersion: "purser.dev/v1alpha1",
    kind: "ClusterUpdatePolicy",
    metadata: { name: policyName },
    spec,
  };
  const made = await world.client.write({ verb: "create", type: clusterUpdatePolicies, object }, never);
  assert.ok(made.ok, JSON.stringify(made));
}

const annotate = (annotations: JsonValue): Promise<void> =>
  world.merge(clusterExtensions, { name }, { metadata: { annotations } });

async function conditionOf(type: string, of = name): Promise<string | undefined> {
  const { status } = (await world.client.get(clusterExtensions, { name: of })) ?? {};
  const found = findCondition(status?.conditions, type);
  return found === undefined ? undefined : `${found.reason}: ${found.message}`;
}

async function installedVersion(): Promise<string | undefined> {
  return (await world.client.get(clusterExtensions, { name }))?.status?.install?.bundle.version;
}

/** What the extension says is waiting, in the form of an approval. */
async function pendingPlan(): Promise<string | undefined> {
  return (await world.client.get(clusterExtensions, { name }))?.metadata.annotations?.["purser.dev/plan"];
}

const zeros = `sha256:${"0".repeat(64)}`;

let number = 0;
/** A digest that nothing has, another one each time. */
const numbered = (): string => `sha256:${String(++number).padStart(64, "0")}`;

/** Approves the changes of the digest, and returns the digest of what would be done instead. */
async function refused(digest: string): Promise<string> {
  await annotate({ "purser.dev/approved-plan": `${bundle}@${digest}` });
  const message = await world.until(
    "a stale approval",
    async () => {
      const text = await conditionOf("PlanStale");
      return text?.includes(digest) === true ? text : undefined;
    },
    { seen: () => conditionOf("PlanStale") },
  );
  const [, now = ""] = /are now (sha256:[0-9a-f]{64}): nothing is changed/.exec(message) ?? [];
  assert.equal(
    message,
    `Changed: The changes of ${bundle} that were approved, ${digest}, are now ${now}: nothing is changed. See and approve them: purser approve ext/${name}`,
  );
  await world.settled();
  assert.equal(await installedVersion(), "0.4.0");
  return now;
}

test("an upgrade waits for the approval that a policy asks for, and a pass meanwhile reads nothing live", async () => {
  await world.extend(name, "0.4.0");
  await world.until("0.4.0", async () => (await installedVersion()) === "0.4.0");
  await policy("prod", { selector: { names: [name] }, approval: { patch: "Manual" } });
  await world.merge(clusterExtensions, { name }, { spec: { source: { catalog: { version: null } } } });
  const held = await world.until("held", () => conditionOf("UpdateHeld"));
  assert.equal(
    held,
    `ApprovalRequired: ${bundle} is held back by ClusterUpdatePolicy prod: patch upgrades need approval. see what it changes, and approve it: purser approve ext/${name}`,
  );
  await world.settled();
  assert.equal(await installedVersion(), "0.4.0");
  const plan = await world.until("the plan", pendingPlan);
  assert.match(plan, /^ballast-cache\.v0\.4\.1@sha256:[0-9a-f]{64}$/);
  await world.settled();
  const [reads, writes, passes] = [world.engineReads.length, world.engineWrites.length, world.passes()];
  await annotate({ touched: "once" });
  await world.settled();
  assert.ok((world.passes()["cluster-extension"] ?? 0) > (passes["cluster-extension"] ?? 0));
  assert.deepEqual([world.engineReads.slice(reads), world.engineWrites.slice(writes)], [[], []]);
});

test("the approval of another bundle, or one that is no digest, approves nothing", async () => {
  for (const text of [`${name}.v0.4.0@${zeros}`, bundle, `${bundle}@sha256:12`, "yes"]) {
    await annotate({ "purser.dev/approved-plan": text });
    await world.settled();
    assert.match((await conditionOf("UpdateHeld")) ?? "", /^ApprovalRequired: /, text);
    assert.equal(await conditionOf("PlanStale"), undefined, text);
  }
  assert.equal(await installedVersion(), "0.4.0");
});

test("a stale approval shows both digests, and is not compared again before another one is given", async () => {
  const digest = await refused(zeros);
  assert.equal(await pendingPlan(), `${bundle}@${digest}`);
  assert.match((await conditionOf("UpdateHeld")) ?? "", /^ApprovalRequired: /);
  const [reads, writes, passes] = [world.engineReads.length, world.engineWrites.length, world.passes()];
  await annotate({ touched: "twice" });
  await world.settled();
  assert.ok((world.passes()["cluster-extension"] ?? 0) > (passes["cluster-extension"] ?? 0));
  assert.deepEqual([world.engineReads.slice(reads), world.engineWrites.slice(writes)], [[], []]);
});

const crd = { name: "caches.ballast.demo.purser.dev" };
const caches = namespaced("ballast.demo.purser.dev", "v1", "Cache", "caches");
const account = { namespace: name, name: `${name}-controller` };
const bundleFile = () => join(world.bundlesDirectory, name, "0.4.1", "manifests", `${name}.clusterserviceversion.yaml`);
for (const [input, change] of [
  ["a live object", () => world.merge(serviceAccounts, account, { metadata: { labels: { team: "blue" } } })],
  ["the live CRD", () => world.merge(customResourceDefinitions, crd, { metadata: { labels: { team: "blue" } } })],
  [
    "a version in which objects of the CRD are stored",
    async () => {
      const { status } = (await world.client.get(customResourceDefinitions, crd)) ?? {};
      await world.mergeStatus(customResourceDefinitions, crd, {
        storedVersions: [...(status?.storedVersions ?? []), "v0"],
      });
    },
  ],
  [
    "a live ClusterRole of it",
    async () => {
      const roles = await world.client.list(clusterRoles, {
        labelSelector: `olm.operatorframework.io/owner-name=${name}`,
      });
      const key = { name: roles[0]?.metadata.name ?? "" };
      await world.merge(clusterRoles, key, { metadata: { labels: { team: "blue" } } });
    },
  ],
  [
    "the number of its custom resources, from none to one",
    () =>
      world.create(caches, {
        apiVersion: "ballast.demo.purser.dev/v1",
        kind: "Cache",
        metadata: { namespace: name, name: "first" },
        spec: { sizeMi: 32 },
      }),
  ],
  [
    "the configuration",
    () =>
      world.merge(
        clusterExtensions,
        { name },
        {
          spec: { config: { configType: "Inline", inline: { watchNamespace: name } } },
        },
      ),
  ],
  [
    "a file of the bundle",
    async () =>
      writeFile(
        bundleFile(),
        `${await readFile(bundleFile(), "utf8")}# changed
`,
      ),
  ],
] as const)
  test(`an approval is stale when ${input} changes between the plan and the installation`, async () => {
    const before = await refused(numbered());
    await change();
    // A changed file is noticed after a while.
    const after = await world.until("other changes", async () => {
      const now = await refused(numbered());
      return now === before ? undefined : now;
    });
    assert.equal(await refused(before), after);
  });

const catalogFile = () => join(world.catalogDirectory, name, "catalog.yaml");
/** What decides on the version, altered after the changes were seen; `undo` restores it. */
for (const [input, change, undo, shows] of [
  [
    "a policy that denies it",
    () => world.merge(clusterUpdatePolicies, { name: "prod" }, { spec: { level: "none" } }),
    () => world.merge(clusterUpdatePolicies, { name: "prod" }, { spec: { level: null } }),
    /^VersionHeld: ballast-cache\.v0\.4\.1 is held back by ClusterUpdatePolicy prod: /,
  ],
  [
    "a version that the extension asks for",
    () => world.merge(clusterExtensions, { name }, { spec: { source: { catalog: { version: "0.4.0" } } } }),
    () => world.merge(clusterExtensions, { name }, { spec: { source: { catalog: { version: null } } } }),
    undefined,
  ],
  [
    "a catalog that offers another bundle in its place",
    () => writeFile(catalogFile(), original.replaceAll(bundle, `${name}.v0.4.2`)),
    () => writeFile(catalogFile(), original),
    /^ApprovalRequired: ballast-cache\.v0\.4\.2 is held back/,
  ],
] as const)
  test(`what was approved is not installed after ${input}, whatever its digest`, async () => {
    const digest = await refused(numbered());
    await annotate({ "purser.dev/approved-plan": null });
    await change();
    await world.until(
      "another decision",
      async () => {
        const held = await conditionOf("UpdateHeld");
        return shows === undefined ? held === undefined : held !== undefined && shows.test(held);
      },
      { seen: () => conditionOf("UpdateHeld") },
    );
    await annotate({ "purser.dev/approved-plan": `${bundle}@${digest}` });
    await world.settled();
    assert.equal(await installedVersion(), "0.4.0");
    await annotate({ "purser.dev/approved-plan": null });
    await undo();
    await world.until("the approval that is needed again", async () =>
      (await conditionOf("UpdateHeld"))?.startsWith(`ApprovalRequired: ${bundle} `),
    );
  });

test("what is approved is installed, once, and an event says who approved it", async () => {
  await world.mergeStatus(customResourceDefinitions, crd, { storedVersions: ["v1"] });
  await refused(numbered());
  // As kubectl annotate does it with what the extension shows.
  const [, digest = ""] = /^ballast-cache\.v0\.4\.1@(.*)$/.exec((await pendingPlan()) ?? "") ?? [];
  const revisions = (await world.client.list(clusterObjectSets)).length;
  await annotate({ "purser.dev/approved-plan": `${bundle}@${digest}` });
  await world.until("0.4.1", async () => (await installedVersion()) === "0.4.1", {
    seen: async () => JSON.stringify(await world.client.get(clusterExtensions, { name })),
  });
  await world.settled();
  assert.deepEqual([await conditionOf("PlanStale"), await conditionOf("UpdateHeld")], [undefined, undefined]);
  assert.equal(await pendingPlan(), undefined);
  assert.equal((await world.client.list(clusterObjectSets)).length, revisions + 1);
  const told = await world.until("an event", async () => {
    const found = (await world.client.list(events)).filter(({ reason }) => reason === "Approved");
    return found.length === 0 ? undefined : found;
  });
  assert.equal(told.length, 1);
  assert.match(
    told[0]?.message ?? "",
    new RegExp(
      `^${bundle} in place of ballast-cache\\.v0\\.4\\.0 is installed with the changes ${digest}, approved by \\S+ at \\d{4}-\\d{2}-\\d{2}T[\\d:]+Z$`,
    ),
  );
});

test("a first installation waits where the policy asks for its approval", async () => {
  await policy("first", { selector: { names: ["first"] }, approval: { install: "Manual" } });
  await world.namespace("first");
  await world.create(clusterExtensions, {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    metadata: { name: "first" },
    spec: { namespace: "first", source: { sourceType: "Catalog", catalog: { packageName: "semaphore-gateway" } } },
  });
  const text = await world.until("a refusal", () => conditionOf("Progressing", "first"));
  assert.match(text, /^Retrying: ApprovalRequired: ClusterExtension first waits: .* installations need approval/);
});
