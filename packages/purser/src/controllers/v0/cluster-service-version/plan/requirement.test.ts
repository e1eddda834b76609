import assert from "node:assert/strict";
import { test } from "node:test";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import type { ServiceAccount } from "@purser/kubernetes/apis/core";
import type { PolicyRule } from "@purser/kubernetes/apis/rbac";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { evaluateRequirements } from "./requirement.ts";
import { csvAt, worldOf } from "./testing/csv-world.ts";
import type { RequirementWorld } from "./world.ts";

function csvWith(spec: object, name = "op.v3", replaces: string | undefined = "op.v2"): ClusterServiceVersion {
  const csv = csvAt(name, "Pending", "", replaces);
  return { ...csv, spec: { ...csv.spec, ...spec } } as ClusterServiceVersion;
}

/** `group/version Kind name: status, message, uid` of every requirement, and whether all are met. */
function judged(spec: object, change: Partial<RequirementWorld> = {}): readonly string[] {
  const evaluated = evaluateRequirements(worldOf(csvWith(spec), change));
  if (!evaluated.ok) return [`problem: ${evaluated.problem}`];
  const { met, statuses } = evaluated.value;
  return [
    ...statuses.map(({ group, version, kind, name, status, message, ...more }) => {
      const uid = "uuid" in more ? [String(more.uuid)] : [];
      return `${group}/${version} ${kind} ${name}: ${[status, message, ...uid].join(", ")}`;
    }),
    met ? "met" : "not met",
  ];
}

const established = [
  { type: "Established", status: "True" },
  { type: "NamesAccepted", status: "True" },
];
const crd = (change: {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly conditions?: readonly object[];
  readonly served?: boolean;
}): Partial<RequirementWorld> => ({
  crds: new Map([
    [
      "as.g.io",
      {
        metadata: { name: "as.g.io", uid: "uid-as", annotations: change.annotations ?? {} },
        spec: {
          versions: [
            { name: "v1", served: change.served ?? true, storage: true },
            { name: "v0", served: true, storage: false },
          ],
        },
        status: { conditions: change.conditions ?? established },
      } as unknown as CustomResourceDefinition,
    ],
  ]),
});
const a = { name: "as.g.io", version: "v1", kind: "A" };
const owned = { customresourcedefinitions: { owned: [a] } };
const required = { customresourcedefinitions: { required: [a] } };

const notOurs = "PresentNotSatisfied, CRD installed alongside other CSV(s)";
const present = "Present, CRD is present and Established condition is true, uid-as";
for (const [what, spec, change, expected] of [
  ["does not exist", required, {}, "NotPresent, CRD is not present"],
  ["is served", required, crd({}), present],
  ["does not serve the version", required, crd({ served: false }), "NotPresent, CRD version not served"],
  [
    "does not have the version",
    { customresourcedefinitions: { required: [{ ...a, version: "v2" }] } },
    crd({}),
    "NotPresent, CRD version not served",
  ],
  ...established.map(
    (_, at) =>
      [
        `has not yet the condition ${established[1 - at]?.type}`,
        required,
        crd({ conditions: established.slice(at, at + 1) }),
        "PresentNotAvailable, CRD is present but the Established condition is False (not available)",
      ] as const,
  ),
] as const)
  test(`a CRD that ${what}: ${expected}`, () =>
    assert.deepEqual(judged(spec, change), [
      `apiextensions.k8s.io/v1 CustomResourceDefinition as.g.io: ${expected}`,
      expected === present ? "met" : "not met",
    ]));

test("each CRD is judged once, sorted by name, and one that is owned and required is owned", () => {
  const [b, c] = [
    { ...a, name: "0.g.io" },
    { ...a, name: "c.g.io" },
  ];
  assert.deepEqual(
    judged({ customresourcedefinitions: { owned: [a, c], required: [b, { ...a, version: "v0" }] } }, crd({})),
    [
      "apiextensions.k8s.io/v1 CustomResourceDefinition 0.g.io: NotPresent, CRD is not present",
      `apiextensions.k8s.io/v1 CustomResourceDefinition as.g.io: ${present}`,
      "apiextensions.k8s.io/v1 CustomResourceDefinition c.g.io: NotPresent, CRD is not present",
      "not met",
    ],
  );
});

