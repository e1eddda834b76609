import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicyRule } from "@purser/kubernetes/apis/rbac";
import type { JsonObject } from "@purser/kubernetes/json";
import { smallCsv } from "../bundle/testing/small-bundle.ts";
import { loadCatalog } from "../catalog/loading/load.ts";
import { indexOf } from "../catalog/memory-index.ts";
import { smallCatalog } from "../catalog/testing/small-catalog.ts";
import { bundleDetails, riskyRights, ruleWords, versionsOf } from "./package-details.ts";

const rule = (verbs: string, groups: string, resources: string, more: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs: verbs.split(","),
  apiGroups: groups.split(","),
  resources: resources.split(","),
  ...more,
});
const all = "all rights everywhere";
const secrets = "reads Secrets everywhere";
const more = "may give itself more rights";
const commands = "runs commands in pods";
const paths: PolicyRule = { verbs: ["*"], nonResourceURLs: ["*"] };

for (const [what, asked, expected] of [
  ["everything", rule("*", "*", "*"), [all, secrets, more, commands]],
  ["every verb on every resource of a group", rule("*", "apps", "*"), [more]],
  ["every verb on one resource of every group", rule("*", "*", "pods"), []],
  ["reading every resource of every group", rule("get", "*", "*"), [secrets, commands]],
  ["getting Secrets", rule("get", "", "secrets"), [secrets]],
  ["listing Secrets among others", rule("create,list", "apps,", "pods,secrets"), [secrets]],
  ["watching Secrets", rule("watch", "", "secrets"), [secrets]],
  ["every verb on Secrets", rule("*", "", "secrets"), [secrets]],
  ["writing Secrets", rule("create,update,delete", "", "secrets"), []],
  ["secrets of another group", rule("get", "g.io", "secrets"), []],
  ["getting one Secret by name", rule("get", "", "secrets", { resourceNames: ["own"] }), []],
  ["getting ConfigMaps", rule("get", "", "configmaps"), []],
  ["escalating", rule("escalate", "rbac.authorization.k8s.io", "roles"), [more]],
  ["binding among others", rule("get,bind", "rbac.authorization.k8s.io", "clusterroles"), [more]],
  ["impersonating", rule("impersonate", "", "users"), [more]],
  ["every verb on Roles", rule("*", "rbac.authorization.k8s.io", "roles"), [more]],
  ["every verb on ClusterRoles", rule("*", "rbac.authorization.k8s.io", "clusterroles"), [more]],
  ["creating Roles", rule("create", "rbac.authorization.k8s.io", "roles"), []],
  ["creating pods/exec", rule("create", "", "pods/exec"), [commands]],
  ["getting pods/exec", rule("get", "", "pods/exec"), [commands]],
  ["deleting pods/exec", rule("delete", "", "pods/exec"), []],
  ["creating pods", rule("create", "", "pods"), []],
  ["pods/exec of another group", rule("create", "g.io", "pods/exec"), []],
  ["every path", paths, []],
] as const)
  test(`${what} is ${expected.length === 0 ? "no risk" : expected.join(", ")}`, () =>
    assert.deepEqual(riskyRights([{ account: "op", scope: "cluster", rule: asked }]), expected));

test("rights in namespaces are no risk, and each risk is named once, the heaviest first", () => {
  const exec = { account: "op", rule: rule("create", "", "pods/exec") } as const;
  const read = { account: "op", scope: "cluster", rule: rule("get", "", "secrets") } as const;
  assert.deepEqual(riskyRights([{ ...exec, scope: "namespace" }]), []);
  assert.deepEqual(riskyRights([{ ...exec, scope: "cluster" }, read, read]), [secrets, commands]);
});

