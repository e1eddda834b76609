// What the pieces that read an InstallPlan before it is approved, and what an installation had before, ask of a cluster.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { done, failed } from "@purser/kubernetes/result";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { RecordingCluster } from "../../../conformance/suites/v0/recording-cluster.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import type { Installation } from "../../installation/installation.ts";
import { indexOfBlobs, shortBlobs } from "../../resolver/testing/short-catalog.ts";
import { readHistory } from "../history/read-history.ts";
import { revisionBundle } from "../history/revision-bundle.ts";
import type { KeptCatalogs } from "../kept-catalogs.ts";
import { approvingUser } from "./approving-user.ts";
import { knownBundles, reviewWaitingPlan } from "./waiting-plan.ts";

const v0 = { apiVersion: "operators.coreos.com/v1alpha1" };
const csvOf = (name: string) => ({
  ...v0,
  kind: "ClusterServiceVersion",
  metadata: {
    name,
    annotations: {
      "operatorframework.io/properties": JSON.stringify({
        properties: [{ type: "olm.package", value: { packageName: name.split(".")[0], version: name.slice(-5) } }],
      }),
    },
  },
  spec: { version: name.slice(-5), install: { strategy: "deployment", spec: { deployments: [] } } },
});
const stepOf = (name: string, sourceName: string, manifest = JSON.stringify(csvOf(name))) => ({
  resolving: name,
  status: "Unknown",
  resource: {
    group: "operators.coreos.com",
    version: "v1alpha1",
    kind: "ClusterServiceVersion",
    name,
    manifest,
    sourceName,
    sourceNamespace: "olm",
  },
});
const clayStep = stepOf(
  "clay.v1.0.0",
  "cat",
  JSON.stringify({
    ...v0,
    kind: "Subscription",
    metadata: { name: "clay" },
    spec: { name: "clay", channel: "stable" },
  }),
);
/** A dependency has no Subscription on the cluster: it is a step as well. */
const claySubscription = { ...clayStep, resource: { ...clayStep.resource, kind: "Subscription", name: "clay" } };
const planOf = (name: string, steps: readonly ReturnType<typeof stepOf>[], more: object = {}) =>
  ({
    ...v0,
    kind: "InstallPlan",
    metadata: { namespace: "ns", name },
    spec: {
      clusterServiceVersionNames: [...new Set(steps.map(({ resolving }) => resolving))],
      approval: "Manual",
      approved: false,
      ...more,
    },
    status: { phase: "Complete", plan: steps },
  }) as unknown as InstallPlan;
const subscription = {
  ...v0,
  kind: "Subscription",
  metadata: { namespace: "ns", name: "my" },
  spec: { name: "kiln", channel: "stable" },
  status: { currentCSV: "kiln.v2.0.0", installedCSV: "kiln.v1.0.0" },
};
/** Serves no kinds, so that nothing is compared with live objects. */
function clientWith(objects: readonly object[]): KubeClient {
  const cluster = new RecordingCluster(objects as readonly KubeObject[]);
  return {
    get: cluster.get.bind(cluster),
    list: cluster.list.bind(cluster),
    requestJson: async () => null,
  } as unknown as KubeClient;
}

const index = indexOfBlobs([
  ...shortBlobs({
    "kiln/stable": ["kiln.v1.0.0 1.0.0", "kiln.v2.0.0 2.0.0 r=kiln.v1.0.0 R=Clay"],
    "clay/stable": ["clay.v1.0.0 1.0.0 P=Clay"],
  }),
  {
    schema: "olm.deprecations",
    package: "kiln",
    entries: [{ reference: { schema: "olm.bundle", name: "kiln.v2.0.0" }, message: "2.0.0 is old" }],
  },
]);
const kept = {
  ofSource: ({ metadata }: KubeObject) => (metadata.name === "cat" ? index : undefined),
} as unknown as KeptCatalogs;
const never = { known: () => Promise.reject<never>(new Error("not asked")) };
const sources = ["cat", "other"].map((name) => ({
  ...v0,
  kind: "CatalogSource",
  metadata: { namespace: "olm", name },
}));

test("a waiting plan shows what nobody asked for and what is deprecated, as far as its catalogs are kept here", async () => {
  const review = async (steps: readonly ReturnType<typeof stepOf>[], objects: readonly object[]) => {
    const found = await reviewWaitingPlan(planOf("next", steps), { client: clientWith(objects), kept, bundles: never });
    if (!found.ok) return [found.problem.code, found.problem.summary];
    return found.value.map(({ to, dependencies, deprecations }) => [to.name, dependencies, deprecations]);
  };
  const both = [stepOf("kiln.v2.0.0", "cat"), stepOf("clay.v1.0.0", "cat"), claySubscription];
  const clay = { bundle: "clay.v1.0.0", askedBy: [{ bundle: "kiln.v2.0.0", requirement: "Clay.g.io" }] };
  assert.deepEqual(await review(both, [subscription, ...sources]), [
    ["kiln.v2.0.0", [clay], ["2.0.0 is old"]],
    ["clay.v1.0.0", [], []],
  ]);
  const nothing = [
    ["kiln.v2.0.0", [], []],
    ["clay.v1.0.0", [], []],
  ];
  assert.deepEqual(await review(both, [subscription]), nothing);
  const elsewhere = [stepOf("kiln.v2.0.0", "other"), stepOf("clay.v1.0.0", "other")];
  assert.deepEqual(await review(elsewhere, [subscription, ...sources]), nothing);
  assert.deepEqual(await review([stepOf("kiln.v9.0.0", "cat")], [subscription, ...sources]), [["kiln.v9.0.0", [], []]]);
  assert.deepEqual(await review([stepOf("kiln.v2.0.0", "cat", "{")], [subscription]), [
    "BundleInvalid",
    "kiln.v2.0.0 cannot be installed: the manifest of ClusterServiceVersion kiln.v2.0.0 is not an object",
  ]);
});

