import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { knowsNamespace, readSnapshot } from "./snapshot-file.ts";
import type { ReadSnapshot } from "./snapshot-file.ts";

function read(text: string): ReadSnapshot {
  const result = readSnapshot(text, "world.yaml");
  assert.ok(result.ok, result.ok ? "" : result.problem);
  return result.value;
}

const problemOf = (text: string): string => {
  const result = readSnapshot(text, "world.yaml");
  return result.ok ? "read" : result.problem;
};

const subscription = `apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: my, namespace: ns}
spec: {name: app, channel: null}
status: null
`;

test("a document, a List and a list of one kind give the same object", () => {
  const indented = subscription.trimEnd().replaceAll("\n", "\n  ");
  const bare = subscription.split("\n").slice(2).join("\n").trimEnd().replaceAll("\n", "\n  ");
  const forms = [
    subscription,
    `apiVersion: v1\nkind: List\nitems:\n- ${indented}\n`,
    `apiVersion: operators.coreos.com/v1alpha1\nkind: SubscriptionList\nmetadata: {}\nitems:\n- ${bare}\n`,
    JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: [
        {
          apiVersion: "operators.coreos.com/v1alpha1",
          kind: "Subscription",
          metadata: { name: "my", namespace: "ns" },
          spec: { name: "app", channel: null },
        },
      ],
    }),
  ];
  for (const text of forms)
    assert.deepEqual(read(text).snapshot.subscriptions, [
      {
        apiVersion: "operators.coreos.com/v1alpha1",
        kind: "Subscription",
        metadata: { name: "my", namespace: "ns" },
        spec: { name: "app", source: "", sourceNamespace: "" },
      },
    ]);
});

test("objects of other kinds are counted by kind, also those of a known kind in another group", () => {
  const { ignored, snapshot } = read(
    [
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}",
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}",
      "{apiVersion: messaging.knative.dev/v1, kind: Subscription, metadata: {name: c}}",
      "{apiVersion: v1, kind: constructor, metadata: {name: d}}",
    ].join("\n---\n"),
  );
  assert.deepEqual(Object.fromEntries(ignored), { ConfigMap: 2, Subscription: 1, constructor: 1 });
  assert.deepEqual(snapshot.subscriptions, []);
});

test("an object without a namespace is in default, and of several with the same name the last is used", () => {
  const group = (strategy: string): string =>
    `{apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {name: og}, spec: {upgradeStrategy: ${strategy}}}`;
  const { snapshot } = read(`${group("Default")}\n---\n${group("TechPreviewUnsafeFailForward")}`);
  assert.equal(snapshot.operatorGroups.length, 1);
  assert.equal(snapshot.operatorGroups[0]?.spec?.upgradeStrategy, "TechPreviewUnsafeFailForward");
  assert.equal(knowsNamespace(snapshot, "default"), true);
  assert.equal(knowsNamespace(snapshot, "og"), false);
});

test("every kind of a namespace is in default without one, and no other kind is", () => {
  const namespaceOf = (apiVersion: string, kind: string): string | undefined => {
    const { snapshot } = read(`{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: x}, spec: {}}`);
    const [found] = Object.values(snapshot)
      .flat()
      .filter((object): object is KubeObject => typeof object === "object" && object !== null && "metadata" in object);
    return found?.metadata.namespace;
  };
  for (const kind of ["CatalogSource", "Subscription", "ClusterServiceVersion", "InstallPlan"])
    assert.equal(namespaceOf("operators.coreos.com/v1alpha1", kind), "default", kind);
  assert.equal(namespaceOf("operators.coreos.com/v1", "OperatorGroup"), "default");
  assert.equal(namespaceOf("purser.dev/v1alpha1", "UpdatePolicy"), "default");
  for (const kind of ["ClusterCatalog", "ClusterExtension"])
    assert.equal(namespaceOf("olm.operatorframework.io/v1", kind), undefined, kind);
});

test("invalid input is refused with its place", () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["a: [", /^world\.yaml:/],
    ["- 1", /^world\.yaml:1.*a Kubernetes object is expected here/],
    ["a: 1", /needs apiVersion and kind/],
    [`${subscription}---\n${subscription.replace("app", "[app]")}`, /^world\.yaml:10:8 \/spec\/name: a text/],
    [subscription.replace("{name: app, channel: null}", "text"), /\/spec: an object is expected here, not string/],
    [subscription.replace("namespace: ns", "labels: {a: 1}"), /\/metadata\/labels\/a: a text/],
  ];
  for (const [text, problem] of cases) assert.match(problemOf(text), problem);
});
