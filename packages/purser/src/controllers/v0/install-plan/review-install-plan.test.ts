import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ApiServer, createApiServer } from "@purser/apiserver";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { JsonObject } from "@purser/kubernetes/json";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { RecordingCluster } from "../../../../conformance/suites/v0/recording-cluster.ts";
import type { InstallPlan } from "../../../apis/v0/install-plan.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import { reviewInstallPlan, revisionOfPlan } from "./review-install-plan.ts";

const v0 = { apiVersion: "operators.coreos.com/v1alpha1" };
let server: ApiServer;
let served: KubeClient;

before(async () => {
  server = await createApiServer({
    clock: new VirtualClock(Date.parse("2026-01-01T00:00:00Z")),
    entropy: new SeededEntropy(1),
    controllers: false,
  });
  served = createClient(server.transport());
});
after(() => server.stop());

/** What the API server serves, with objects of OLM v0 beside it. */
function clientWith(held: readonly object[]): KubeClient {
  const cluster = new RecordingCluster(held as readonly KubeObject[]);
  return Object.create(served, {
    list: { value: cluster.list.bind(cluster) },
    get: { value: cluster.get.bind(cluster) },
  }) as KubeClient;
}

const csvOf = (name: string, version: string, images: readonly string[] = ["i:1"], modes: readonly string[] = []) => ({
  ...v0,
  kind: "ClusterServiceVersion",
  metadata: { namespace: "ns", name },
  spec: {
    version,
    installModes: modes.map((type) => ({ type, supported: true })),
    install: {
      strategy: "deployment",
      spec: {
        permissions: [{ serviceAccountName: "op", rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }] }],
        deployments: images.map((image, at) => ({
          name: `manager-${at}`,
          spec: {
            selector: { matchLabels: { app: "op" } },
            template: { metadata: { labels: { app: "op" } }, spec: { containers: [{ name: "c", image }] } },
          },
        })),
      },
    },
  },
});

const stepOf = (resolving: string, object: JsonObject | string) => {
  const [group, version] = ["operators.coreos.com", "v1alpha1"];
  const { kind, metadata } =
    typeof object === "string"
      ? { kind: "ClusterServiceVersion", metadata: { name: "broken" } }
      : (object as unknown as KubeObject);
  const manifest = typeof object === "string" ? object : JSON.stringify(object);
  return { resolving, status: "Present", resource: { group, version, kind, name: metadata.name, manifest } };
};

interface PlanFields {
  readonly generation?: number;
  readonly phase?: string;
  readonly names?: readonly string[];
}

const planOf = (name: string, steps: readonly object[], { generation, phase, names = ["op.v2"] }: PlanFields = {}) =>
  ({
    ...v0,
    kind: "InstallPlan",
    metadata: { namespace: "ns", name },
    spec: { clusterServiceVersionNames: names, approval: "Manual", approved: false, generation },
    status: { phase, plan: steps },
  }) as unknown as InstallPlan;

const subscriptionOf = (name: string, currentCSV: string, installedCSV?: string, config?: object) =>
  ({
    ...v0,
    kind: "Subscription",
    metadata: { namespace: "ns", name },
    spec: { name: "op", channel: "stable", ...(config === undefined ? {} : { config }) },
    status: { currentCSV, installedCSV },
  }) as unknown as Subscription;

const groupOf = (spec: object, status?: object) => ({
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: { namespace: "ns", name: "g" },
  spec,
  ...(status === undefined ? {} : { status }),
});

const bundlesFor = async () => () => ({ state: { kind: "pending", since: 0 } as const, objects: undefined });

/** The review of a plan among these objects, as far as it does not depend on how changes are shown. */
async function reviewed(plan: InstallPlan, held: readonly object[], moving?: ReadonlyMap<string, Subscription>) {
  const found = await reviewInstallPlan(plan, { client: clientWith(held), bundlesFor }, moving);
  if (!found.ok) return found.problem;
  return found.value.map(
    ({ plan: { installation, from, to, total }, csv, packageName, subscription, channel, steps }) => ({
      installation,
      from,
      to,
      images: total.images.map(({ image, change }) => `${change} ${image}`),
      namespaces: total.permissions.map(({ namespace }) => namespace),
      of: [csv, packageName, subscription?.metadata.name, channel, steps.length],
    }),
  );
}

