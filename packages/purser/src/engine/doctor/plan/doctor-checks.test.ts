import assert from "node:assert/strict";
import { test } from "node:test";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { Lease } from "@purser/kubernetes/apis/coordination";
import type { JsonObject } from "@purser/kubernetes/json";
import { rights } from "../../../deploy/rights/rights.ts";
import type { Installation } from "../../../installation/installation.ts";
import { type CheckName, checkNames } from "./check.ts";
import { doctorChecks } from "./doctor-checks.ts";
import type { DoctorWorld } from "./doctor-world.ts";

const now = Date.parse("2026-11-24T12:00:00Z");
const hour = 3_600_000;

function definition(name: string, properties: JsonObject, conditions: JsonObject[] = [], versions = ["v1"]) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      group: "g",
      scope: "Cluster",
      names: { plural: name, kind: name },
      versions: versions.map((version) => ({
        name: version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties } },
      })),
    },
    status: { conditions },
  } as unknown as CustomResourceDefinition;
}
const established = [{ type: "Established", status: "True" }];
const text = { type: "string" };

const deployment = (image: string, replicas: number, readyReplicas: number): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { namespace: "purser-system", name: "purser" },
  spec: {
    replicas,
    selector: {},
    template: { spec: { serviceAccountName: "purser", containers: [{ name: "purser", image }] } },
  } as unknown as NonNullable<Deployment["spec"]>,
  status: { readyReplicas },
});
const lease = (renewTime: string, namespace = "purser-system"): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { namespace, name: "purser" },
  spec: { holderIdentity: "pod-a", leaseDurationSeconds: 3, renewTime },
});
const installation = (state: Installation["state"], more: Partial<Installation> = {}): Installation => ({
  api: "v0",
  reference: "sub/data/etcd",
  namespace: "data",
  name: "etcd",
  packageName: "etcd",
  state,
  why: "",
  ...more,
});
const wanted = definition("things.g", { one: text }, established);

const sound: DoctorWorld = {
  now,
  client: { version: "1.4.0" },
  cluster: { version: "v1.30.0", date: now + 5000 },
  deployments: [deployment("example.com/purser:1.3.7", 2, 2)],
  rights: { subject: { kind: "account", name: "purser-system/purser" }, asked: 3, denied: [] },
  definitions: [{ wanted, live: wanted }],
  managers: [],
  leases: [lease("2026-11-24T11:59:42.000000Z")],
  certificates: [
    { object: "Secret data/renewed", isRenewed: true, notAfter: now + 13 * hour },
    { object: "Secret data/own", isRenewed: false, notAfter: now + 15 * 24 * hour },
  ],
  catalogSources: [],
  clusterCatalogs: [],
  operatorGroups: [{ metadata: { namespace: "data", name: "og" } }] as unknown as DoctorWorld["operatorGroups"],
  accounts: new Set(),
  webhooks: [],
  conversions: [],
  installations: [installation("Ready"), installation("Approve")],
  deletions: [],
  unread: [],
};

test("a sound cluster has a line for each check and no finding", () => {
  assert.deepEqual(
    doctorChecks(sound).map(({ name, summary, findings }) => [name, summary, findings.length]),
    [
      ["rights", "3 rights of ServiceAccount purser-system/purser", 0],
      ["definitions", "1 CustomResourceDefinition", 0],
      ["versions", "purser 1.4.0, Kubernetes v1.30.0", 0],
      ["managers", "pod-a leads", 0],
      ["clock", "the API server and this machine agree", 0],
      ["certificates", "2 certificates", 0],
      ["catalogs", "0 CatalogSources, 0 ClusterCatalogs", 0],
      ["groups", "1 OperatorGroup, 1 namespace with operators", 0],
      ["webhooks", "0 webhooks", 0],
      ["conversions", "0 CustomResourceDefinitions with a conversion webhook", 0],
      ["stuck", "2 installations", 0],
      ["orphans", "0 of 2 installations", 0],
      ["deletions", "0 objects being deleted", 0],
    ],
  );
});

