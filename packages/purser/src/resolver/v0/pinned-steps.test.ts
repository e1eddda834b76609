// Cases of OLM v0's own resolver tests, restated: the steps of an InstallPlan when the catalog contains the objects of its
// bundles. Letter and number only identify the case; more cases are in pinned.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { resolveNow } from "../resolution.ts";
import { type Carried, carriedCatalog } from "../testing/carried-catalog.ts";
import { shortNamespace } from "../testing/short-world.ts";
import { planInstall, type PlannedInstall } from "./install-plan/plan-install.ts";
import { resolveNamespace } from "./resolve-namespace.ts";

interface World {
  readonly catalog: readonly Carried[];
  readonly subscriptions?: readonly string[];
  readonly installed?: readonly string[];
  readonly csvs?: readonly ClusterServiceVersion[];
}

/** `Kind name` of each step, `lookup name<replaced` of each lookup, `subscription->csv` of each Subscription that moves. */
function outcomeOf({ catalog, csvs = [], ...world }: World): readonly string[] {
  const index = carriedCatalog(catalog);
  const input = shortNamespace({ catalogs: { "olm/cat": {} }, ...world });
  const decided = {
    ...input,
    catalogs: [{ key: { namespace: "olm", name: "cat" }, priority: 0, content: { kind: "present", index } as const }],
    clusterServiceVersions: [...input.clusterServiceVersions, ...csvs],
  };
  const outcome = resolveNow(resolveNamespace(decided));
  if (outcome.kind !== "resolved") return [`${outcome.kind}: ${outcome.upstream}`];
  const install = planInstall({ ...decided, ...nothingElse }, outcome);
  if (install.kind === "refused") return [install.refusal.message];
  return [
    ...install.content.steps.map(
      ({ resource }) => `${resource.kind} ${resource.name.replace(/-[0-9a-zA-Z]{20,}$/, "-#")}`,
    ),
    ...install.content.lookups.map(({ identifier, replaces }) => `lookup ${identifier}<${replaces ?? ""}`),
    ...outcome.updated.map(({ subscription, currentCSV }) => `${subscription.metadata.name}->${currentCSV}`),
  ];
}

/** No InstallPlan yet, and no bundle that was read. */
const nothingElse = { installPlans: [], contents: new Map(), reservedGroups: "refused" } as const;

const csv = (name: string): string => `ClusterServiceVersion ${name}`;

/** An installed CSV whose APIs stand in its spec, as API services. */
function apiServiceCsv(name: string, owned: string): ClusterServiceVersion {
  const service = { name: `v1.g.io`, group: "g.io", version: "v1", kind: owned, deploymentName: "d" };
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name, namespace: "ns" },
    spec: {
      displayName: name,
      version: "1.0.0",
      install: { strategy: "deployment" },
      apiservicedefinitions: { owned: [service] },
    },
    status: { phase: "Succeeded" },
  };
}

const a: Carried = { package: "a", line: "a.v1 1.0.0" };
const aAndB: readonly Carried[] = [
  { package: "a", line: "a.v1 1.0.0 R=K" },
  { package: "b", channel: "beta", line: "b.v1 1.0.0 P=K" },
];
const aUpdate: readonly Carried[] = [
  { package: "a", line: "a.v1 1.0.0 P=K" },
  { package: "a", line: "a.v2 2.0.0 R=K", replaces: "a.v1" },
  { package: "b", channel: "beta", line: "b.v1 1.0.0 P=K" },
];
const newB = "Subscription b-beta-cat-olm";
const permission: JsonObject = {
  serviceAccountName: "test-sa",
  rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
};
const withPermissions = (account: string): Carried => ({
  ...a,
  csvSpec: {
    install: {
      strategy: "deployment",
      spec: {
        deployments: [],
        permissions: [{ ...permission, serviceAccountName: account }],
        clusterPermissions: [{ ...permission, serviceAccountName: account }],
      },
    },
  },
});
const rbac = ["Role a.v1-#", "RoleBinding a.v1-#", "ClusterRole a.v1-#", "ClusterRoleBinding a.v1-#"];

