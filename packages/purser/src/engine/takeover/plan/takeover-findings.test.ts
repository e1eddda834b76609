import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { improved } from "../../../compat.ts";
import { csvAt, now, worldOf } from "../../../controllers/v0/cluster-service-version/plan/testing/csv-world.ts";
import type { CsvWorld } from "../../../controllers/v0/cluster-service-version/plan/world.ts";
import { objectText, type TakeoverFinding } from "./finding.ts";
import { takeoverFindings } from "./takeover-findings.ts";
import { nothing } from "../testing/empty-takeover-world.ts";

const findings = (world: object): readonly TakeoverFinding[] => takeoverFindings({ ...nothing, ...world }, now);
/** `SEVERITY CODE object summary`, with the remedy behind a bar. */
const texts = (world: object): readonly string[] =>
  findings(world).map(
    ({ code, severity, object, summary, remedy }) =>
      `${severity} ${code} ${object} ${summary}${remedy === undefined ? "" : ` | ${remedy}`}`,
  );

test("objects are named with their namespace where they have one", () =>
  assert.deepEqual(
    [objectText("A", { namespace: "ns", name: "a" }), objectText("A", { name: "a" }), objectText("A", {})],
    ["A ns/a", "A a", "A "],
  ));

test("a cluster without OLM has no findings", () => assert.deepEqual(findings({}), []));

const source = (name: string, spec: object) => ({ metadata: { namespace: "ns", name }, spec });

test("CatalogSources without content change, those with fields for pods and pods of OLM are noted after them", () => {
  const pod = (name: string, label?: string): Partial<KubeObject> => ({
    metadata: { namespace: "ns", name, ...(label === undefined ? {} : { labels: { "olm.catalogSource": label } }) },
  });
  const grpcPodConfig = { nodeSelector: {}, extractContent: { catalogDir: "/a", cacheDir: "/b" } };
  assert.deepEqual(
    texts({
      catalogSources: [
        source("pods", { sourceType: "grpc", image: "i", grpcPodConfig }),
        source("folder", { sourceType: "grpc", image: "i", grpcPodConfig: { extractContent: { catalogDir: "/a" } } }),
        source("empty", { sourceType: "grpc" }),
        source("plain", { sourceType: "grpc", image: "i" }),
      ],
      catalogPods: [pod("1", "cat"), pod("2", "other"), pod("3", "cat")],
    }),
    [
      "change CatalogWithoutContent CatalogSource ns/empty offers nothing: image and address unset: at least one must be set for sourcetype: grpc | set spec.image, spec.address or spec.configMap, and the matching sourceType",
      "note CatalogFieldsWithoutEffect CatalogSource ns/pods has fields for the pods of OLM, which no pod uses: spec.grpcPodConfig.nodeSelector, spec.grpcPodConfig.extractContent.cacheDir",
      "note CatalogPods CatalogSource ns/cat has 2 pods of OLM, which nothing queries any more; OLM creates them again when it returns | kubectl -n ns delete pods -l olm.catalogSource=cat",
      "note CatalogPods CatalogSource ns/other has 1 pod of OLM, which nothing queries any more; OLM creates them again when it returns | kubectl -n ns delete pods -l olm.catalogSource=other",
    ],
  );
});

test("InstallPlans continue with what is left of them, wait, or cannot be read", () => {
  const plan = (name: string, approved: boolean, status?: object) => ({
    metadata: { namespace: "ns", name },
    spec: { approved, clusterServiceVersionNames: ["a.v1", "b.v1"] },
    ...(status === undefined ? {} : { status }),
  });
  const steps = ["Created", "Present", "Unknown", "NotPresent"].map((status) => ({ status }));
  const remedy = (name: string) => `kubectl -n ns delete installplan ${name}`;
  assert.deepEqual(
    texts({
      installPlans: [
        { plan: plan("a", true, { plan: steps }) },
        { plan: plan("b", false, { plan: steps }) },
        { plan: plan("c", true, { plan: steps }), unreadable: "a bundle is gone" },
        { plan: plan("d", true, { plan: [] }) },
        { plan: plan("e", true) },
        { plan: plan("f", true, { bundleLookups: [{}] }) },
      ],
    }),
    [
      `change InstallPlanUnreadable InstallPlan ns/c cannot continue: a bundle is gone | ${remedy("c")}`,
      `change InstallPlanUnreadable InstallPlan ns/d has no steps: the process that created it ended before it wrote them | ${remedy("d")}`,
      `change InstallPlanUnreadable InstallPlan ns/e has no steps: the process that created it ended before it wrote them | ${remedy("e")}`,
      "note InstallPlanContinues InstallPlan ns/a continues with 2 of 4 steps for a.v1, b.v1",
      "note InstallPlanContinues InstallPlan ns/b stays pending approval for a.v1, b.v1",
      "note InstallPlanContinues InstallPlan ns/f continues with 0 of 0 steps for a.v1, b.v1",
    ],
  );
});