const [leaseRight] = rights;
assert.ok(leaseRight !== undefined);
const catalogSource = (status: JsonObject): DoctorWorld["catalogSources"] =>
  [
    { metadata: { namespace: "olm", name: "community" }, spec: { sourceType: "grpc", image: "r/c:1" }, status },
  ] as unknown as DoctorWorld["catalogSources"];
const clusterCatalog = (conditions: JsonObject[], spec: JsonObject = {}): DoctorWorld["clusterCatalogs"] =>
  [
    {
      metadata: { name: "community" },
      spec: { source: { type: "Image", image: { ref: "r/c:1" } }, ...spec },
      status: { conditions },
    },
  ] as unknown as DoctorWorld["clusterCatalogs"];
const serving = (status: string): JsonObject => ({ type: "Serving", status, message: "no content" });
const retrying = { type: "Progressing", status: "True", reason: "Retrying", message: "r answers 503" };

const cases: readonly (readonly [name: string, CheckName, Partial<DoctorWorld>, findings: readonly string[]])[] = [
  [
    "rights that are missing",
    "rights",
    {
      rights: {
        subject: { kind: "account", name: "purser-system/purser" },
        asked: 3,
        denied: [
          { right: leaseRight, resource: "leases", verb: "get" },
          { right: leaseRight, resource: "leases", verb: "update" },
        ],
      },
    },
    [
      'problem ServiceAccount purser-system/purser may not get, update leases.coordination.k8s.io, which is required to elect the leader among the replicas -> apply the manifests of this version again, or add the rule {"apiGroups":["coordination.k8s.io"],"resources":["leases"],"verbs":["get","update"]}',
    ],
  ],
  [
    "a right that holds for objects of one name",
    "rights",
    {
      rights: {
        subject: { kind: "self" },
        asked: 1,
        denied: [{ right: { ...leaseRight, group: "", names: ["one"] }, resource: "leases", verb: "get", name: "one" }],
      },
    },
    [
      'problem the user of this kubeconfig may not get leases, which is required to elect the leader among the replicas -> apply the manifests of this version again, or add the rule {"apiGroups":[""],"resources":["leases"],"verbs":["get"],"resourceNames":["one"]}',
    ],
  ],
  [
    "a definition that is missing",
    "definitions",
    { definitions: [{ wanted }] },
    ["problem CustomResourceDefinition things.g does not exist -> purser crds apply"],
  ],
  [
    "a definition whose names are taken",
    "definitions",
    {
      definitions: [
        {
          wanted,
          live: definition("things.g", { one: text }, [
            {
              type: "NamesAccepted",
              status: "False",
              reason: "ListKindConflict",
              message: '"ThingList" is already in use',
            },
          ]),
        },
      ],
    },
    [
      'problem CustomResourceDefinition things.g is not served: "ThingList" is already in use -> delete the definition that has the same names, or wait until this one is served',
    ],
  ],
  [
    "an older definition",
    "definitions",
    { definitions: [{ wanted: definition("things.g", { one: text, two: text, three: text }), live: wanted }] },
    [
      "problem CustomResourceDefinition things.g is older: it lacks field two and 1 more -> purser crds apply, which keeps stored objects",
    ],
  ],
  [
    "a definition with a version more",
    "definitions",
    { definitions: [{ wanted, live: definition("things.g", { one: text }, established, ["v1", "v2"]) }] },
    [
      "warning CustomResourceDefinition things.g is newer: it has version v2 and 2 more -> use the version of Purser that it came with",
    ],
  ],
  [
    "an old cluster",
    "versions",
    { cluster: { version: "v1.29.9" } },
    ["problem the API server is Kubernetes v1.29.9; Purser needs 1.30 or newer -> upgrade the cluster"],
  ],
  [
    "controllers two minor versions behind",
    "versions",
    { deployments: [deployment("example.com/purser:1.2.0", 2, 2)] },
    [
      "warning Deployment purser-system/purser runs purser 1.2.0, and this is purser 1.4.0: more than one minor version apart -> use purser 1.2.0 here, or apply the manifests of 1.4.0",
    ],
  ],
  [
    "OLM beside Purser",
    "managers",
    { managers: [{ ...deployment("olm", 1, 1), metadata: { namespace: "olm", name: "olm-operator" } }] },
    [
      "problem Deployment olm/olm-operator runs with 1 replica: two managers would overwrite each other -> kubectl -n olm scale deployment olm-operator --replicas=0",
    ],
  ],
  [
    "a lease that ran out, and a replica that is not ready",
    "managers",
    { leases: [lease("2026-11-24T11:59:41.999000Z")], deployments: [deployment("purser", 2, 1)] },
    [
      "problem Deployment purser-system/purser has no leader: nobody holds the Lease purser -> kubectl -n purser-system logs deployment/purser",
      "warning Deployment purser-system/purser has 1 of 2 replicas ready -> kubectl -n purser-system logs deployment/purser",
    ],
  ],
  [
    "a leader of another namespace",
    "managers",
    { leases: [lease("2026-11-24T11:59:58.000000Z", "elsewhere")] },
    [
      "problem Deployment purser-system/purser has no leader: nobody holds the Lease purser -> kubectl -n purser-system logs deployment/purser",
    ],
  ],
  [
    "a lease that its holder has released",
    "managers",
    { leases: [{ ...lease("2026-11-24T11:59:58.000000Z"), spec: { renewTime: "2026-11-24T11:59:58.000000Z" } }] },
    [
      "problem Deployment purser-system/purser has no leader: nobody holds the Lease purser -> kubectl -n purser-system logs deployment/purser",
    ],
  ],
  [
    "a process outside of the cluster that has ended",
    "managers",
    { deployments: [], leases: [lease("2026-11-24T11:59:41.999000Z", "kube-system")] },
    [
      "warning Lease kube-system/purser is held by nobody: nothing is installed, upgraded or repaired -> start purser run again, or apply the manifests of purser manifests",
    ],
  ],
  ["a process outside of the cluster that leads", "managers", { deployments: [] }, []],
  ["the embedded cluster, which has no leader", "managers", { deployments: [], leases: [] }, []],
  [
    "OLM after Purser",
    "managers",
    {
      deployments: [],
      leases: [lease("2026-11-24T11:59:41.999000Z", "kube-system")],
      managers: [{ ...deployment("olm", 1, 1), metadata: { namespace: "olm", name: "olm-operator" } }],
    },
    [
      "problem Deployment olm/olm-operator runs with 1 replica: two managers would overwrite each other -> kubectl -n olm scale deployment olm-operator --replicas=0",
    ],
  ],
  [
    "a clock that is behind",
    "clock",
    { cluster: { version: "v1.30.0", date: now - 6000 } },
    [
      "warning the API server is 6 seconds behind this machine: certificates and leases may appear expired or not yet valid -> synchronise the clocks (chrony, systemd-timesyncd)",
    ],
  ],
  [
    "certificates that ended, end soon and cannot be read",
    "certificates",
    {
      certificates: [
        { object: "Secret data/a", isRenewed: true, notAfter: now },
        { object: "Secret data/b", isRenewed: true, notAfter: now + 12 * hour },
        { object: "Secret data/c", isRenewed: false, notAfter: now + 13 * 24 * hour },
        { object: "Secret data/d", isRenewed: false },
      ],
    },
    [
      "problem Secret data/a ended at 2026-11-24T12:00:00Z -> kubectl -n data delete secret a: Purser issues another one",
      "warning Secret data/b ends at 2026-11-25T00:00:00Z -> kubectl -n data delete secret b: Purser issues another one",
      "warning Secret data/c ends at 2026-12-07T12:00:00Z -> renew it at its issuer; Purser reads it again without a restart",
      "problem Secret data/d holds no readable certificate -> renew it at its issuer; Purser reads it again without a restart",
    ],
  ],
  [
    "a CatalogSource that cannot be read",
    "catalogs",
    {
      catalogSources: catalogSource({
        connectionState: { lastObservedState: "TRANSIENT_FAILURE" },
        message: "r answers 401",
      }),
    },
    ["problem CatalogSource olm/community is TRANSIENT_FAILURE: r answers 401 -> check r/c:1 and its pull secrets"],
  ],
  [
    "a CatalogSource that is ready",
    "catalogs",
    { catalogSources: catalogSource({ connectionState: { lastObservedState: "READY" } }) },
    [],
  ],
  [
    "a ClusterCatalog with its last good content",
    "catalogs",
    { clusterCatalogs: clusterCatalog([serving("True"), retrying]) },
    ["warning ClusterCatalog community serves its last good content: r answers 503 -> check r/c:1 and the pull secret"],
  ],
  [
    "a ClusterCatalog without content",
    "catalogs",
    { clusterCatalogs: clusterCatalog([serving("False")]) },
    ["problem ClusterCatalog community serves nothing: no content -> check r/c:1 and the pull secret"],
  ],
  [
    "a ClusterCatalog that is switched off",
    "catalogs",
    { clusterCatalogs: clusterCatalog([serving("False")], { availabilityMode: "Unavailable" }) },
    [],
  ],
  [
    "installations that are stuck, failed and orphaned",
    "stuck",
    {
      installations: [
        installation("Installing", {
          stuck: { stuckSince: "2026-11-24T11:00:00Z", blockedBy: "Deployment data/etcd", nextRetry: "12:01" },
        }),
        installation("Failed", { why: "no owner" }),
        installation("Orphan", { reference: "csv/data/etcd.v1" }),
      ],
    },
    [
      "problem sub/data/etcd is stuck since 2026-11-24T11:00:00Z, blocked by Deployment data/etcd; next attempt 12:01 -> purser explain sub/data/etcd",
      "problem sub/data/etcd is Failed: no owner -> purser explain sub/data/etcd",
    ],
  ],
  [
    "an orphaned operator",
    "orphans",
    { installations: [installation("Orphan", { reference: "csv/data/etcd.v1", name: "etcd.v1" })] },
    [
      "warning csv/data/etcd.v1 has no Subscription: it is never upgraded, and blocks a Subscription for its package -> purser adopt csv/data/etcd.v1, or kubectl -n data delete csv etcd.v1",
    ],
  ],
];
for (const [name, check, change, findings] of cases)
  test(`${name}: the check ${check} says why and what to do, and no other check finds it`, () => {
    const checks = doctorChecks({ ...sound, ...change });
    const shown = checks.flatMap((one) =>
      one.findings.map(({ severity, object, summary, remedy }) => [
        one.name,
        `${severity} ${object} ${summary} -> ${remedy}`,
      ]),
    );
    const others = name === "installations that are stuck, failed and orphaned" ? ["orphans"] : [];
    assert.deepEqual(
      shown.filter(([of = ""]) => !others.includes(of)),
      findings.map((line) => [check, line]),
    );
  });

