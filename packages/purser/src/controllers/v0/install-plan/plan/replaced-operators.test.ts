import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan, Step } from "../../../../apis/v0/install-plan.ts";
import { bundleReference } from "../../../../resolver/v0/install-plan/bundle-reference.ts";
import { replacedOperators } from "./replaced-operators.ts";

type Phase = NonNullable<NonNullable<ClusterServiceVersion["status"]>["phase"]>;

const csvOf = (name: string, phase: Phase = "Succeeded"): ClusterServiceVersion => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: { namespace: "ns", name },
  spec: { displayName: name, install: { strategy: "deployment", spec: { deployments: [] } } },
  status: { phase },
});

const stepOf = (name: string, manifest: string, kind = "ClusterServiceVersion"): Step => ({
  resolving: name,
  resource: { group: "", version: "v1alpha1", kind, name, sourceName: "demo", sourceNamespace: "olm", manifest },
  status: "Unknown",
});

/** A plan that brings CSVs, each `NAME` or `NAME>REPLACED`. */
function planOf(generation: number | undefined, ...brings: readonly string[]): InstallPlan {
  const pairs = brings.map((text) => text.split(">"));
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "InstallPlan",
    metadata: { namespace: "ns", name: `install-${generation}` },
    spec: {
      approval: "Automatic",
      approved: true,
      clusterServiceVersionNames: pairs.map(([name = ""]) => name),
      ...(generation === undefined ? {} : { generation }),
    },
    status: {
      phase: "Installing",
      catalogSources: [],
      plan: pairs.map(([name = "", replaces]) =>
        stepOf(name, JSON.stringify({ spec: replaces === undefined ? {} : { replaces } })),
      ),
    },
  };
}

const replacedIn = (
  plan: InstallPlan,
  csvs: readonly ClusterServiceVersion[],
  others: readonly InstallPlan[],
): readonly string[] => [...replacedOperators(plan, csvs, [plan, ...others])];

const first = planOf(1, "op.v1");
const second = planOf(2, "op.v2>op.v1");
const third = planOf(3, "op.v3>op.v2");
const table: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["that is deleted and whose successor exists is replaced", replacedIn(first, [csvOf("op.v2")], [second]), ["op.v1"]],
  [
    "whose successor is deleted as well, after another, is replaced",
    replacedIn(first, [csvOf("op.v3")], [third, second]),
    ["op.v1"],
  ],
  [
    "that gives way is replaced",
    replacedIn(first, [csvOf("op.v1", "Replacing"), csvOf("op.v2", "Pending")], [second]),
    ["op.v1"],
  ],
  [
    "that is about to be deleted is replaced",
    replacedIn(first, [csvOf("op.v1", "Deleting"), csvOf("op.v2")], [second]),
    ["op.v1"],
  ],
  [
    "that has not succeeded yet still needs its plan",
    replacedIn(first, [csvOf("op.v1", "Pending"), csvOf("op.v2", "Pending")], [second]),
    [],
  ],
  ["whose successor does not exist yet is not replaced", replacedIn(first, [], [second]), []],
  [
    "that gives way to a successor that was deleted is not replaced",
    replacedIn(first, [csvOf("op.v1", "Replacing")], [second]),
    [],
  ],
  [
    "of a plan of the same generation is not replaced",
    replacedIn(first, [csvOf("op.v2")], [planOf(1, "op.v2>op.v1")]),
    [],
  ],
  ["of the newest plan is not replaced", replacedIn(second, [csvOf("op.v2")], [first]), []],
  [
    "that a user installs again after a newer one is not replaced",
    replacedIn(planOf(3, "op.v1"), [csvOf("op.v2")], [second]),
    [],
  ],
  [
    "of a plan without a generation is not replaced",
    replacedIn(planOf(undefined, "op.v1"), [csvOf("op.v2")], [second]),
    [],
  ],
  [
    "beside one that is not replaced is named alone",
    replacedIn(planOf(1, "a.v1", "op.v1"), [csvOf("op.v2")], [second]),
    ["op.v1"],
  ],
  ["in a circle of deleted ones is not replaced", replacedIn(first, [], [second, planOf(3, "op.v1>op.v2")]), []],
];

for (const [what, found, expected] of table)
  test(`a CSV ${what}`, () => {
    assert.deepEqual(found, expected);
  });

test("the successor of a large plan is read from the reference to its bundle", () => {
  const manifest = bundleReference({
    image: "example.com/op:v2",
    package: "op",
    version: "2.0.0",
    digest: `sha256:${"a".repeat(64)}`,
    replaces: "op.v1",
    properties: "",
  });
  const large = {
    ...second,
    status: { phase: "Complete", catalogSources: [], plan: [stepOf("op.v2", manifest)] },
  } as const;
  assert.deepEqual(replacedIn(first, [csvOf("op.v2")], [large]), ["op.v1"]);
});

test("only steps of CSVs name what is replaced, and a manifest that cannot be read names nothing", () => {
  for (const step of [
    stepOf("op.v2", '{"spec":{"replaces":"op.v1"}}', "ConfigMap"),
    stepOf("op.v2", "{"),
    stepOf("op.v2", '{"kind":"BundleReference.purser.dev","digest":"none","replaces":"op.v1"}'),
    stepOf("op.v2", '{"spec":"op.v1"}'),
    stepOf("op.v2", '{"spec":{"replaces":["op.v1"]}}'),
  ]) {
    const odd = { ...second, status: { phase: "Complete", catalogSources: [], plan: [step] } } as const;
    assert.deepEqual(replacedIn(first, [csvOf("op.v2")], [odd]), []);
  }
});