test("managed objects of ClusterServiceVersions that do not exist are deleted, and operators without Subscription are noted", () => {
  const owned = (kind: string, name: string, csv: string, managed?: string) => ({
    kind,
    metadata: {
      name,
      labels: {
        "olm.owner": csv,
        "olm.owner.namespace": "ns",
        ...(managed === undefined ? {} : { "olm.managed": managed }),
      },
    },
  });
  assert.deepEqual(
    texts({
      csvs: [csvAt("op.v1", "Succeeded"), csvAt("sub.v1", "Succeeded")],
      subscriptions: [
        {
          metadata: { namespace: "ns", name: "sub" },
          spec: { name: "sub" },
          status: { installedCSV: "sub.v1", currentCSV: "sub.v1" },
        },
      ],
      owned: [
        owned("APIService", "v1.kept", "op.v1"),
        owned("APIService", "v1.gone", "gone.v1"),
        owned("ValidatingWebhookConfiguration", "managed", "gone.v1", "true"),
        owned("ValidatingWebhookConfiguration", "unmanaged", "gone.v1"),
        owned("ValidatingWebhookConfiguration", "other", "gone.v1", "false"),
        { kind: "APIService", metadata: { name: "v1.bare" } },
      ],
    }),
    [
      "change LeftoverDeleted APIService v1.gone is deleted: its ClusterServiceVersion ns/gone.v1 does not exist",
      "change LeftoverDeleted ValidatingWebhookConfiguration managed is deleted: its ClusterServiceVersion ns/gone.v1 does not exist",
      "change LeftoverDeleted APIService v1.bare is deleted: its ClusterServiceVersion / does not exist",
      "note OrphanedOperator ClusterServiceVersion ns/op.v1 has no Subscription: it keeps running and is never upgraded, and blocks a Subscription for its package",
    ],
  );
});