const groupOf = (
  namespace: string,
  name: string,
  more: object = {},
  provided = "",
): DoctorWorld["operatorGroups"][number] =>
  ({
    metadata: { namespace, name, annotations: { "olm.providedAPIs": provided } },
    status: { namespaces: [""] },
    ...more,
  }) as unknown as DoctorWorld["operatorGroups"][number];
const linesOf = (name: CheckName, change: Partial<DoctorWorld>): readonly string[] =>
  doctorChecks({ ...sound, ...change }).flatMap((check) =>
    check.name === name
      ? check.findings.map(({ severity, object, summary, remedy }) => `${severity} ${object} ${summary} -> ${remedy}`)
      : [],
  );
const account = { spec: { serviceAccountName: "installer" } };

const groupTable: readonly (readonly [string, Partial<DoctorWorld>, readonly string[]])[] = [
  [
    "none",
    { operatorGroups: [] },
    [
      "problem Namespace data has operators and no OperatorGroup, so none of them is installed -> create an OperatorGroup in data that names the namespaces which they watch",
    ],
  ],
  [
    "two",
    { operatorGroups: [groupOf("data", "a"), groupOf("data", "b")] },
    [
      "problem Namespace data has 2 OperatorGroups (a and b), so none of its operators is installed -> keep one of them; see which: kubectl -n data get operatorgroups -o yaml",
    ],
  ],
  [
    "one whose account exists",
    { operatorGroups: [groupOf("data", "a", account)], accounts: new Set(["data/installer"]) },
    [],
  ],
  [
    "one without its account",
    { operatorGroups: [groupOf("data", "a", account)] },
    [
      "problem OperatorGroup data/a names the ServiceAccount installer, which does not exist, so nothing is installed in its namespace -> kubectl -n data create serviceaccount installer, and grant it what purser bundle rights lists",
    ],
  ],
  [
    "two that provide one API in the same namespaces",
    { operatorGroups: [groupOf("data", "a", {}, "Kiln.v1.x"), groupOf("other", "b", {}, "Kiln.v1.x,Oven.v1.x")] },
    [
      "problem OperatorGroup data/a provides Kiln.v1.x in namespaces where OperatorGroup other/b does, so that two operators act on the same objects -> narrow the target namespaces of one of them, or uninstall one of the operators",
    ],
  ],
  [
    "two that provide one API in different namespaces",
    {
      operatorGroups: [
        groupOf("data", "a", { status: { namespaces: ["data"] } }, "Kiln.v1.x"),
        groupOf("other", "b", { status: { namespaces: ["other"] } }, "Kiln.v1.x"),
      ],
    },
    [],
  ],
];
for (const [what, change, expected] of groupTable)
  test(`OperatorGroups: ${what}`, () => assert.deepEqual(linesOf("groups", change), expected));