const siblings = [csvWith({}), csvWith({}, "op.v2", "op.v1"), csvWith({}, "op.v1", "op.v0"), csvWith({}, "other.v1")];
const alongside = (...values: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(values.map((value, at) => [`operatorframework.io/installed-alongside-${at}`, value]));
for (const [what, annotations, expected] of [
  ["the CSV that this one replaces", alongside("ns/op.v2"), `${notOurs}: op.v2`],
  ["all that this one replaces, nearest first", alongside("ns/op.v1", "ns/op.v2"), `${notOurs}: op.v2, op.v1`],
  ["this one as well", alongside("ns/op.v2", "ns/op.v3"), present],
  ["one further back alone", alongside("ns/op.v1"), present],
  ["one that this one does not replace", alongside("ns/other.v1"), present],
  ["one that no longer exists", alongside("ns/op.v0"), present],
  ["a CSV of that name in another namespace", alongside("elsewhere/op.v2"), present],
  ["no namespace", alongside("op.v2"), present],
  ["more than namespace and name", alongside("ns/op.v2/x"), present],
  ["the CSV under another key", { "operatorframework.io/beside": "ns/op.v2" }, present],
] as const)
  test(`an owned CRD whose annotations name ${what}: ${expected}`, () =>
    assert.deepEqual(judged(owned, { ...crd({ annotations }), siblings }), [
      `apiextensions.k8s.io/v1 CustomResourceDefinition as.g.io: ${expected}`,
      expected === present ? "met" : "not met",
    ]));

test("annotations of a CRD that is required alone do not matter", () =>
  assert.equal(judged(required, { ...crd({ annotations: alongside("ns/op.v2") }), siblings }).at(-1), "met"));

test("a copied CSV does not count as one that a CRD was installed alongside", () => {
  const [own, second, ...rest] = siblings as [ClusterServiceVersion, ClusterServiceVersion];
  const copied = { ...second, metadata: { ...second.metadata, labels: { "olm.copiedFrom": "elsewhere" } } };
  const world = { ...crd({ annotations: alongside("ns/op.v2") }), siblings: [own, copied, ...rest] };
  assert.equal(judged(owned, world).at(-1), "met");
});

test("CSVs that replace one another are listed once", () => {
  const circle = [csvWith({}), csvWith({}, "op.v2", "op.v1"), csvWith({}, "op.v1", "op.v2")];
  assert.deepEqual(
    judged(owned, { ...crd({ annotations: alongside("ns/op.v1", "ns/op.v2") }), siblings: circle }).at(0),
    `apiextensions.k8s.io/v1 CustomResourceDefinition as.g.io: ${notOurs}: op.v2, op.v1`,
  );
});

const service = (status: string): ReadonlyMap<string, APIService> =>
  new Map([
    [
      "v1.served.io",
      {
        metadata: { uid: "uid-served" },
        status: { conditions: [{ type: "Available", status }] },
      } as unknown as APIService,
    ],
  ]);
const served = { group: "served.io", version: "v1", kind: "C", name: "cs", deploymentName: "d" };
const discovery = new Set(["served.io/v1/C"]);
for (const [what, change, expected, isMet] of [
  [
    "is available and in discovery",
    { apiServices: service("True"), servedApis: discovery },
    "Present, , uid-served",
    true,
  ],
  ["is not available", { apiServices: service("False"), servedApis: discovery }, "NotPresent, ", false],
  ["is not in discovery", { apiServices: service("True") }, "NotPresent, ", false],
  ["does not exist", { servedApis: discovery }, "NotPresent, ", false],
] as const)
  test(`a required API that ${what}: ${expected}`, () =>
    assert.deepEqual(judged({ apiservicedefinitions: { required: [served] } }, change), [
      `apiregistration.k8s.io/v1 APIService v1.served.io: ${expected}`,
      isMet ? "met" : "not met",
    ]));

test("an owned API asks for the Deployment that serves it, after the required ones, each sorted by name", () => {
  const deployments = [
    { name: "d", spec: {} },
    { name: "x", spec: {} },
  ];
  const install = { strategy: "deployment", spec: { deployments } };
  const apiservicedefinitions = {
    owned: [
      { ...served, group: "b.io", deploymentName: "e" },
      { ...served, group: "a.io" },
    ],
    required: [
      { ...served, group: "e.io" },
      { ...served, group: "d.io" },
      { ...served, group: "c.io" },
      { ...served, group: "f.io" },
      { ...served, group: "a.io" },
    ],
  };
  assert.deepEqual(judged({ install, apiservicedefinitions }), [
    "apiregistration.k8s.io/v1 APIService v1.c.io: NotPresent, ",
    "apiregistration.k8s.io/v1 APIService v1.d.io: NotPresent, ",
    "apiregistration.k8s.io/v1 APIService v1.e.io: NotPresent, ",
    "apiregistration.k8s.io/v1 APIService v1.f.io: NotPresent, ",
    "apiregistration.k8s.io/v1 APIService v1.a.io: DeploymentFound, ",
    "apiregistration.k8s.io/v1 APIService v1.b.io: DeploymentNotFound, ",
    "not met",
  ]);
  assert.deepEqual(judged({ install, apiservicedefinitions: { owned: [served] } }), [
    "apiregistration.k8s.io/v1 APIService v1.served.io: DeploymentFound, ",
    "met",
  ]);
});

test("a native API is one that discovery shows", () => {
  const spec = {
    nativeAPIs: [
      { group: "served.io", version: "v1", kind: "C" },
      { group: "served.io", version: "v1", kind: "D" },
    ],
  };
  assert.deepEqual(judged(spec, { servedApis: discovery }), [
    "served.io/v1 C v1.served.io: Present, Native API exists",
    "served.io/v1 D v1.served.io: NotPresent, Native API does not exist",
    "not met",
  ]);
});

for (const [minKubeVersion, expected] of [
  [
    "1.36.3",
    [
      "operators.coreos.com/v1alpha1 ClusterServiceVersion op.v3: Present, CSV minKubeVersion (1.36.3) less than server version (v1.36.3)",
      "met",
    ],
  ],
  [
    "1.36.4",
    [
      "operators.coreos.com/v1alpha1 ClusterServiceVersion op.v3: PresentNotSatisfied, CSV version requirement not met: minKubeVersion (1.36.4) > server version (1.36.3)",
      "not met",
    ],
  ],
  ["", ["met"]],
] as const)
  test(`minKubeVersion "${minKubeVersion}" on v1.36.3: ${expected.at(-1)}`, () =>
    assert.deepEqual(judged({ minKubeVersion }), expected));

test("an unknown install strategy cannot be judged", () =>
  assert.deepEqual(judged({ install: { strategy: "helm" } }), ["problem: unrecognized install strategy"]));

test("rules that are not valid cannot be judged", () => {
  const rules: readonly PolicyRule[] = [{ verbs: [], apiGroups: [""], resources: ["pods"] }];
  const spec = { deployments: [], permissions: [{ serviceAccountName: "default", rules }] };
  const account: ServiceAccount = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
  assert.deepEqual(
    judged({ install: { strategy: "deployment", spec } }, { serviceAccounts: new Map([["default", account]]) }),
    ["problem: rule invalid: policy rule must have at least one verb"],
  );
});