const [one, two] = [csvOf("op.v1", "1.0.0"), csvOf("op.v2", "2.0.0", ["i:2"])];
const waiting = planOf("next", [stepOf("op.v2", two), stepOf("other", csvOf("other", "9.0.0"))]);

test("without a version before, everything of a ClusterServiceVersion is new, for the Subscription that points at it", async () => {
  const expected = {
    installation: "sub/ns/sub",
    from: undefined,
    to: { name: "op.v2", version: "2.0.0" },
    images: ["added i:2"],
    namespaces: ["ns"],
    of: ["op.v2", "op", "sub", "stable", 1],
  };
  const held = [subscriptionOf("other", "op.v1"), subscriptionOf("sub", "op.v2")];
  assert.deepEqual(await reviewed(waiting, held), [expected]);
  const installed = [subscriptionOf("sub", "op.v2", "op.v2"), two];
  assert.deepEqual(await reviewed(waiting, installed), [expected]);
  assert.deepEqual(await reviewed(waiting, [subscriptionOf("sub", "op.v2", "op.v1")]), [expected]);
  const moving = new Map([["op.v2", subscriptionOf("moving", "op.v1")]]);
  assert.deepEqual(await reviewed(waiting, held, moving), [
    { ...expected, installation: "sub/ns/moving", of: ["op.v2", "op", "moving", "stable", 1] },
  ]);
});

test("the version before is that of the newest InstallPlan that began with its steps, else its ClusterServiceVersion", async () => {
  const before = (image: string) => stepOf("op.v1", csvOf("op.v1", "1.0.0", [image]));
  const held = [
    subscriptionOf("sub", "op.v2", "op.v1"),
    csvOf("op.v1", "1.0.0", ["live:1"]),
    planOf("old", [before("old:1")], { generation: 1, phase: "Complete" }),
    planOf("new", [before("new:1")], { generation: 2, phase: "Installing" }),
    planOf("failed", [before("failed:1")], { generation: 3, phase: "Failed" }),
    planOf("other", [stepOf("other.v1", csvOf("other.v1", "1.0.0"))], { generation: 4, phase: "Complete" }),
  ];
  const images = async (objects: readonly object[]) => {
    const found = await reviewed(waiting, objects);
    return Array.isArray(found) ? [found[0]?.from, ...(found[0]?.images ?? [])] : found;
  };
  const from = { name: "op.v1", version: "1.0.0" };
  assert.deepEqual(await images(held), [from, "added i:2", "removed new:1"]);
  assert.deepEqual(await images(held.filter((_, at) => at !== 3)), [from, "added i:2", "removed old:1"]);
  assert.deepEqual(await images(held.slice(0, 2)), [from, "added i:2", "removed live:1"]);
  const unreadable = planOf("broken", [stepOf("op.v1", "[]")], { generation: 9, phase: "Complete" });
  assert.deepEqual(await images([...held, unreadable]), {
    csv: "op.v2",
    message: "the manifest of ClusterServiceVersion broken is not an object",
  });
});

test("a dependency is named by the Subscription among its steps, else by its bundle", async () => {
  const generated = { ...v0, kind: "Subscription", metadata: { name: "dep" }, spec: { name: "dep", channel: "fast" } };
  const plan = planOf("next", [stepOf("op.v2", two), stepOf("op.v2", generated)]);
  const of = async (of: InstallPlan) => {
    const found = await reviewed(of, []);
    return Array.isArray(found) ? found.map((csv) => [csv.installation, ...csv.of]) : found;
  };
  assert.deepEqual(await of(plan), [["dependency/ns/dep", "op.v2", "dep", undefined, "fast", 2]]);
  assert.deepEqual(await of(waiting), [["dependency/ns/op.v2", "op.v2", "op.v2", undefined, "", 1]]);
});