type Webhook = DoctorWorld["webhooks"][number];
const webhook: Webhook = {
  object: "ValidatingWebhookConfiguration w",
  name: "w.x",
  groups: ["x"],
  failsOpen: false,
  isOperators: true,
  installation: "csv/data/op.v1",
  service: { namespace: "data", name: "s", state: "ready" },
  authority: { kind: "present", notAfter: now + hour },
};
const start = "problem ValidatingWebhookConfiguration w (w.x) refuses every request that it is called for";
const { installation: _own, ...strange } = { ...webhook, isOperators: false, groups: ["operators.coreos.com"] };
const webhookTable: readonly (readonly [string, Webhook, readonly string[]])[] = [
  ["that answers", webhook, []],
  [
    "whose Service does not exist",
    { ...webhook, service: { namespace: "data", name: "s", state: "missing" } },
    [`${start}: Service data/s does not exist -> purser explain csv/data/op.v1`],
  ],
  [
    "without a ready endpoint",
    { ...webhook, service: { namespace: "data", name: "s", state: "notReady" } },
    [`${start}: Service data/s has no ready endpoint -> kubectl -n data get pods; purser explain csv/data/op.v1`],
  ],
  [
    "without caBundle, whose failures are ignored",
    { ...webhook, authority: { kind: "absent" }, failsOpen: true },
    [
      "warning ValidatingWebhookConfiguration w (w.x) is passed over: it has no caBundle -> see whether what injects it runs, as cert-manager or service-ca",
    ],
  ],
  [
    "whose caBundle holds no certificate",
    { ...webhook, authority: { kind: "unreadable" } },
    [`${start}: its caBundle holds no certificate -> see whether what injects it runs, as cert-manager or service-ca`],
  ],
  [
    "whose caBundle ended",
    { ...webhook, authority: { kind: "present", notAfter: now } },
    [`${start}: its caBundle ended at 2026-11-24T12:00:00Z -> renew it; purser explain csv/data/op.v1`],
  ],
  [
    "of others for our kinds",
    strange,
    [
      "warning ValidatingWebhookConfiguration w (w.x) is called for operators.coreos.com: when it does not answer, operators are neither installed nor upgraded -> exclude these kinds in its rules or selectors, or let its failurePolicy be Ignore",
    ],
  ],
  ["of others for our kinds, whose failures are ignored", { ...strange, failsOpen: true }, []],
  ["of others for other kinds that does not answer", { ...strange, groups: ["x"], authority: { kind: "absent" } }, []],
  [
    "of others for everything, whose Service does not exist",
    { ...strange, groups: ["*"], service: { namespace: "far", name: "s", state: "missing" } },
    [
      `${start}: Service far/s does not exist -> kubectl get validatingwebhookconfiguration w -o yaml, and repair what serves it; where that no longer exists: kubectl delete validatingwebhookconfiguration w`,
    ],
  ],
];
for (const [what, one, expected] of webhookTable)
  test(`a webhook ${what} has ${expected.length} findings`, () =>
    assert.deepEqual(linesOf("webhooks", { webhooks: [one] }), expected));

