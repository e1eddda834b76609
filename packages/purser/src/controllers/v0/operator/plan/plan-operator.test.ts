import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { customResourceDefinitions, deployments, roles, secrets } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, installPlans } from "../../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { Operator } from "../../../../apis/v0/operator.ts";
import type { Subscription } from "../../../../apis/v0/subscription.ts";
import { componentLabel, operatorName, operatorsOf } from "./component-label.ts";
import { planCsvAdoption, planSubscriptionAdoption } from "./plan-adoption.ts";
import { type Component, planOperator } from "./plan-operator.ts";

for (const [words, packageName, namespace, expected] of [
  ["a package and its namespace", "op", "ns", "op.ns"],
  ["a package without a namespace", "op", "", "op"],
  ["63 characters", "a".repeat(60), "ns", `${"a".repeat(60)}.ns`],
  ["63 characters that end in another one", `${"a".repeat(59)}`, "ns-", `${"a".repeat(59)}.ns-`],
  ["more than 63 characters", "a".repeat(70), "ns", "a".repeat(63)],
  ["a cut that ends in other characters", `${"a".repeat(60)}-_.b`, "ns", "a".repeat(60)],
  ["nothing but other characters", ".".repeat(64), "ns", undefined],
  ["no package", "", "ns", undefined],
] as const)
  test(`the name of an Operator is made of ${words}`, () => {
    assert.equal(operatorName(packageName, namespace), expected);
  });

const kube = (kind: string, name: string, labels: readonly string[] = [], more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { namespace: "ns", name, labels: Object.fromEntries(labels.map((key) => [componentLabel(key), ""])) },
  ...more,
});

const deployment = {
  type: deployments,
  object: kube("Deployment", "d", ["op.ns"], {
    status: { conditions: [{ type: "Available", status: "True", reason: "R", other: 1 }] },
  }),
};
const csvComponent: Component = {
  type: clusterServiceVersions,
  object: kube("ClusterServiceVersion", "op.v1", [], {
    status: { phase: "Succeeded", reason: "InstallSucceeded", message: "m", lastUpdateTime: "t" },
  }),
};
const operator = (status?: Operator["status"]): Operator => ({
  apiVersion: "operators.coreos.com/v1",
  kind: "Operator",
  metadata: { name: "op.ns" },
  ...(status === undefined ? {} : { status }),
});

test("an Operator that does not exist is created while something carries its label", () => {
  const created = (components: readonly Component[]): readonly string[] =>
    planOperator({ name: "op.ns", operator: undefined, components }).actions.map(
      ({ write }) => `${write.verb} ${write.type.kind}`,
    );
  assert.deepEqual(created([deployment]), ["create Operator"]);
  assert.deepEqual(created([]), []);
});

const selector = { matchExpressions: [{ key: "operators.coreos.com/op.ns", operator: "Exists" as const }] };
const written = (held: Operator | undefined, components: readonly Component[]): unknown =>
  planOperator({ name: "op.ns", operator: held, components }).actions.map(({ write }) =>
    "object" in write ? write.object.status : write,
  );

const expected = {
  components: {
    labelSelector: selector,
    refs: [
      {
        kind: "ClusterServiceVersion",
        apiVersion: "operators.coreos.com/v1alpha1",
        namespace: "ns",
        name: "op.v1",
        conditions: [
          { type: "Succeeded", status: "True", reason: "InstallSucceeded", message: "m", lastUpdateTime: "t" },
        ],
      },
      {
        kind: "Deployment",
        apiVersion: "apps/v1",
        namespace: "ns",
        name: "d",
        conditions: [{ type: "Available", status: "True", reason: "R" }],
      },
      { kind: "Role", apiVersion: "rbac.authorization.k8s.io/v1", namespace: "ns", name: "a" },
      { kind: "Role", apiVersion: "rbac.authorization.k8s.io/v1", namespace: "ns", name: "b" },
    ],
  },
};
const all: readonly Component[] = [
  { type: roles, object: kube("Role", "b") },
  deployment,
  csvComponent,
  { type: roles, object: kube("Role", "a") },
];

