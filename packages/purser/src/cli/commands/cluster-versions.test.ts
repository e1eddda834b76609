import assert from "node:assert/strict";
import { test } from "node:test";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { Lease } from "@purser/kubernetes/apis/coordination";
import { leaderAnnotations } from "../../apis/leader-version.ts";
import { type ClusterVersions, controllersOf, definitionOf, leaderOf, linesOf } from "./cluster-versions.ts";

const metadata = { namespace: "purser-system", name: "purser" };

function crd(fields: readonly string[], storedVersions = ["v1"]): CustomResourceDefinition {
  const properties = Object.fromEntries(fields.map((field) => [field, { type: "string" }]));
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Cluster",
      names: { kind: "Thing", plural: "things" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties } } },
      ],
    },
    status: { conditions: [{ type: "Established", status: "True" }], storedVersions },
  } as unknown as CustomResourceDefinition;
}

const wanted = crd(["a", "b"]);
const refused = {
  ...wanted,
  status: { conditions: [{ type: "NamesAccepted", status: "False", reason: "Conflict", message: "things is taken" }] },
} as unknown as CustomResourceDefinition;
const rows: readonly (readonly [
  state: string,
  live: CustomResourceDefinition | undefined,
  line: string | undefined,
])[] = [
  ["same", wanted, undefined],
  ["same", crd(["a", "b"], ["v1alpha1", "v1"]), "stored as v1alpha1 and v1, here v1"],
  ["absent", undefined, "does not exist"],
  ["notServed", refused, "is not served: things is taken"],
  ["older", crd(["a"]), "is older: it lacks field b"],
  ["older", crd(["a"], ["v1alpha1"]), "is older: it lacks field b; stored as v1alpha1, here v1"],
  ["newer", crd(["a", "b", "c", "d"]), "is newer: it has field c and 1 more"],
];

for (const [state, live, line] of rows)
  test(`a definition that is ${line ?? state} is shown as ${state}`, () => {
    const found = definitionOf(wanted, live);
    assert.equal(found.state, state);
    assert.equal(found.wanted, "v1");
    assert.equal(found.stored, live === undefined ? undefined : "v1");
    // Beside one that is not absent: of definitions that are all absent nothing more is said.
    const lines = linesOf({ kubernetes: "v1.36.3", definitions: [definitionOf(wanted, wanted), found] });
    const others = line === undefined ? [] : [`  things.example.com: ${line}`];
    assert.deepEqual(lines.slice(2), [
      `definitions ${2 - others.length} of 2 CustomResourceDefinitions as in this purser`,
      ...others,
    ]);
  });

test("definitions that are all absent are one line", () => {
  assert.deepEqual(
    linesOf({ kubernetes: "v1.36.3", controllers: [], definitions: [definitionOf(wanted, undefined)] }),
    ["Kubernetes v1.36.3", "definitions none of 1 CustomResourceDefinition"],
  );
});

test("what the user may not read is unknown and not none", () => {
  const nothing: ClusterVersions = { kubernetes: "v1.29.4" };
  assert.deepEqual(linesOf(nothing), [
    "Kubernetes v1.29.4: older than 1.30, which Purser needs",
    "controllers unknown: Deployments cannot be listed by this user",
    "definitions unknown: CustomResourceDefinitions cannot be read by this user",
  ]);
});

const holder = "host_1";
const lease = (holderIdentity: string, annotations: Readonly<Record<string, string>> = {}): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { ...metadata, annotations },
  spec: { holderIdentity, leaseDurationSeconds: 3, renewTime: "2026-11-24T12:00:00.000000Z" },
});
const leaders: readonly (readonly [what: string, lease: Lease, line: string])[] = [
  [
    "of this version",
    lease(holder, leaderAnnotations(holder, "0.3.1")),
    "leader 0.3.1 (host_1, Lease purser-system/purser)",
  ],
  [
    "of the version before",
    lease(holder, leaderAnnotations(holder, "0.2.0")),
    "leader 0.2.0 (host_1, Lease purser-system/purser): one minor version apart from this purser, which is supported",
  ],
  [
    "of a far version",
    lease(holder, leaderAnnotations(holder, "0.1.9")),
    "leader 0.1.9 (host_1, Lease purser-system/purser): more than one minor version apart from this purser",
  ],
  [
    "that wrote over the Lease of a newer one and records nothing",
    lease("host_2", leaderAnnotations(holder, "0.3.1")),
    "leader of an unknown version (host_2, Lease purser-system/purser)",
  ],
  [
    "that gave its Lease back",
    lease("", leaderAnnotations(holder, "0.3.1")),
    "leader none; `purser up` works without one",
  ],
];
const now = Date.parse("2026-11-24T12:00:18.000Z");
for (const [what, held, line] of leaders)
  test(`a leader ${what} is shown with what is known of it`, () => {
    const leader = leaderOf(held, "0.3.0", now);
    const shown = linesOf({ kubernetes: "v1.36.3", controllers: [], leaders: leader === undefined ? [] : [leader] });
    assert.deepEqual(shown.slice(1, -1), [line]);
  });

test("a process whose Lease ended long ago does not lead", () => {
  assert.equal(leaderOf(lease(holder), "0.3.0", now + 1), undefined);
});

test("the controllers of the next minor version are shown as supported", () => {
  const template = { spec: { containers: [{ name: "purser", image: "example.com/purser:0.4.2" }] } };
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { template } };
  const controllers = controllersOf([deployment as never], "0.3.0");
  assert.deepEqual(controllers, [{ deployment: "purser-system/purser", version: "0.4.2", skew: "supported" }]);
  assert.equal(
    linesOf({ kubernetes: "v1.36.3", controllers, leaders: [] })[1],
    "controllers 0.4.2 (Deployment purser-system/purser): one minor version apart from this purser, which is supported",
  );
});