type Conversion = DoctorWorld["conversions"][number];
const conversion: Conversion = {
  object: "CustomResourceDefinition a.x",
  installation: "ext/op",
  service: { namespace: "data", name: "s", state: "ready" },
  authority: { kind: "present", notAfter: now + hour },
};
const refused = 'conversion webhook for x/v1, Kind=A failed: Post "https://s.data.svc:443/": x509: unknown authority';
const { installation: _owner, ...ownerless } = conversion;
const conversionTable: readonly (readonly [string, Conversion, readonly string[]])[] = [
  ["converts", conversion, []],
  [
    "has no Service, while nothing is stored in another version",
    { ...conversion, service: { namespace: "data", name: "s", state: "missing" } },
    [
      "warning CustomResourceDefinition a.x its webhook cannot convert objects: Service data/s does not exist -> purser explain ext/op",
    ],
  ],
  [
    "has no ready endpoint, while objects are stored in another version",
    { ...conversion, service: { namespace: "data", name: "s", state: "notReady" }, failure: refused },
    [
      "problem CustomResourceDefinition a.x objects cannot be read in every version: Service data/s has no ready endpoint -> kubectl -n data get pods; purser explain ext/op",
    ],
  ],
  [
    "is reached, and its certificate is of another authority",
    { ...conversion, failure: refused },
    [
      `problem CustomResourceDefinition a.x objects cannot be read in every version: ${refused} -> kubectl -n data get pods; purser explain ext/op`,
    ],
  ],
  [
    "is at a URL, and belongs to no operator",
    { object: ownerless.object, authority: { kind: "absent" }, failure: "conversion webhook failed" },
    [
      "problem CustomResourceDefinition a.x objects cannot be read in every version: conversion webhook failed -> see the log of the operator that serves it",
    ],
  ],
  ["is at a URL and converts", { object: ownerless.object, authority: { kind: "absent" } }, []],
];
for (const [what, one, expected] of conversionTable)
  test(`a definition whose conversion webhook ${what} has ${expected.length} findings`, () =>
    assert.deepEqual(linesOf("conversions", { conversions: [one] }), expected));