test("an Operator lists its components in order with their conditions", () => {
  assert.deepEqual(written(operator(), all), [expected]);
  assert.deepEqual(written(operator(), []), [{ components: { labelSelector: selector } }]);
});

test("components are ordered by kind, apiVersion, namespace and name", () => {
  const at = (type: Component["type"], namespace: string, name: string): Component => {
    const object = kube(type.kind, name);
    return { type, object: { ...object, metadata: { ...object.metadata, namespace } } };
  };
  const other = { ...roles, group: "a.example", version: "v1" };
  const [status] = written(operator(), [
    at(roles, "b", "a"),
    at(roles, "a", "b"),
    at(other, "c", "c"),
    at(roles, "a", "a"),
  ]) as readonly Operator["status"][];
  assert.deepEqual(
    status?.components?.refs?.map(({ apiVersion, namespace, name }) => [apiVersion, namespace, name].join(" ")),
    [
      "a.example/v1 c c",
      "rbac.authorization.k8s.io/v1 a a",
      "rbac.authorization.k8s.io/v1 a b",
      "rbac.authorization.k8s.io/v1 b a",
    ],
  );
});

for (const [words, component, reference] of [
  [
    "a CSV without a phase has no condition",
    { type: clusterServiceVersions, object: kube("ClusterServiceVersion", "op.v1", [], { status: {} }) },
    { kind: "ClusterServiceVersion", apiVersion: "operators.coreos.com/v1alpha1", namespace: "ns", name: "op.v1" },
  ],
  [
    "conditions that are no list are left out",
    { type: deployments, object: kube("Deployment", "d", [], { status: { conditions: { type: "Available" } } }) },
    { kind: "Deployment", apiVersion: "apps/v1", namespace: "ns", name: "d" },
  ],
  [
    "an object without a namespace has none in its reference, and times stay",
    {
      type: customResourceDefinitions,
      object: {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "as.example.com" },
        status: { conditions: [{ type: "Established", status: "True", lastTransitionTime: "t" }] },
      },
    },
    {
      kind: "CustomResourceDefinition",
      apiVersion: "apiextensions.k8s.io/v1",
      name: "as.example.com",
      conditions: [{ type: "Established", status: "True", lastTransitionTime: "t" }],
    },
  ],
] as const)
  test(words, () => {
    const [status] = written(operator(), [component]) as readonly Operator["status"][];
    assert.deepEqual(status?.components?.refs, [reference]);
  });

test("the status of an Operator that is being deleted is not written", () => {
  const leaving = { ...operator(), metadata: { name: "op.ns", deletionTimestamp: "2026-01-01T00:00:00Z" } };
  assert.deepEqual(written(leaving, all), []);
});

test("an Operator that exists without components is not created again", () => {
  const settled = operator({ components: { labelSelector: selector } });
  assert.deepEqual(written(settled, []), []);
});

test("an Operator whose status says the same is not written", () => {
  assert.deepEqual(written(operator(expected as Operator["status"]), all), []);
  assert.equal((written(operator(expected as Operator["status"]), all.slice(1)) as readonly unknown[]).length, 1);
});

const subscription = (name: string, packageName: string, csv: string, plan: string): Subscription =>
  ({
    ...kube("Subscription", name),
    spec: { name: packageName },
    status: { installedCSV: csv, installPlanRef: { name: plan } },
  }) as unknown as Subscription;
const csv = (name: string, ...labels: readonly string[]) =>
  kube("ClusterServiceVersion", name, labels) as ClusterServiceVersion;
const plan = (name: string, ...labels: readonly string[]) => kube("InstallPlan", name, labels) as InstallPlan;

type Patch = {
  readonly type: { readonly kind: string };
  readonly key: { readonly name: string };
  readonly patch: { readonly metadata: { readonly labels: Record<string, string | null> } };
};
const patches = (actions: readonly { readonly write: unknown }[]): readonly string[] =>
  actions.map(({ write }) => {
    const { type, key, patch } = write as Patch;
    const labels = Object.entries(patch.metadata.labels).map(
      ([label, value]) => `${value === null ? "-" : "+"}${label}`,
    );
    return [type.kind, key.name, ...labels].join(" ");
  });
const label = "operators.coreos.com/op.ns";