test("what the accounts may do counts in the namespaces of the OperatorGroup, else in those of the install modes", async () => {
  const all = planOf("next", [stepOf("op.v2", csvOf("op.v2", "2.0.0", ["i:2"], ["AllNamespaces"]))]);
  const namespaces = async (plan: InstallPlan, ...groups: readonly object[]) => {
    const found = await reviewed(plan, groups);
    return Array.isArray(found) ? found[0]?.namespaces : found;
  };
  assert.deepEqual(
    [
      await namespaces(waiting, groupOf({ targetNamespaces: ["spec"] }, { namespaces: ["a", "b"] })),
      await namespaces(waiting, groupOf({ targetNamespaces: ["spec"] })),
      await namespaces(waiting, groupOf({})),
      await namespaces(all),
      await namespaces(all, groupOf({}, { namespaces: ["a"] })),
    ],
    [["a", "b"], ["spec"], ["ns"], [undefined], ["a"]],
  );
});

test("the account of the OperatorGroup and the configuration of the Subscription are inputs of the plan", async () => {
  const digest = async (...held: readonly object[]) => {
    const found = await reviewInstallPlan(waiting, { client: clientWith(held), bundlesFor });
    assert.ok(found.ok);
    return found.value[0]?.plan.digest;
  };
  const targets = { targetNamespaces: ["ns"] };
  const [sub, configured] = [
    subscriptionOf("sub", "op.v2"),
    subscriptionOf("sub", "op.v2", undefined, { env: [{ name: "A", value: "1" }] }),
  ];
  const digests = [
    await digest(sub, groupOf(targets)),
    await digest(sub, groupOf({ ...targets, serviceAccountName: "bob" })),
    await digest(configured, groupOf(targets)),
  ];
  assert.equal(new Set(digests).size, 3);
  assert.equal(await digest(sub, groupOf(targets)), digests[0]);
});

test("a plan without steps of a ClusterServiceVersion, or with steps that cannot be read, has no review", async () => {
  assert.deepEqual(await reviewed(planOf("empty", []), []), {
    csv: "op.v2",
    message: "InstallPlan empty has no steps yet",
  });
  assert.deepEqual(await reviewed({ ...planOf("empty", []), status: undefined } as never, []), {
    csv: "op.v2",
    message: "InstallPlan empty has no steps yet",
  });
  assert.deepEqual(await reviewed(planOf("broken", [stepOf("op.v2", "[]")]), []), {
    csv: "op.v2",
    message: "the manifest of ClusterServiceVersion broken is not an object",
  });
});

test("a revision is the objects of its steps, in the namespaces of the OperatorGroup, with the configuration", async () => {
  const plan = planOf("old", [stepOf("op.v1", one)]);
  const config = { env: [{ name: "A", value: "1" }] };
  const client = clientWith([groupOf({ targetNamespaces: ["far"] })]);
  const found = await revisionOfPlan(plan, "op.v1", subscriptionOf("sub", "op.v1", "op.v1", config), {
    client,
    bundlesFor,
  });
  assert.ok(found.ok);
  const { name, version, csv, granted, objects, stays, deprecations } = found.value;
  assert.deepEqual([name, version, csv, deprecations], ["op.v1", "1.0.0", one, []]);
  assert.ok(JSON.stringify(objects).includes('{"name":"A","value":"1"}'));
  assert.deepEqual(
    granted.map((object) => (object["metadata"] as { readonly namespace?: string }).namespace),
    ["far", "far"],
  );
  assert.deepEqual([stays({ kind: "CustomResourceDefinition" }), stays({ kind: "Service" })], [true, false]);
  const refused = await revisionOfPlan(plan, "op.v9", subscriptionOf("sub", "op.v1"), { client, bundlesFor });
  assert.deepEqual(refused, { ok: false, problem: "the bundle has no ClusterServiceVersion" });
});