const deletion = {
  kind: "ClusterServiceVersion",
  resource: "clusterserviceversions.operators.coreos.com",
  namespace: "data",
  name: "etcd.v1",
  since: now - 60_001,
  finalizers: ["example.com/a", "operators.coreos.com/csv-cleanup", "foregroundDeletion"],
};
const others = { kind: "ClusterExtension", resource: "clusterextensions.x", name: "e", since: deletion.since };
const since = "is being deleted since 2026-11-24T11:58:59Z";
const deletionTable: readonly (readonly [what: string, one: DoctorWorld["deletions"][number], findings: string[]])[] = [
  ["began less than a minute ago", { ...deletion, since: now - 59_999 }, []],
  [
    "waits for a finalizer of somebody else",
    deletion,
    [
      `problem ClusterServiceVersion data/etcd.v1 ${since}: it waits for the finalizer example.com/a -> start the controller that removes it; without one, remove it by hand, which leaves behind what the controller would have deleted: kubectl -n data patch clusterserviceversions.operators.coreos.com etcd.v1 --type=merge -p '{"metadata":{"finalizers":["operators.coreos.com/csv-cleanup","foregroundDeletion"]}}'`,
    ],
  ],
  [
    "waits for two of somebody else",
    { ...others, finalizers: ["a.b/c", "d"] },
    [
      `problem ClusterExtension e ${since}: it waits for the finalizers a.b/c, d -> start the controller that removes them; without one, remove them by hand, which leaves behind what the controller would have deleted: kubectl patch clusterextensions.x e --type=merge -p '{"metadata":{"finalizers":[]}}'`,
    ],
  ],
  [
    "waits for Purser",
    { ...deletion, finalizers: ["operators.coreos.com/csv-cleanup"] },
    [
      `problem ClusterServiceVersion data/etcd.v1 ${since}: Purser has not removed operators.coreos.com/csv-cleanup -> see whether Purser runs, and kubectl -n data describe clusterserviceversions.operators.coreos.com etcd.v1`,
    ],
  ],
  ["waits for its dependents", { ...deletion, finalizers: ["foregroundDeletion"] }, []],
  [
    "is of a namespace with content",
    { kind: "Namespace", resource: "namespaces", name: "data", since: deletion.since, finalizers: [], why: "2 things" },
    [`problem Namespace data ${since}: 2 things -> kubectl get namespaces data -o yaml`],
  ],
];
for (const [what, one, expected] of deletionTable)
  test(`a deletion that ${what} has ${expected.length} findings`, () =>
    assert.deepEqual(linesOf("deletions", { deletions: [one] }), expected));

