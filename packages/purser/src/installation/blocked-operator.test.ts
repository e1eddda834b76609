import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import type { InstallPlan } from "../apis/v0/install-plan.ts";
import type { OperatorGroup } from "../apis/v0/operator-group.ts";
import { explainBlocked } from "./blocked-operator.ts";

const invalid =
  'error validating existing CRs against new CRD\'s schema for "kilns.g.io": error validating g.io/v1, Kind=Kiln "ns/a": updated validation is too restrictive: [].spec.size: Invalid value: 9';
const unread =
  'risk of data loss updating "kilns.g.io": new CRD removes version v1 that is listed as a stored version on the existing CRD';

const plan = (phase: "Installing" | "Failed" | "Complete", message: string): InstallPlan => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "InstallPlan",
  metadata: { namespace: "ns", name: "install-abcde" },
  spec: { approval: "Manual", approved: true, clusterServiceVersionNames: ["kiln.v2.0.0"] },
  status: { phase, message, catalogSources: [] },
});
const explained = (of: InstallPlan) =>
  explainBlocked({
    reference: "sub/ns/kiln",
    packageName: "kiln",
    csv: undefined,
    plan: of,
    groups: [
      { apiVersion: "operators.coreos.com/v1", kind: "OperatorGroup", metadata: { namespace: "ns", name: "g" } },
    ],
  });

const change = [
  "Change or delete the custom resource that the message names; to list them",
  "kubectl get kilns.g.io -A",
];
const rewrite = [
  "Write all its custom resources in a version that stays, and remove the other one from the CRD's status.storedVersions; to list them",
  "kubectl get kilns.g.io -A",
];
const again = [
  "Delete the InstallPlan after that, as it has failed: another one is made",
  "kubectl delete installplans.operators.coreos.com install-abcde -n ns",
];
const others = ["See which other versions the catalogs have", "purser show kiln --versions"];

for (const [name, of, text, remedies] of [
  [
    "objects that the new schema refuses, while it is retried",
    plan("Installing", `retrying execution due to error: ${invalid}`),
    invalid,
    [change, others],
  ],
  [
    "objects that the new schema refuses, once it has failed",
    plan("Failed", invalid),
    invalid,
    [change, again, others],
  ],
  ["a stored version that the new CRD removes", plan("Failed", unread), unread, [rewrite, again, others]],
] as const)
  test(`an InstallPlan is refused as CrdUnsafe for ${name}`, () => {
    const found = explained(of);
    assert.equal(found?.code, "CrdUnsafe");
    assert.match(
      found.summary,
      /^The new version of CustomResourceDefinition kilns\.g\.io would break objects that exist: /,
    );
    assert.deepEqual(
      found.derivation.map((reason) => reason.text),
      [text],
    );
    assert.deepEqual(
      found.remedies.map(({ summary, command }) => [summary, command]),
      remedies,
    );
  });

for (const [name, of] of [
  ["another text", plan("Failed", "error creating CRD kilns.g.io: it is too long")],
  ["what a complete plan was refused for before", plan("Complete", invalid)],
] as const)
  test(`an InstallPlan is not refused as CrdUnsafe for ${name}`, () => assert.equal(explained(of), undefined));

const ownGroup = (spec: object): OperatorGroup => ({
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: { namespace: "ns", name: "g" },
  spec,
});
const operator = (reason: string, spec: object, status: object = {}): ClusterServiceVersion =>
  ({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace: "ns", name: "kiln.v2.0.0" },
    spec,
    status: { phase: "Failed", reason, message: "as OLM says it", ...status },
  }) as unknown as ClusterServiceVersion;
const modes = (...types: readonly string[]) => ({
  installModes: ["OwnNamespace", "SingleNamespace", "AllNamespaces"].map((type) => ({
    type,
    supported: types.includes(type),
  })),
});
const remove = "purser uninstall sub/ns/kiln --mode keep-data";
const retarget = (spec: object): string =>
  `kubectl patch operatorgroups.operators.coreos.com g -n ns --type merge -p '${JSON.stringify({ spec })}'`;

for (const [name, csv, code, summary, commands] of [
  [
    "its own namespace only, in a group for all",
    operator("UnsupportedOperatorGroup", modes("OwnNamespace")),
    "InstallModeUnsupported",
    "kiln.v2.0.0 does not support the target namespaces of OperatorGroup g; it supports OwnNamespace",
    [retarget({ targetNamespaces: ["ns"], selector: null }), remove],
  ],
  [
    "all namespaces only, in a group for one",
    operator("UnsupportedOperatorGroup", modes("AllNamespaces")),
    "InstallModeUnsupported",
    "kiln.v2.0.0 does not support the target namespaces of OperatorGroup g; it supports AllNamespaces",
    [retarget({ targetNamespaces: null, selector: null }), remove],
  ],
  [
    "an API of another group",
    operator("InterOperatorGroupOwnerConflict", { customresourcedefinitions: { owned: [{ name: "kilns.g.io" }] } }),
    "ApiConflict",
    "kiln.v2.0.0 provides kilns.g.io, which an operator of another OperatorGroup provides for the same namespaces",
    ["purser tenancy ns", remove],
  ],
  [
    "a newer Kubernetes",
    operator(
      "RequirementsNotMet",
      { minKubeVersion: "9.0.0" },
      { requirementStatus: [{ kind: "ClusterServiceVersion", status: "PresentNotSatisfied", message: "too old" }] },
    ),
    "ClusterIncompatible",
    "kiln.v2.0.0 needs Kubernetes 9.0.0 or newer",
    [remove, "purser show kiln --versions"],
  ],
] as const)
  test(`an operator is blocked that supports or needs ${name}`, () => {
    const world = { reference: "sub/ns/kiln", packageName: "kiln", csv, plan: undefined };
    const found = explainBlocked({ ...world, groups: [ownGroup({})] });
    assert.deepEqual([found?.code, found?.summary], [code, summary]);
    assert.deepEqual(
      found?.remedies.map(({ command }) => command),
      commands,
    );
    // Without the one group the cause is another.
    assert.equal(explainBlocked({ ...world, groups: [] }), undefined);
    assert.equal(explainBlocked({ ...world, groups: [ownGroup({}), ownGroup({})] }), undefined);
  });

for (const [name, message, isMissing] of [
  ["does not exist", "please make sure the service account exists. sa=poor", true],
  ["lacks rights", "error creating role: roles is forbidden: User cannot create", false],
] as const)
  test(`an InstallPlan is blocked whose account ${name}`, () => {
    const world = { reference: "sub/ns/kiln", packageName: "kiln", csv: undefined, plan: plan("Installing", message) };
    const found = explainBlocked({ ...world, groups: [ownGroup({ serviceAccountName: "poor" })] });
    assert.deepEqual(
      [found?.code, found?.summary],
      ["PermissionDenied", `ServiceAccount poor of OperatorGroup g ${name}: ${message}`],
    );
    assert.deepEqual(
      found?.remedies.map(({ command }) => command),
      [
        isMissing
          ? "kubectl create serviceaccount poor -n ns"
          : "kubectl auth can-i --list --as=system:serviceaccount:ns:poor -n ns",
        retarget({ serviceAccountName: null }),
      ],
    );
    assert.equal(explainBlocked({ ...world, groups: [ownGroup({})] }), undefined);
  });