const cases: readonly (readonly [id: string, sentence: string, world: World, expected: readonly string[]])[] = [
  [
    "C1",
    "a Subscription without channel gets the one bundle",
    { catalog: [a], subscriptions: ["a a"] },
    [csv("a.v1"), "a->a.v1"],
  ],
  [
    "C6",
    "a Subscription gets its bundle and moves to it",
    { catalog: [a], subscriptions: ["a a/alpha"] },
    [csv("a.v1"), "a->a.v1"],
  ],
  [
    "C7",
    "a dependency gets a Subscription that starts at it",
    { catalog: aAndB, subscriptions: ["a a/alpha"] },
    [csv("a.v1"), csv("b.v1"), newB, "a->a.v1"],
  ],
  [
    "C8",
    "a dependency delivered by image is looked up first",
    {
      catalog: [
        { package: "a", line: "a.v1 1.0.0 R=K" },
        { package: "b", channel: "beta", line: "b.v1 0.0.0 P=K", image: "r/b" },
      ],
      subscriptions: ["a a/alpha"],
    },
    [csv("a.v1"), newB, "lookup b.v1<", "a->a.v1"],
  ],
  [
    "C9",
    "an extra RoleBinding of a bundle is a step",
    {
      catalog: [
        {
          ...a,
          objects: [{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata: { name: "extra" } }],
        },
      ],
      subscriptions: ["a a/alpha"],
    },
    [csv("a.v1"), "RoleBinding extra", "a->a.v1"],
  ],
  [
    "C10",
    "a Service without apiVersion is a step",
    {
      catalog: [{ ...a, objects: [{ apiVersion: "", kind: "Service", metadata: { name: "svc" } }] }],
      subscriptions: ["a a/alpha"],
    },
    [csv("a.v1"), "Service svc", "a->a.v1"],
  ],
  [
    "C16",
    "the same CSV name in other namespaces is nothing to do here",
    {
      catalog: [a],
      csvs: ["one", "two"].map((namespace) => ({
        ...apiServiceCsv("a.v1", "K"),
        metadata: { name: "a.v1", namespace },
      })),
    },
    [],
  ],
  [
    "C17",
    "an update replaces what is installed",
    {
      catalog: [a, { package: "a", line: "a.v2 2.0.0", replaces: "a.v1" }],
      installed: ["a.v1 1.0.0 a"],
      subscriptions: ["a a/alpha at=a.v1"],
    },
    [csv("a.v2"), "a->a.v2"],
  ],
  [
    "C19",
    "an update by image, alone in the catalog, is a lookup that replaces",
    {
      catalog: [{ package: "a", line: "a.v2 2.0.0", replaces: "a.v1", image: "r/a2" }],
      installed: ["a.v1 1.0.0 a"],
      subscriptions: ["a a/alpha at=a.v1"],
    },
    ["lookup a.v2<a.v1", "a->a.v2"],
  ],
  [
    "C20",
    "a deleted CSV is installed again and no Subscription moves",
    { catalog: [a], subscriptions: ["a a/alpha at=a.v1"] },
    [csv("a.v1")],
  ],
  [
    "C21",
    "an update that now requires what it provided brings in the new provider",
    { catalog: aUpdate, installed: ["a.v1 1.0.0 a P=K"], subscriptions: ["a a/alpha at=a.v1"] },
    [csv("a.v2"), csv("b.v1"), newB, "a->a.v2"],
  ],
  [
    "C22",
    "the same when the installed CSV provides it by an API service",
    { catalog: aUpdate, csvs: [apiServiceCsv("a.v1", "K")], subscriptions: ["a a/alpha at=a.v1"] },
    [csv("a.v2"), csv("b.v1"), newB, "a->a.v2"],
  ],
  [
    "C23",
    "an update and a new Subscription go together",
    { catalog: aUpdate, installed: ["a.v1 1.0.0 a P=K"], subscriptions: ["a a/alpha at=a.v1", "b b/beta"] },
    [csv("a.v2"), csv("b.v1"), "a->a.v2", "b->b.v1"],
  ],
  [
    "C24",
    "a deleted CSV and a new Subscription: only the new one moves",
    { catalog: [a, { package: "b", line: "b.v1 1.0.0" }], subscriptions: ["a a/alpha at=a.v1", "b b/alpha"] },
    [csv("a.v1"), csv("b.v1"), "b->b.v1"],
  ],
  [
    "C25",
    "the same with API services between them",
    {
      catalog: [
        {
          package: "a",
          line: "a.v1 1.0.0 P=K",
          csvSpec: { apiservicedefinitions: { owned: [{ name: "v1.g.io", group: "g.io", version: "v1", kind: "K" }] } },
        },
        {
          package: "b",
          line: "b.v1 1.0.0 R=K",
          csvSpec: {
            apiservicedefinitions: { required: [{ name: "v1.g.io", group: "g.io", version: "v1", kind: "K" }] },
          },
        },
      ],
      subscriptions: ["a a/alpha at=a.v1", "b b/alpha"],
    },
    [csv("a.v1"), csv("b.v1"), "b->b.v1"],
  ],
  [
    "C30",
    "provider and user are both updated when their updates keep the same APIs",
    {
      catalog: [
        { package: "a", line: "a.v1 1.0.0 R=K" },
        { package: "a", line: "a.v2 2.0.0 R=K", replaces: "a.v1" },
        { package: "b", line: "b.v1 1.0.0 P=K" },
        { package: "b", line: "b.v2 2.0.0 P=K", replaces: "b.v1" },
      ],
      installed: ["a.v1 1.0.0 a R=K", "b.v1 1.0.0 b P=K"],
      subscriptions: ["a a/alpha at=a.v1", "b b/alpha at=b.v1"],
    },
    [csv("a.v2"), csv("b.v2"), "a->a.v2", "b->b.v2"],
  ],
  [
    "C34",
    "permissions become a service account, roles and bindings",
    { catalog: [withPermissions("test-sa")], subscriptions: ["a a/alpha"] },
    [
      csv("a.v1"),
      "ServiceAccount test-sa",
      "Role a.v1-test-sa-#",
      "RoleBinding a.v1-test-sa-#",
      "ClusterRole a.v1-#",
      "ClusterRoleBinding a.v1-#",
      "a->a.v1",
    ],
  ],
  [
    "C35",
    "permissions of the default account make no service account",
    { catalog: [withPermissions("default")], subscriptions: ["a a/alpha"] },
    [csv("a.v1"), ...rbac.map((step) => step.replace(/^(Role\w*) a\.v1/, "$1 a.v1-default")), "a->a.v1"],
  ],
];

