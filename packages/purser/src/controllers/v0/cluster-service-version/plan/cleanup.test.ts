import assert from "node:assert/strict";
import { test } from "node:test";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { cleanupScopes, type Operand, planCleanup } from "./cleanup.ts";
import { planDeparture } from "./departure.ts";
import { csvAt, now } from "./testing/csv-world.ts";

const rules = [{ apiGroups: ["g.io"], resources: ["as"], verbs: ["*"] }];

interface Given {
  readonly name?: string;
  readonly uid?: string;
  readonly namespace?: string;
  readonly targets?: string | null;
  readonly enabled?: boolean;
  readonly history?: readonly string[];
  readonly replaces?: string;
  readonly strategy?: object;
}

function csvOf(given: Given = {}): ClusterServiceVersion {
  const { name = "op.v1", namespace = "ns", targets = "ns,b", enabled = true, history = ["Succeeded"] } = given;
  const base = csvAt(name, "Succeeded", "", given.replaces);
  const strategy = given.strategy ?? { permissions: [{ serviceAccountName: "op", rules }] };
  return {
    ...base,
    metadata: {
      ...base.metadata,
      namespace,
      uid: given.uid ?? name,
      annotations: targets === null ? {} : { "olm.targetNamespaces": targets },
    },
    spec: {
      ...base.spec,
      cleanup: { enabled },
      install: { strategy: "deployment", spec: strategy },
      customresourcedefinitions: { owned: [{ name: "as.g.io", version: "v1", kind: "A" }] },
    },
    status: { ...base.status, conditions: history.map((phase) => ({ phase })) },
  } as unknown as ClusterServiceVersion;
}

function crdOf(
  scope = "Namespaced",
  versions: readonly (readonly [string, boolean, boolean])[] = [["v1", true, true]],
): CustomResourceDefinition {
  return {
    metadata: { name: "as.g.io" },
    spec: {
      group: "g.io",
      scope,
      names: { kind: "A", plural: "as" },
      versions: versions.map(([name, served, storage]) => ({ name, served, storage })),
    },
  } as unknown as CustomResourceDefinition;
}

/** `VERSION in NAMESPACES by ACCOUNT` of each CRD whose custom resources are deleted. */
const scopes = (
  csv: ClusterServiceVersion,
  others: readonly ClusterServiceVersion[] = [],
  crd = crdOf(),
): readonly string[] =>
  cleanupScopes(csv, [csv, ...others], [crd]).map(
    ({ type, namespaces, account }) =>
      `${type.version} in ${namespaces === "all" ? "all" : namespaces.join(",")} by ${account?.namespace}/${account?.name}`,
  );

const clusterWide = { clusterPermissions: [{ serviceAccountName: "wide", rules }] };
const rival = (given: Given): ClusterServiceVersion => csvOf({ name: "rival.v1", namespace: "other", ...given });