for (const [words, subscriptions, csvs, plans, lines] of [
  [
    "labels the Subscription, its installed CSV and its InstallPlan",
    [subscription("s", "op", "op.v1", "p1")],
    [csv("op.v1"), csv("other.v1")],
    [plan("p1"), plan("p2")],
    [`Subscription s +${label}`, `ClusterServiceVersion op.v1 +${label}`, `InstallPlan p1 +${label}`],
  ],
  [
    "takes the label of former InstallPlans and not that of other Operators",
    [{ ...subscription("s", "op", "op.v1", "p2"), metadata: kube("", "s", ["op.ns"]).metadata }],
    [csv("op.v1", "op.ns"), csv("op.v0", "op.ns")],
    [plan("p1", "op.ns", "else.ns"), plan("p2", "op.ns")],
    [`InstallPlan p1 -${label}`],
  ],
  [
    "ignores a Subscription without a package",
    [subscription("s", "", "op.v1", "p1")],
    [csv("op.v1")],
    [plan("p1")],
    [],
  ],
  [
    "ignores a Subscription that is being deleted",
    [
      {
        ...subscription("s", "op", "op.v1", "p1"),
        metadata: { ...kube("", "s").metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
      },
    ],
    [csv("op.v1")],
    [plan("p1"), plan("p2", "op.ns")],
    [],
  ],
  [
    "labels an InstallPlan of two Subscriptions with both Operators",
    [subscription("s", "op", "", "p1"), subscription("t", "else", "", "p1")],
    [],
    [plan("p1")],
    [
      `Subscription s +${label}`,
      "Subscription t +operators.coreos.com/else.ns",
      `InstallPlan p1 +${label} +operators.coreos.com/else.ns`,
    ],
  ],
  ["keeps the labels of InstallPlans without a Subscription", [], [], [plan("p1", "op.ns")], []],
] as const)
  test(`adoption ${words}`, () => {
    const world = { namespace: "ns", subscriptions, csvs, installPlans: plans };
    assert.deepEqual(patches(planSubscriptionAdoption(world).actions), lines);
  });

test("what a CSV owns gets the labels that it lacks, and keeps those of other Operators", () => {
  const components: readonly Component[] = [
    { type: roles, object: kube("Role", "r", ["else.ns"]) },
    { type: secrets, object: kube("Secret", "s", ["op.ns"]) },
  ];
  assert.deepEqual(patches(planCsvAdoption(csv("op.v1", "op.ns"), components).actions), [`Role r +${label}`]);
  assert.deepEqual(patches(planCsvAdoption(csv("op.v1"), components).actions), []);
  assert.deepEqual(patches(planCsvAdoption(undefined, components).actions), []);
  assert.deepEqual(operatorsOf(kube("Role", "r", ["else.ns"])), ["else.ns"]);
});

test("a CSV that is being deleted adopts nothing", () => {
  const leaving = csv("op.v1", "op.ns");
  const gone = { ...leaving, metadata: { ...leaving.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  assert.deepEqual(planCsvAdoption(gone, [{ type: roles, object: kube("Role", "r") }]).actions, []);
});

test("labels of other prefixes name no Operator", () => {
  const labels = { "operators.coreos.com.example/op.ns": "", "x.operators.coreos.com/op.ns": "", app: "op" };
  assert.deepEqual(operatorsOf({ ...kube("Role", "r"), metadata: { name: "r", labels } }), []);
});

test("objects that are being deleted are not labelled", () => {
  const gone = { metadata: { ...kube("Role", "r").metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  const components: readonly Component[] = [{ type: roles, object: { ...kube("Role", "r"), ...gone } }];
  assert.deepEqual(planCsvAdoption(csv("op.v1", "op.ns"), components).actions, []);
  const leaving = { ...plan("p1"), ...gone } as InstallPlan;
  const world = {
    namespace: "ns",
    subscriptions: [subscription("s", "op", "", "r")],
    csvs: [],
    installPlans: [leaving],
  };
  assert.deepEqual(patches(planSubscriptionAdoption(world).actions), [`Subscription s +${label}`]);
  assert.equal(installPlans.kind, "InstallPlan");
});
