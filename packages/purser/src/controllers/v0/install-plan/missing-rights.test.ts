import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import type { PolicyRule } from "@purser/kubernetes/object/rbac";
import { done, failed } from "@purser/kubernetes/result";
import type { Step } from "../../../apis/v0/install-plan.ts";
import { missingRights } from "./missing-rights.ts";

const everything: PolicyRule = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
const nowhere = "purser.cluster-wide";

/** Answers reviews with the rules of a namespace; `undefined`: with no status; texts are refusals. */
function reviewing(rules: Readonly<Record<string, object | string | undefined>>) {
  const asked: string[] = [];
  const writer = {
    write: (write: { readonly object: KubeObject & { readonly spec: { readonly namespace: string } } }) => {
      const { namespace } = write.object.spec;
      asked.push(namespace);
      const status = rules[namespace];
      if (typeof status === "string")
        return Promise.resolve(failed({ kind: "forbidden", status: { message: status } }));
      return Promise.resolve(
        done({ object: { ...write.object, ...(status === undefined ? {} : { status }) }, warnings: [] }),
      );
    },
  } as unknown as ObjectWriter;
  return { writer, asked };
}

function stepOf(resolving: string, kind: string, manifest: object, group = "", version = "v1"): Step {
  return {
    resolving,
    status: "Unknown",
    resource: {
      group,
      version,
      kind,
      name: "a",
      manifest: JSON.stringify(manifest),
      sourceName: "",
      sourceNamespace: "",
    },
  } as unknown as Step;
}
const olm = "operators.coreos.com";
const csvOf = (name: string): Step =>
  stepOf(name, "ClusterServiceVersion", { spec: { install: { spec: { deployments: [{}] } } } }, olm, "v1alpha1");
const crd = stepOf("op.v1", "CustomResourceDefinition", { metadata: { name: "as.g.io" } }, "apiextensions.k8s.io");
const { signal } = new AbortController();
const account = { namespace: "ns", name: "acc" };
const ask = (steps: readonly Step[], rules: Parameters<typeof reviewing>[0], unreadable?: string) => {
  const { writer, asked } = reviewing(rules);
  const manifestOf = ({ resource }: Step) =>
    Promise.resolve(resource.kind === unreadable ? failed("gone") : done(resource.manifest ?? ""));
  return { asked, text: missingRights(account, steps, { writer, manifestOf }, signal) };
};
const remedy = ". `purser bundle rights BUNDLE --namespace ns --account acc` writes the roles that it needs";
const own =
  "create,delete,patch,update deployments.apps in ns; create,patch,update clusterserviceversions.operators.coreos.com in ns";
const none = { resourceRules: [] };
const all = { resourceRules: [everything] };
const table: readonly (readonly [
  string,
  readonly Step[],
  Readonly<Record<string, object | string | undefined>>,
  string | undefined,
])[] = [
  [
    "names every rule of all steps, where it is missing",
    [csvOf("op.v1"), crd, stepOf("op.v1", "BundleSecret", { metadata: { name: "s" } })],
    { [nowhere]: none, ns: none },
    `PermissionDenied: ServiceAccount ns/acc may not patch,update customresourcedefinitions.apiextensions.k8s.io as.g.io in the whole cluster; create customresourcedefinitions.apiextensions.k8s.io in the whole cluster; create,patch,update secrets in ns; ${own}${remedy}`,
  ],
  [
    "names what another operator of the plan needs",
    [csvOf("op.v1"), csvOf("dep.v1"), stepOf("dep.v1", "ConfigMap", { metadata: { name: "c" } })],
    { [nowhere]: none, ns: none },
    `PermissionDenied: ServiceAccount ns/acc may not create,patch,update configmaps in ns; ${own}${remedy}`,
  ],
  ["names nothing while all is held", [csvOf("op.v1"), crd], { [nowhere]: all, ns: all }, undefined],
  [
    "names nothing while rules are not known in the whole cluster",
    [csvOf("op.v1")],
    { [nowhere]: { ...none, incomplete: true }, ns: none },
    undefined,
  ],
  [
    "names nothing while rules are not known in the namespace",
    [csvOf("op.v1")],
    { [nowhere]: none, ns: { ...none, incomplete: true } },
    undefined,
  ],
  ["names nothing where reviews are refused", [csvOf("op.v1")], { [nowhere]: "forbidden", ns: none }, undefined],
  ["names nothing where reviews show nothing", [csvOf("op.v1")], { [nowhere]: undefined, ns: none }, undefined],
  ["takes a review without rules for none", [csvOf("op.v1")], { [nowhere]: {}, ns: all }, undefined],
  ["names nothing for steps without a ClusterServiceVersion", [crd], { [nowhere]: none, ns: none }, undefined],
];
for (const [what, steps, rules, expected] of table)
  test(`a refused InstallPlan ${what}`, async () => assert.equal(await ask(steps, rules).text, expected));

test("a refused InstallPlan names nothing while a step cannot be read, and asks for nothing", async () => {
  const { text, asked } = ask([csvOf("op.v1"), crd], { [nowhere]: none, ns: none }, "CustomResourceDefinition");
  assert.deepEqual([await text, asked], [undefined, []]);
});

test("rules are asked for once in the whole cluster and in each namespace", async () => {
  const { text, asked } = ask([csvOf("op.v1"), csvOf("dep.v1")], { [nowhere]: none, ns: none });
  await text;
  assert.deepEqual(asked, [nowhere, "ns"]);
});