const table: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["the target namespaces, with the operator's account", scopes(csvOf()), ["v1 in ns,b by ns/op"]],
  ["all namespaces of an operator for all", scopes(csvOf({ targets: "" })), ["v1 in all by ns/op"]],
  ["nothing where cleanup is not asked for", scopes(csvOf({ enabled: false })), []],
  ["nothing of an operator that never succeeded", scopes(csvOf({ history: ["Pending", "Failed"] })), []],
  [
    "those of an operator that failed later",
    scopes(csvOf({ history: ["Succeeded", "Failed"] })),
    ["v1 in ns,b by ns/op"],
  ],
  ["nothing on an upgrade", scopes(csvOf(), [csvOf({ name: "op.v2", replaces: "op.v1" })]), []],
  ["nothing without targets", scopes(csvOf({ targets: null })), ["v1 in  by ns/op"]],
  ["the namespaces that no other owner serves", scopes(csvOf(), [rival({ targets: "b,c" })]), ["v1 in ns by ns/op"]],
  ["nothing where another owner serves all namespaces", scopes(csvOf(), [rival({ targets: "" })]), []],
  [
    "nothing of all namespaces where there is another owner",
    scopes(csvOf({ targets: "" }), [rival({ targets: "b" })]),
    [],
  ],
  [
    "the stored version",
    scopes(
      csvOf(),
      [],
      crdOf("Namespaced", [
        ["v1", true, false],
        ["v2", true, true],
      ]),
    ),
    ["v2 in ns,b by ns/op"],
  ],
  [
    "a served version",
    scopes(
      csvOf(),
      [],
      crdOf("Namespaced", [
        ["v1", true, false],
        ["v2", false, true],
      ]),
    ),
    ["v1 in ns,b by ns/op"],
  ],
  ["nothing of a CRD that is not served", scopes(csvOf(), [], crdOf("Namespaced", [["v1", false, true]])), []],
  [
    "nothing cluster-scoped of an operator for some namespaces",
    scopes(csvOf({ strategy: clusterWide }), [], crdOf("Cluster")),
    [],
  ],
  [
    "cluster-scoped ones of an operator for all",
    scopes(csvOf({ targets: "", strategy: clusterWide }), [], crdOf("Cluster")),
    ["v1 in all by ns/wide"],
  ],
  [
    "cluster-scoped ones by no account with rights in namespaces only",
    scopes(csvOf({ targets: "" }), [], crdOf("Cluster")),
    ["v1 in all by undefined/undefined"],
  ],
  [
    "by no account that may not delete them",
    scopes(
      csvOf({ strategy: { permissions: [{ serviceAccountName: "op", rules: [{ ...rules[0], verbs: ["get"] }] }] } }),
    ),
    ["v1 in ns,b by undefined/undefined"],
  ],
];
for (const [what, found, expected] of table)
  test(`a CSV with spec.cleanup deletes ${what}`, () => assert.deepEqual(found, expected));

const type = { group: "g.io", version: "v1", kind: "A", plural: "as", namespaced: true };
const account = { namespace: "ns", name: "op" };
const operand = (name: string, isDeleting: boolean): Operand => ({
  type,
  key: { namespace: "b", name },
  account,
  isDeleting,
});

test("operands that are not being deleted yet are deleted, and all that exist are shown", () => {
  const csv = csvOf();
  const { actions, recheckAfterMs } = planCleanup(csv, [operand("x", false), operand("y", true)], now) ?? {};
  const pendingDeletion = [
    {
      group: "g.io",
      kind: "A",
      instances: [
        { name: "x", namespace: "b" },
        { name: "y", namespace: "b" },
      ],
    },
  ];
  assert.deepEqual(actions, [
    { kind: "deleteOperand", csv, account, write: { verb: "delete", type, key: { namespace: "b", name: "x" } } },
    { kind: "status", csv, status: { ...csv.status, cleanup: { pendingDeletion } } },
  ]);
  assert.equal(recheckAfterMs, 5_000);
  const shown = { ...csv, status: { ...csv.status, cleanup: { pendingDeletion } } } as ClusterServiceVersion;
  const deleting = [operand("x", true), operand("y", true)];
  assert.deepEqual(planCleanup(shown, deleting, now)?.actions, []);
});

test("operands are looked at less often the longer they take", () => {
  const after = (ms: number) => {
    const csv = csvOf();
    const deletionTimestamp = new Date(now - ms).toISOString();
    const leaving = { ...csv, metadata: { ...csv.metadata, deletionTimestamp } };
    return planCleanup(leaving, [operand("x", true)], now)?.recheckAfterMs;
  };
  assert.deepEqual([1_000, 20_000, 600_000].map(after), [5_000, 20_000, 60_000]);
});

test("nothing of the operator goes before its operands, and all of it when none is left", () => {
  const departure = { csv: csvOf(), leftovers: [{ kind: "clusterRole", name: "r" }], converted: [] } as const;
  const kinds = (operands: readonly Operand[]): readonly string[] =>
    planDeparture({ ...departure, cleanup: { operands, undeletable: [] } }, now).actions.map(({ kind }) => kind);
  assert.deepEqual(kinds([operand("x", false)]), ["deleteOperand", "status"]);
  assert.deepEqual(kinds([]), ["write", "write"]);
});

test("custom resources that the operator may not delete stay, with an event", () => {
  const csv = csvOf();
  const cleanup = { operands: [], undeletable: ["as.g.io"] };
  assert.deepEqual(planDeparture({ csv, cleanup, leftovers: [], converted: [] }, now).actions[0], {
    kind: "announce",
    csv,
    reason: "CleanupSkipped",
    message: "custom resources of as.g.io are kept: no ServiceAccount of the operator may delete them",
  });
});
