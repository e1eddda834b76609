import assert from "node:assert/strict";
import { test } from "node:test";
import type { Step } from "../../apis/v0/install-plan.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { defaultTargets, operatorObjects, operatorOf, operatorOfSteps, staysWithoutCsv } from "./operator-objects.ts";

const csvOf = (install: JsonObject, modes: readonly string[] = []): JsonObject => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: { name: "op.v1" },
  spec: {
    install: { strategy: "deployment", ...install },
    installModes: modes.map((type) => ({ type, supported: true })),
  },
});

const deployment = {
  name: "manager",
  spec: {
    selector: { matchLabels: { app: "op" } },
    template: { metadata: { labels: { app: "op" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
};
const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }];
const strategy = { spec: { deployments: [deployment], permissions: [{ serviceAccountName: "op", rules }] } };
const options = { namespace: "ns", targets: ["a", "b"] };

const stepOf = (kind: string, manifest: unknown, group = "", version = "v1") =>
  ({
    resolving: "op.v1",
    status: "Unknown",
    resource: {
      group,
      version,
      kind,
      name: "x",
      manifest: typeof manifest === "string" ? manifest : JSON.stringify(manifest),
    },
  }) as unknown as Step;

const csvStep = stepOf("ClusterServiceVersion", csvOf(strategy), "operators.coreos.com", "v1alpha1");

const metadata = {
  name: "manager",
  namespace: "ns",
  labels: {
    "olm.managed": "true",
    "olm.owner": "op.v1",
    "olm.owner.kind": "ClusterServiceVersion",
    "olm.owner.namespace": "ns",
  },
  ownerReferences: [
    {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "ClusterServiceVersion",
      name: "op.v1",
      uid: "",
      blockOwnerDeletion: false,
      controller: false,
    },
  ],
};

/** `KIND NAMESPACE/NAME: ACCOUNT` of roles and bindings, the namespace left out where there is none. */
const granted = (objects: readonly JsonObject[]): readonly string[] =>
  objects.map((object) => {
    const { namespace, name = "generated" } = object["metadata"] as {
      readonly namespace?: string;
      readonly name?: string;
    };
    return `${JSON.stringify(object["kind"]).slice(1, -1)} ${namespace === undefined ? "" : `${namespace}/`}${name.startsWith("op") ? "op" : name}`;
  });

test("the Deployments of the strategy are objects without the hash of their spec, with the configuration", () => {
  const csv = { ...csvOf(strategy), metadata: { name: "op.v1", namespace: "ns" } };
  const made = operatorOf([csv], { ...options, config: { env: [{ name: "A", value: "1" }] } });
  assert.ok(made.ok);
  const [first, found, ...others] = made.value.objects;
  assert.deepEqual([made.value.csv, first, others], [csv, csv, []]);
  assert.deepEqual(found?.["metadata"], metadata);
  assert.ok(
    JSON.stringify(found).includes(
      '"env":[{"name":"A","value":"1"},{"name":"OPERATOR_CONDITION_NAME","value":"op.v1"}]',
    ),
  );
  const plain = operatorOf([csvOf({})], options);
  assert.deepEqual(plain, { ok: true, value: { csv: csvOf({}), objects: [csvOf({})], granted: [] } });
});

test("what the accounts may do is granted in each target namespace, with the roles among the objects", () => {
  const role = { kind: "Role", metadata: { name: "own", namespace: "ns" } };
  const others = ["ClusterRole", "ClusterRoleBinding", "RoleBinding", "Service"].map((kind) => ({
    kind,
    metadata: { name: "own" },
  }));
  const made = operatorOf([csvOf(strategy), role, { metadata: { name: "kindless" } }, ...others], options);
  assert.deepEqual(made.ok ? granted(made.value.granted) : made, [
    "Role a/op",
    "RoleBinding a/op",
    "Role b/op",
    "RoleBinding b/op",
    "Role ns/own",
    "ClusterRole own",
    "ClusterRoleBinding own",
    "RoleBinding own",
  ]);
});

test("objects without a ClusterServiceVersion are refused, and so is a manifest that holds no object", () => {
  assert.deepEqual(operatorOf([{ kind: "Service" }], options), {
    ok: false,
    problem: "the bundle has no ClusterServiceVersion",
  });
  for (const manifest of ["[]", "{", undefined])
    assert.deepEqual(operatorOfSteps([{ ...csvStep, resource: { ...csvStep.resource, manifest } } as Step], options), {
      ok: false,
      problem: "the manifest of ClusterServiceVersion x is not an object",
    });
});

test("manifests of steps are objects of their step's kind, in the namespace unless they name another", () => {
  const step = (kind: string, metadataOf: unknown, group?: string) => stepOf(kind, { metadata: metadataOf }, group);
  const made = operatorOfSteps(
    [
      csvStep,
      step("ServiceAccount", { name: "op" }),
      step("Role", { name: "r", namespace: "other" }, "rbac.authorization.k8s.io"),
      step("BundleSecret", { name: "s", namespace: "" }),
      step("ClusterRole", { name: "c", namespace: "ns" }, "rbac.authorization.k8s.io"),
      step("ConfigMap", 1),
      stepOf("Service", { apiVersion: "v2", kind: "Own", metadata: { name: "o" } }),
    ],
    options,
  );
  assert.ok(made.ok);
  assert.deepEqual(made.value.objects.slice(1, -1), [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "op", namespace: "ns" } },
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "r", namespace: "other" } },
    { apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "ns" } },
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "c" } },
    { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "ns" } },
    { apiVersion: "v2", kind: "Own", metadata: { name: "o", namespace: "ns" } },
  ]);
});

test("a bundle without a ClusterServiceVersion has OLM's problem", () => {
  const bundle = { objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } }] };
  const made = operatorObjects(bundle, {
    ...options,
    replaces: "",
    catalog: { name: "c", namespace: "ns" },
    properties: "",
  });
  assert.equal(made.ok, false);
});

test("cluster-scoped objects but cluster roles stay when their ClusterServiceVersion is deleted", () => {
  const kinds = [
    "CustomResourceDefinition",
    "PriorityClass",
    "ClusterRole",
    "ClusterRoleBinding",
    "Service",
    "Deployment",
    "Role",
  ];
  assert.deepEqual(
    kinds.filter((kind) => staysWithoutCsv({ kind })),
    ["CustomResourceDefinition", "PriorityClass"],
  );
});

test("an operator watches all namespaces where its install modes allow it, else its own", () => {
  assert.deepEqual(
    [
      defaultTargets(csvOf({}, ["OwnNamespace", "AllNamespaces"]), "ns"),
      defaultTargets(csvOf({}, ["OwnNamespace"]), "ns"),
      defaultTargets(csvOf({}), "ns"),
      defaultTargets(undefined, "ns"),
    ],
    [[""], ["ns"], ["ns"], ["ns"]],
  );
});
