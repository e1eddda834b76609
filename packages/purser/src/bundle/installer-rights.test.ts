import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { PolicyRule } from "@purser/kubernetes/object/rbac";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { boundedRights, type InstallerRights, installerRights, mergedRights } from "./installer-rights.ts";

/** `create,patch deployments.apps NAME`, by place. */
const inShort = ({ cluster, namespaces }: InstallerRights): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries([
    ["", cluster.map(shortRule)],
    ...[...namespaces].map(([at, rules]) => [at, rules.map(shortRule)]),
  ]);

const shortRule = ({ apiGroups = [], resources = [], resourceNames = [], verbs = [] }: PolicyRule): string =>
  [verbs.join(), `${resources.join()}.${apiGroups.join()}`, ...resourceNames].join(" ");

const all = "create,patch,update";
const own = `${all} clusterserviceversions.operators.coreos.com`;
const reads: PolicyRule = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
const permission = { serviceAccountName: "a", rules: [reads] };
const object = (apiVersion: string, kind: string, name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name },
  ...more,
});
const serving = {
  "": [
    `${all} clusterrolebindings.rbac.authorization.k8s.io`,
    "create tokenreviews.authentication.k8s.io",
    "create subjectaccessreviews.authorization.k8s.io",
  ],
  ns: [own, `${all} services,secrets.`, "get secrets.", `${all} roles,rolebindings.rbac.authorization.k8s.io`],
  "kube-system": [
    `${all} rolebindings.rbac.authorization.k8s.io`,
    "get,list,watch configmaps. extension-apiserver-authentication",
  ],
};
const withWebhook = (...more: readonly string[]) => ({ ...serving, "": [...serving[""], ...more] });

const table: readonly (readonly [
  string,
  object,
  readonly JsonObject[],
  Readonly<Record<string, readonly string[]>>,
])[] = [
  ["a CSV alone", {}, [], { "": [], ns: [own] }],
  ["a CSV without a strategy", { install: { strategy: "deployment" } }, [], { "": [], ns: [own] }],
  [
    "a Deployment",
    { install: { spec: { deployments: [{ name: "a" }] } } },
    [],
    { "": [], ns: [own, "create,delete,patch,update deployments.apps"] },
  ],
  [
    "permissions: the rules themselves, once, and what grants them",
    { install: { spec: { permissions: [permission, permission] } } },
    [],
    {
      "": [],
      ns: [own, "get pods.", `${all} serviceaccounts.`, `${all} roles,rolebindings.rbac.authorization.k8s.io`],
    },
  ],
  [
    "permissions in the whole cluster",
    { install: { spec: { clusterPermissions: [permission] } } },
    [],
    {
      "": ["get pods.", `${all} clusterroles,clusterrolebindings.rbac.authorization.k8s.io`],
      ns: [own, `${all} serviceaccounts.`],
    },
  ],
  [
    "a permission without rules",
    { install: { spec: { permissions: [{ serviceAccountName: "a" }] } } },
    [],
    { "": [], ns: [own, `${all} serviceaccounts.`, `${all} roles,rolebindings.rbac.authorization.k8s.io`] },
  ],
  [
    "CustomResourceDefinitions, by name where a name restricts",
    {},
    [
      object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "as.g.io"),
      object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "bs.g.io"),
      object("operators.coreos.com/v1alpha1", "ClusterServiceVersion", "op"),
    ],
    {
      "": [
        "create customresourcedefinitions.apiextensions.k8s.io",
        "patch,update customresourcedefinitions.apiextensions.k8s.io as.g.io bs.g.io",
      ],
      ns: [own],
    },
  ],
  [
    "further objects, where they lie",
    {},
    [
      object("v1", "ConfigMap", "c"),
      object("networking.k8s.io/v1", "NetworkPolicy", "n"),
      object("scheduling.k8s.io/v1", "PriorityClass", "p"),
    ],
    {
      "": [`${all} priorityclasses.scheduling.k8s.io`],
      ns: [own, `${all} configmaps.`, `${all} networkpolicies.networking.k8s.io`],
    },
  ],
  [
    "Roles with the rules that they grant, and rules of nothing else",
    {},
    [
      object("rbac.authorization.k8s.io/v1", "Role", "r", { rules: [reads as unknown as JsonObject, "no rule"] }),
      object("rbac.authorization.k8s.io/v1", "ClusterRole", "c", { rules: [reads as unknown as JsonObject] }),
      object("rbac.authorization.k8s.io/v1", "ClusterRole", "none", { rules: "none" }),
      object("monitoring.coreos.com/v1", "PrometheusRule", "p", { rules: [{ verbs: ["no rule"] }] }),
    ],
    {
      "": [`${all} clusterroles.rbac.authorization.k8s.io`, "get pods."],
      ns: [own, `${all} roles.rbac.authorization.k8s.io`, "get pods.", `${all} prometheusrules.monitoring.coreos.com`],
    },
  ],
  [
    "a validating webhook",
    { webhookdefinitions: [{ type: "ValidatingAdmissionWebhook" }] },
    [],
    withWebhook(`${all} validatingwebhookconfigurations.admissionregistration.k8s.io`),
  ],
  [
    "a mutating webhook",
    { webhookdefinitions: [{ type: "MutatingAdmissionWebhook" }] },
    [],
    withWebhook(`${all} mutatingwebhookconfigurations.admissionregistration.k8s.io`),
  ],
  [
    "a conversion webhook",
    { webhookdefinitions: [{ type: "ConversionWebhook" }] },
    [],
    withWebhook("patch customresourcedefinitions.apiextensions.k8s.io"),
  ],
  [
    "an APIService",
    { apiservicedefinitions: { owned: [{ name: "v1.g.io" }] } },
    [],
    withWebhook(`${all} apiservices.apiregistration.k8s.io`),
  ],
];
for (const [what, spec, objects, expected] of table)
  test(`the account of an installation needs for ${what}`, () => {
    const csv = { spec: { install: { strategy: "deployment" }, ...spec } } as unknown as ClusterServiceVersion;
    assert.deepEqual(inShort(installerRights({ csv, objects }, "ns")), expected);
  });

test("the rights of several bundles are each once; more than one bundle needs Subscriptions, in the first namespace", () => {
  const one: InstallerRights = {
    cluster: [reads],
    namespaces: new Map([
      ["ns", [reads]],
      ["kube-system", [reads]],
    ]),
  };
  const other: InstallerRights = {
    cluster: [reads],
    namespaces: new Map([
      ["ns", []],
      ["more", [reads]],
    ]),
  };
  const get = ["get pods."];
  assert.deepEqual(inShort(mergedRights([one])), { "": get, ns: get, "kube-system": get });
  assert.deepEqual(inShort(mergedRights([one, other])), {
    "": get,
    ns: [...get, `${all} subscriptions.operators.coreos.com`],
    "kube-system": get,
    more: get,
  });
});

test("an account that is bounded may do everything in its namespace alone", () =>
  assert.deepEqual(inShort(boundedRights("ns")), { "": [], ns: ["* *.*"] }));