test("a check that needs what the user may not read is left out, with the right to ask for, and the others are made", () => {
  const [deploymentsRight, leasesRight] = ["list deployments.apps", "list leases.coordination.k8s.io"];
  const unread = [deploymentsRight, leasesRight];
  const checks = doctorChecks({ ...sound, leases: [], deployments: [], unread });
  const text = (missing: readonly string[]): string =>
    `warning the user of this kubeconfig may not ${missing.join(", ")}: this was not checked -> ${missing.map((right) => `purser permissions ask ${right}`).join("; ")}`;
  const found = checks.flatMap(({ name, findings }) =>
    findings.map(({ severity, object, summary, remedy }) => [name, `${severity} ${object} ${summary} -> ${remedy}`]),
  );
  assert.deepEqual(found, [
    ["rights", text([deploymentsRight])],
    ["definitions", text([deploymentsRight])],
    ["versions", text([deploymentsRight])],
    ["managers", text(unread)],
    ["certificates", text([deploymentsRight])],
  ]);
});

test("every check has a case in which it finds something", () => {
  const tables = [
    ...cases.map(([, check, , findings]) => [check, findings] as const),
    ...groupTable.map(([, , findings]) => ["groups", findings] as const),
    ...webhookTable.map(([, , findings]) => ["webhooks", findings] as const),
    ...conversionTable.map(([, , findings]) => ["conversions", findings] as const),
    ...deletionTable.map(([, , findings]) => ["deletions", findings] as const),
  ];
  const tried = new Set(tables.flatMap(([check, findings]) => (findings.length > 0 ? [check] : [])));
  assert.deepEqual(
    checkNames.filter((name) => !tried.has(name)),
    [],
  );
});