test("the bundles of all requests are read before the first answer, and one that was not asked for is pending", async () => {
  const asked: string[] = [];
  const answerOf = (image: string) => ({
    state: { kind: "pending" as const, since: image.length },
    objects: undefined,
  });
  const known = async ({ reference }: { readonly reference: string }) => {
    asked.push(reference);
    return answerOf(reference);
  };
  const request = (reference: string) =>
    ({ reference, packageName: "p", version: "1.0.0", credentials: [], policy: [] }) as never;
  const bundles = await knownBundles({ known } as never)([request("a"), request("bb")]);
  assert.deepEqual(asked, ["a", "bb"]);
  const answers = ["a", "bb", "ccc"].map((image) => bundles(request(image)));
  assert.deepEqual(answers, [
    answerOf("a"),
    answerOf("bb"),
    { state: { kind: "pending", since: 0 }, objects: undefined },
  ]);
});

test("the approving user is whom the API server sees, where it says so", async () => {
  const user = (answer: unknown) => {
    const requests: unknown[] = [];
    const write = async (request: unknown) => {
      requests.push(request);
      return answer;
    };
    return approvingUser({ write } as unknown as KubeClient, new AbortController().signal).then((name) => [
      name,
      requests,
    ]);
  };
  const [name, requests] = await user(done({ object: { status: { userInfo: { username: "ana" } } } }));
  assert.equal(name, "ana");
  assert.deepEqual(requests, [
    {
      verb: "create",
      type: {
        group: "authentication.k8s.io",
        version: "v1",
        kind: "SelfSubjectReview",
        plural: "selfsubjectreviews",
        namespaced: false,
      },
      object: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview", metadata: {} },
    },
  ]);
  for (const answer of [done({}), done({ object: {} }), done({ object: { status: {} } }), failed({ kind: "notFound" })])
    assert.equal((await user(answer))[0], undefined);
});

const installation = (more: Partial<Installation>): Installation =>
  ({ api: "v0", namespace: "ns", name: "my", reference: "sub/ns/my", ...more }) as Installation;
const setOf = (name: string, owner: string) => ({
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterObjectSet",
  metadata: {
    name,
    labels: { "olm.operatorframework.io/owner-name": owner },
    annotations: { "olm.operatorframework.io/bundle-name": `${name}.v1` },
  },
  spec: { lifecycleState: "Active", revision: 1, phases: [] },
});

test("the history of an installation is what its InstallPlans or ClusterObjectSets hold, each revision as its objects", async () => {
  const plan = planOf("first", [stepOf("kiln.v1.0.0", "cat")], { generation: 1, approved: true });
  const client = clientWith([subscription, plan, setOf("kiln-1", "kiln"), setOf("clay-1", "clay")]);
  const histories = [
    await readHistory(client, installation({})),
    await readHistory(client, installation({ reference: "csv/ns/my" })),
    await readHistory(client, installation({ name: "gone" })),
    await readHistory(client, installation({ api: "v1", name: "kiln", reference: "ext/kiln" })),
  ];
  const shown = histories.map(
    (history) =>
      history && [
        history.api,
        history.revisions.map(({ name, outcome, approvedBy }) => [name, outcome, approvedBy ?? "-"]),
      ],
  );
  assert.deepEqual(shown, [
    ["v0", [["first", "current", "someone"]]],
    undefined,
    undefined,
    ["v1", [["kiln-1", "installing", "-"]]],
  ]);
  const [first, , , extension] = histories;
  assert.ok(first !== undefined && extension !== undefined);
  const bundlesFor = knownBundles(never);
  const bundleOf = async (history: typeof first, name: string) => {
    const found = await revisionBundle(history, { ...history.revisions[0], name } as never, client, bundlesFor);
    return found.ok ? [found.value.name, found.value.version] : found.problem;
  };
  assert.deepEqual(
    [
      await bundleOf(first, "first"),
      await bundleOf(first, "gone"),
      await bundleOf(extension, "kiln-1"),
      await bundleOf(extension, "gone"),
    ],
    [
      ["kiln.v1.0.0", "1.0.0"],
      "InstallPlan gone does not exist",
      ["kiln-1.v1", ""],
      "ClusterObjectSet gone does not exist",
    ],
  );
});