for (const [given, verbs, on] of [
  [rule("get,list", "", "pods,secrets"), "get, list", "pods, secrets"],
  [rule("get", "apps,,batch", "jobs"), "get", "jobs (apps, batch)"],
  [rule("get", "", "pods", { resourceNames: ["a", "b"] }), "get", "pods named a and b"],
  [
    rule("get", "", "pods", { resourceNames: "a,b,c,d,e,f,g".split(",") }),
    "get",
    "pods named a, b, c, d, e and 2 more",
  ],
  [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/metrics"] }, "get", "/healthz, /metrics"],
  [{ verbs: ["get"] }, "get", ""],
] as const)
  test(`a rule as words: ${verbs} on ${on === "" ? "nothing" : on}`, () =>
    assert.deepEqual(ruleWords(given as PolicyRule), { verbs, on }));

const csvOf = (install: JsonObject, annotations: JsonObject = {}): JsonObject =>
  smallCsv({ install, description: "Bakes." }, { name: "kiln.v1.0.0", annotations });
const permission = (account: string, ...rules: readonly JsonObject[]): JsonObject => ({
  serviceAccountName: account,
  rules,
});
const deployment = {
  name: "kiln",
  spec: { selector: {}, template: { metadata: {}, spec: { containers: [{ name: "a", image: "b" }] } } },
};
const pods = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
const nodes = { apiGroups: [""], resources: ["nodes"], verbs: ["list"] };

/** Details of the one bundle of a catalog with further properties. */
function detailsOf(properties: readonly JsonObject[]) {
  const lines = properties.map((property) => `- ${JSON.stringify(property)}\n`).join("");
  const text = smallCatalog("kiln", ["1.0.0"]).replace(/properties:\n/, `properties:\n${lines}`);
  const index = indexOf(loadCatalog([{ file: "c", text }]).blobs);
  const summary = index.package("kiln");
  const bundle = summary?.channels[0]?.bundles[0];
  assert.ok(summary !== undefined && bundle !== undefined);
  return { summary, details: bundleDetails(summary, bundle, (id) => index.blob(id)) };
}
const ofCsv = (csv: JsonObject): JsonObject => ({
  type: "olm.bundle.object",
  value: { data: Buffer.from(JSON.stringify(csv)).toString("base64") },
});

test("a bundle is described by its catalog, with what it requires in words", () => {
  const { details } = detailsOf([
    { type: "olm.gvk.required", value: { group: "g.io", version: "v1", kind: "Glaze" } },
    { type: "olm.package.required", value: { packageName: "oven", versionRange: ">=1.0.0" } },
    { type: "olm.constraint", value: { failureMessage: "needs heat", cel: { rule: "true" } } },
    { type: "olm.constraint", value: { cel: { rule: "true" } } },
    { type: "other", value: { group: "g.io" } },
    { type: "olm.constraint", value: "no object" },
  ]);
  assert.deepEqual(details, {
    name: "kiln.v1.0.0",
    version: "1.0.0",
    image: "example.com/kiln:v1.0.0",
    provides: [{ group: "kiln.example.com", version: "v1", kind: "Thing" }],
    requires: [
      "API Glaze g.io/v1",
      "package oven >=1.0.0",
      "constraint: needs heat",
      'constraint: {"cel":{"rule":"true"}}',
    ],
    examples: [],
  });
});

test("a bundle whose catalog has its ClusterServiceVersion has a description, rights by account and scope, and examples", () => {
  const permissions = [permission("a", pods), permission("b", nodes, pods)];
  const install = {
    strategy: "deployment",
    spec: { deployments: [deployment], permissions, clusterPermissions: [permission("a", nodes)] },
  };
  const examples = '[{"kind":"Pot"}, "none", {"kind":"Lid"}]';
  const { details } = detailsOf([ofCsv(csvOf(install, { "alm-examples": examples }))]);
  assert.equal(details.description?.displayName, "Kiln");
  assert.deepEqual(details.examples, [{ kind: "Pot" }, { kind: "Lid" }]);
  assert.deepEqual(
    details.permissions?.map(({ account, scope, rule: { verbs } }) => `${account} ${scope} ${verbs.join()}`),
    ["a namespace get", "a cluster list", "b namespace list", "b namespace get"],
  );
});

for (const [what, install, annotations] of [
  ["without Deployments", { strategy: "deployment", spec: { deployments: [] } }, {}],
  ["without a strategy's spec", { strategy: "deployment" }, {}],
  ["of another strategy", { strategy: "helm", spec: { deployments: [deployment] } }, {}],
  ["whose examples are no list", { strategy: "deployment" }, { "alm-examples": '{"kind":"Pot"}' }],
  ["whose examples cannot be read", { strategy: "deployment" }, { "alm-examples": "[" }],
] as const)
  test(`a ClusterServiceVersion ${what} has no rights and no examples`, () => {
    const { details } = detailsOf([ofCsv(csvOf(install, annotations))]);
    assert.deepEqual([details.permissions, details.examples], [undefined, []]);
    assert.equal(details.description?.displayName, "Kiln");
  });

test("the versions of a package are each listed once, with the entries of every channel", () => {
  const text = `${smallCatalog("kiln", ["1.0.0", "1.1.0"])}---
schema: olm.channel
package: kiln
name: fast
entries:
- {name: kiln.v1.1.0, skips: [kiln.v1.0.0], skipRange: "<1.1.0"}
---
schema: olm.deprecations
package: kiln
entries:
- {reference: {schema: olm.package}, message: old}
- {reference: {schema: olm.channel, name: fast}, message: slow}
- {reference: {schema: olm.bundle, name: kiln.v1.0.0}, message: first}
`;
  const summary = indexOf(loadCatalog([{ file: "c", text }]).blobs).package("kiln");
  assert.ok(summary !== undefined);
  const { bundles, channels, ...others } = versionsOf(summary);
  assert.deepEqual(others, { name: "kiln", defaultChannel: "stable", deprecation: "old" });
  assert.deepEqual(
    bundles.map(({ name, version, deprecation }) => [name, version, deprecation]),
    [
      ["kiln.v1.1.0", "1.1.0", undefined],
      ["kiln.v1.0.0", "1.0.0", "first"],
    ],
  );
  assert.deepEqual(
    channels.map(({ name, deprecation, entries }) => [
      name,
      deprecation,
      ...entries.map((entry) => [entry.name, entry.replaces, entry.skips.join(), entry.skipRange].join(" ")),
    ]),
    [
      ["fast", "slow", "kiln.v1.1.0  kiln.v1.0.0 <1.1.0"],
      ["stable", undefined, "kiln.v1.0.0   ", "kiln.v1.1.0 kiln.v1.0.0  "],
    ],
  );
});
