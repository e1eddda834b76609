import assert from "node:assert/strict";
import { test } from "node:test";
import { tenancyOf } from "./tenancy.ts";

const group = (namespace: string, name: string, targets: readonly string[], account?: string) => ({
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: { namespace, name },
  spec: account === undefined ? {} : { serviceAccountName: account },
  status: { namespaces: targets, lastUpdated: "" },
});
const csv = (namespace: string, name: string, crd: string) =>
  ({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace, name },
    spec: { version: "1.0.0", customresourcedefinitions: { owned: [{ name: crd, kind: "Thing", version: "v1" }] } },
  }) as never;

test("operators of its group, of a group that targets it and of all namespaces serve a namespace, others do not", () => {
  const found = tenancyOf("data", {
    groups: [group("data", "own", ["data"], "bob"), group("all", "g", [""]), group("far", "g", ["far"])],
    csvs: [csv("data", "a.v1", "as.x.io"), csv("all", "b.v1", "bs.x.io"), csv("far", "c.v1", "cs.x.io")],
    extensions: [],
  });
  assert.deepEqual(found, {
    namespace: "data",
    operators: [
      { reference: "csv/all/b.v1", version: "1.0.0", through: "OperatorGroup all/g", apis: ["Thing.x.io"] },
      {
        reference: "csv/data/a.v1",
        version: "1.0.0",
        through: "OperatorGroup data/own",
        account: "bob",
        apis: ["Thing.x.io"],
      },
    ],
    conflicts: [
      { text: "Thing.x.io is provided by csv/all/b.v1 and csv/data/a.v1", command: "purser status csv/all/b.v1" },
    ],
  });
});

test("two groups in the namespace, and operators without a group, are conflicts with a command", () => {
  const texts = (groups: readonly ReturnType<typeof group>[]) =>
    tenancyOf("data", { groups, csvs: [csv("data", "a.v1", "as.x.io")], extensions: [] }).conflicts;
  assert.deepEqual(texts([group("data", "b", ["data"]), group("data", "a", ["data"])]), [
    {
      text: "namespace data has 2 OperatorGroups (a, b); operators in it need exactly one",
      command: "kubectl get operatorgroups.operators.coreos.com -n data",
    },
  ]);
  assert.deepEqual(texts([]), [
    {
      text: "namespace data has operators and no OperatorGroup, so they are not installed",
      command: "purser explain -n data",
    },
  ]);
});

test("an extension serves every namespace once it is installed", () => {
  const extension = (name: string, version?: string) =>
    ({
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterExtension",
      metadata: { name },
      ...(version === undefined ? {} : { status: { install: { bundle: { name, version } } } }),
    }) as never;
  const found = tenancyOf("data", { groups: [], csvs: [], extensions: [extension("a", "2.0.0"), extension("b")] });
  assert.deepEqual(found.operators, [{ reference: "ext/a", version: "2.0.0", through: "all namespaces", apis: [] }]);
});