test("operators that are not at rest continue, those at rest stay, and those that are deleted are left out", () => {
  const { csv: rested, ...rest } = worldOf(csvAt("op.v1", "Succeeded"));
  const worlds = [
    { ...rest, csv: csvAt("a.v1", "Installing") },
    { ...rest, csv: { ...csvAt("b.v1", "Pending"), status: { phase: "Pending", message: "requirements not met" } } },
    { ...rest, csv: { ...csvAt("c.v1", "Pending"), status: undefined } },
    {
      ...rest,
      csv: { ...csvAt("d.v1", "Pending"), metadata: { ...rested.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
    },
  ] as readonly unknown[] as readonly CsvWorld[];
  assert.deepEqual(texts({ csvWorlds: worlds }), [
    "note OperatorNotAtRest ClusterServiceVersion ns/a.v1 is in phase Installing; its installation continues",
    "note OperatorNotAtRest ClusterServiceVersion ns/b.v1 is in phase Pending: requirements not met; its installation continues",
    "note OperatorNotAtRest ClusterServiceVersion ns/c.v1 is in phase (none); its installation continues",
  ]);
});

const csvFor = (name: string, targets?: string) => ({
  ...csvAt(name, "Succeeded"),
  metadata: {
    namespace: "ns",
    name,
    ...(targets === undefined ? {} : { annotations: { "olm.targetNamespaces": targets } }),
  },
});
const copyOf = (name: string, namespace: string, from = "ns") => ({
  metadata: { namespace, name, annotations: { "olm.operatorNamespace": from } },
});

test("copies outside of the target namespaces, and of what does not exist, are deleted", () => {
  const subscriptions = ["some.v1", "all.v1"].map((name) => ({
    metadata: { namespace: "ns", name },
    spec: { name },
    status: { installedCSV: name, currentCSV: name },
  }));
  assert.deepEqual(
    texts({
      csvs: [csvFor("some.v1", "a"), csvFor("all.v1", "")],
      subscriptions,
      copies: [
        copyOf("some.v1", "a"),
        copyOf("some.v1", "b"),
        copyOf("some.v1", "c"),
        copyOf("all.v1", "a"),
        copyOf("gone.v1", "a"),
        copyOf("gone.v1", "b"),
      ],
    }),
    [
      "change CopiesDeleted ClusterServiceVersion ns/some.v1 loses 2 copies in namespaces that its group does not target",
      `change CopiesDeleted ClusterServiceVersion ns/all.v1 loses 1 copy in other namespaces: copies for all namespaces are made only where OLMConfig asks for them | kubectl patch olmconfig cluster --type merge -p '{"spec":{"features":{"disableCopiedCSVs":false}}}'`,
      "change CopiesDeleted ClusterServiceVersion ns/gone.v1 does not exist; its copies in other namespaces (2) are deleted",
    ],
  );
  const olmConfig = { metadata: { name: "cluster" }, spec: { features: { disableCopiedCSVs: false } } };
  assert.deepEqual(
    texts({
      csvs: [csvFor("all.v1", "")],
      subscriptions: subscriptions.slice(1),
      olmConfig,
      copies: [copyOf("all.v1", "a")],
    }),
    [],
  );
});

const groupOf = (name: string, spec: object, namespaces?: readonly string[]) => ({
  metadata: { namespace: "ns", name },
  spec,
  ...(namespaces === undefined ? {} : { status: { namespaces } }),
});
/** Keeps OLM's answer in the point of this name. */
const keeping = (point: string) => ({ ...improved, keepsUpstream: (name: string) => name === point });

test("groups whose targets are invalid serve nothing any more, unless OLM's answer is kept", () => {
  const invalid = { targetNamespaces: ["a", ""] };
  const groups = [
    groupOf("a", invalid, ["a", ""]),
    groupOf("b", invalid),
    groupOf("c", { targetNamespaces: ["a"] }, ["a"]),
  ];
  const found = texts({ groups });
  assert.equal(found.length, 1);
  assert.match(
    found[0] ?? "",
    /^change GroupTargetsInvalid OperatorGroup ns\/a serves no namespace any more, now a, all: .+ \| correct spec.targetNamespaces or spec.selector first$/,
  );
  assert.deepEqual(texts({ groups, compat: keeping("group-targets") }), []);
});

test("users who install without a service account, and accounts without rights to definitions, are bounded", () => {
  const users = (count: number, namespace = "ns") => [
    { namespace, subjects: Array.from({ length: count }, (_, at) => `User ${at}`) },
  ];
  const groups = [groupOf("g", {})];
  const bounded = (named: string) =>
    `change UsersBounded OperatorGroup ns/g names no service account: ${named} may no longer write the objects that install operators in its namespace | set spec.serviceAccountName to an account with the rights that operators may have there, or start with --compat=tenant-grants`;
  assert.deepEqual(
    [
      texts({ groups, installingUsers: users(5) }),
      texts({ groups, installingUsers: users(6) }),
      texts({ groups, installingUsers: users(0) }),
      texts({ groups, installingUsers: users(1, "other") }),
      texts({ groups: [groupOf("g", { serviceAccountName: "bob" })], installingUsers: users(1) }),
      texts({ groups, installingUsers: users(1), compat: keeping("tenant-grants") }),
    ],
    [
      [bounded("User 0, User 1, User 2, User 3, User 4")],
      [bounded("User 0, User 1, User 2, User 3, User 4 and 1 more")],
      [],
      [],
      [],
      [],
    ],
  );
  const accounts = {
    groups: [groupOf("g", { serviceAccountName: "bob" }), groupOf("h", { serviceAccountName: "alice" })],
    withoutDefinitions: new Set(["ns/bob"]),
  };
  assert.deepEqual(texts(accounts), [
    "change DefinitionsBounded OperatorGroup ns/g installs as ServiceAccount bob, which may not create and update every CustomResourceDefinition: an operator with a new or changed one is not installed | grant the account create and update on customresourcedefinitions, or create the definitions first, or start with --compat=tenant-grants",
  ]);
  assert.deepEqual(texts({ ...accounts, compat: keeping("tenant-grants") }), []);
});

const microTime = (ms: number): string => new Date(ms).toISOString();

test("OLM's Deployments that run, Leases that are held and recent writes of OLM are reported", () => {
  const deployment = (name: string, replicas?: number) => ({
    metadata: { namespace: "olm", name },
    spec: replicas === undefined ? {} : { replicas },
  });
  const lease = (name: string, holderIdentity: string, renewed: number, acquireTime?: string) => ({
    metadata: { namespace: "olm", name },
    spec: {
      holderIdentity,
      renewTime: microTime(renewed),
      leaseDurationSeconds: 60,
      ...(acquireTime === undefined ? {} : { acquireTime }),
    },
  });
  const running = (name: string, count: string) =>
    `blocker OlmRunning Deployment olm/${name} runs with ${count}: two managers would overwrite each other | kubectl -n olm scale deployment ${name} --replicas=0`;
  assert.deepEqual(
    texts({
      managers: [
        deployment("olm-operator"),
        deployment("catalog-operator", 2),
        deployment("packageserver", 1),
        deployment("stopped", 0),
      ],
    }),
    [running("olm-operator", "1 replica"), running("catalog-operator", "2 replicas")],
  );
  const held = (severity: string, name: string, since: string) =>
    `${severity} LeaseHeld Lease olm/${name} is held by me since ${since} | stop that process first; the Lease then expires`;
  assert.deepEqual(
    texts({
      leases: [
        lease("catalogd-operator-lock", "me", now - 60_000, "then"),
        lease("expired", "me", now - 60_001),
        lease("released", "", now),
        lease("purser", "me", now),
        { metadata: { namespace: "olm", name: "empty" } },
      ],
    }),
    [held("blocker", "catalogd-operator-lock", "then"), held("note", "purser", microTime(now))],
  );
  const written = (name: string, manager: string, at: number) => ({
    metadata: { namespace: "ns", name, managedFields: [{ manager, time: microTime(at) }] },
    spec: {},
  });
  const wrote = (kind: string, name: string, manager: string, at: number) =>
    `note OlmWroteRecently ${kind} ns/${name} was written by field manager ${manager} at ${microTime(at)}, which is OLM | check that OLM does not run outside of this cluster`;
  const minutes = (count: number): number => now - count * 60_000;
  assert.deepEqual(
    [
      texts({
        groups: [written("a", "olm", minutes(1)), written("b", "catalog", minutes(2)), written("c", "kubectl", now)],
      }),
      texts({ groups: [written("b", "catalog", minutes(2)), written("a", "olm", minutes(1))] }),
      texts({ groups: [written("b", "catalog", minutes(2))] }),
      texts({ groups: [written("b", "catalog", minutes(2) - 1)] }),
      texts({ groups: [written("c", "kubectl", now)] }),
    ],
    [
      [wrote("OperatorGroup", "a", "olm", minutes(1))],
      [wrote("OperatorGroup", "a", "olm", minutes(1))],
      [wrote("OperatorGroup", "b", "catalog", minutes(2))],
      [],
      [],
    ],
  );
});

test("missing definitions, and the API of PackageManifests while its server does not answer, are reported", () => {
  const packageApi = (status?: string) => ({
    metadata: { name: "v1.packages.operators.coreos.com" },
    spec: { service: { namespace: "olm", name: "packageserver-service" } },
    ...(status === undefined ? {} : { status: { conditions: [{ type: "Available", status }] } }),
  });
  const lost =
    "change PackageApi APIService v1.packages.operators.coreos.com is served by Service olm/packageserver-service, which does not answer: namespaces cannot be deleted meanwhile | start purser run with --package-api-address, which takes it over, or delete the APIService";
  assert.deepEqual(
    [
      texts({ missingDefinitions: ["as.g.io"] }),
      texts({ packageApi: packageApi("True") }),
      texts({ packageApi: packageApi("False") }),
      texts({ packageApi: packageApi() }),
    ],
    [
      ["note DefinitionsMissing CustomResourceDefinition as.g.io is not served | add --install-crds to purser run"],
      [
        "note PackageApi APIService v1.packages.operators.coreos.com is left to Service olm/packageserver-service while that is available",
      ],
      [lost],
      [lost],
    ],
  );
});