for (const [id, sentence, world, expected] of cases)
  test(`pinned: ${id}, ${sentence}`, () => assert.deepEqual(outcomeOf(world), expected));

test("pinned: C8, a lookup holds path, catalog, effective properties and both conditions", () => {
  const index = carriedCatalog([{ package: "b", line: "b.v1 0.0.0 P=K", image: "r/b" }]);
  const input = shortNamespace({ catalogs: {}, subscriptions: ["b b/alpha"] });
  const decided = {
    ...input,
    catalogs: [{ key: { namespace: "olm", name: "cat" }, priority: 0, content: { kind: "present", index } as const }],
  };
  const outcome = resolveNow(resolveNamespace(decided));
  assert.equal(outcome.kind, "resolved");
  if (outcome.kind !== "resolved") return;
  const install: PlannedInstall = planInstall({ ...decided, ...nothingElse }, outcome);
  assert.deepEqual(install.kind === "incomplete" ? install.content.lookups : install, [
    {
      path: "r/b",
      identifier: "b.v1",
      replaces: "",
      catalogSourceRef: { namespace: "olm", name: "cat" },
      properties:
        '{"properties":[{"type":"olm.package","value":{"packageName":"b","version":"0.0.0"}},{"type":"olm.gvk","value":{"group":"g.io","kind":"K","version":"v1"}}]}',
      conditions: [
        {
          type: "BundleLookupNotPersisted",
          status: "True",
          reason: "BundleNotUnpacked",
          message: "bundle contents have not yet been persisted to installplan status",
        },
        { type: "BundleLookupPending", status: "True", reason: "JobNotStarted", message: "unpack job not yet started" },
      ],
    },
  ]);
});
