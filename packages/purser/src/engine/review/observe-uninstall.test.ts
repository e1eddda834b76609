import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { RecordingCluster } from "../../../conformance/suites/v0/recording-cluster.ts";
import type { Installation } from "../../installation/installation.ts";
import { observeUninstall } from "./observe-uninstall.ts";

type Metadata = Partial<KubeObject["metadata"]>;

const v0 = { apiVersion: "operators.coreos.com/v1alpha1" };
const v1 = { apiVersion: "olm.operatorframework.io/v1" };

interface CsvFields {
  readonly owned?: readonly string[];
  readonly required?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
}

/** A CSV that owns and requires CRDs by the plural of their kind. */
const csvOf = (namespace: string, name: string, { owned, required, labels }: CsvFields = {}) => {
  const crds = (names: readonly string[]) => names.map((one) => ({ name: `${one}.g.io`, kind: one, version: "v1" }));
  return {
    ...v0,
    kind: "ClusterServiceVersion",
    metadata: { namespace, name, ...(labels === undefined ? {} : { labels }) },
    spec:
      owned === undefined && required === undefined
        ? {}
        : {
            customresourcedefinitions: {
              ...(owned === undefined ? {} : { owned: crds(owned) }),
              ...(required === undefined ? {} : { required: crds(required) }),
            },
          },
  };
};

const subscriptionOf = (namespace: string, name: string, installedCSV?: string, isGenerated = false) => ({
  ...v0,
  kind: "Subscription",
  metadata: { namespace, name, ...(isGenerated ? { annotations: { "olm.generated-by": "install-x" } } : {}) },
  spec: { name: `${name}-package` },
  status: { installedCSV },
});

const crdOf = (plural: string, metadata: Metadata = {}) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.g.io`, ...metadata },
  spec: {
    group: "g.io",
    scope: "Namespaced",
    names: { kind: `Kind${plural}`, plural },
    versions: [{ name: "v1", served: true, storage: true }],
  },
});

const instanceOf = (plural: string, name: string) => ({
  apiVersion: "g.io/v1",
  kind: `Kind${plural}`,
  metadata: { namespace: "any", name },
});

const controlledBy = (kind: string, name: string): Metadata => ({
  ownerReferences: [{ ...v1, kind, name, uid: "u", controller: true }],
});

const observed = (installation: Partial<Installation>, held: readonly object[]) =>
  observeUninstall(new RecordingCluster(held as readonly KubeObject[]), {
    api: "v0",
    reference: "sub/ns/op",
    namespace: "ns",
    name: "op",
    packageName: "op",
    state: "Ready",
    why: "",
    ...installation,
  });

test("an uninstallation deletes the Subscription, its CSVs and what the Operator refers to, each once and without CRDs", async () => {
  const held = [
    csvOf("ns", "op.v1", { owned: ["as"] }),
    csvOf("ns", "op.v2", { owned: ["as", "bs", "missing"] }),
    csvOf("ns", "other.v1"),
    csvOf("elsewhere", "op.v1"),
    csvOf("ns", "copied", { owned: ["as"], labels: { "olm.copiedFrom": "elsewhere" } }),
    crdOf("as"),
    crdOf("bs"),
    instanceOf("as", "one"),
    instanceOf("as", "two"),
    {
      apiVersion: "operators.coreos.com/v1",
      kind: "Operator",
      metadata: { name: "op.ns" },
      status: {
        components: {
          refs: [
            { kind: "Subscription", namespace: "ns", name: "op" },
            { kind: "ClusterRole", name: "reader" },
            { kind: "CustomResourceDefinition", name: "as.g.io" },
            { kind: "Nameless" },
            { name: "kindless" },
          ],
        },
      },
    },
  ];
  assert.deepEqual(await observed({ bundle: "op.v1", target: "op.v2" }, held), {
    installation: "sub/ns/op",
    objects: [
      { kind: "Subscription", namespace: "ns", name: "op" },
      { kind: "ClusterServiceVersion", namespace: "ns", name: "op.v1" },
      { kind: "ClusterServiceVersion", namespace: "ns", name: "op.v2" },
      { kind: "ClusterRole", name: "reader" },
    ],
    apis: [
      { crd: "as.g.io", kind: "Kindas", instances: 2, sharedWith: [], ownedElsewhere: false },
      { crd: "bs.g.io", kind: "Kindbs", instances: 0, sharedWith: [], ownedElsewhere: false },
    ],
    dependents: [],
    unneeded: [],
  });
});

test("a ClusterServiceVersion without Subscription and package is deleted alone", async () => {
  const held = [
    csvOf("ns", "op.v1"),
    {
      apiVersion: "operators.coreos.com/v1",
      kind: "Operator",
      metadata: { name: ".ns" },
      status: { components: { refs: [{ kind: "Role", name: "r" }] } },
    },
  ];
  const found = await observed({ reference: "csv/ns/op.v1", name: "op.v1", packageName: "", bundle: "op.v1" }, held);
  assert.deepEqual(found, {
    installation: "csv/ns/op.v1",
    objects: [{ kind: "ClusterServiceVersion", namespace: "ns", name: "op.v1" }],
    apis: [],
    dependents: [],
    unneeded: [],
  });
});

test("CRDs that others own or provide are shared, and operators that require them are dependents by their Subscription", async () => {
  const held = [
    csvOf("ns", "op.v1", { owned: ["as", "bs", "cs"] }),
    csvOf("far", "twin.v1", { owned: ["as"] }),
    csvOf("far", "user.v1", { required: ["as", "zs", "bs"] }),
    csvOf("other", "user.v1", { required: ["bs"] }),
    subscriptionOf("far", "user", "user.v1"),
    subscriptionOf("far", "wrong", "user.v2"),
    crdOf("as"),
    crdOf("bs", controlledBy("ClusterExtension", "ext")),
    crdOf("cs", controlledBy("ClusterObjectSet", "set")),
  ];
  const { apis, dependents } = await observed({ bundle: "op.v1" }, held);
  assert.deepEqual(
    apis.map(({ crd, sharedWith, ownedElsewhere }) => [crd, sharedWith, ownedElsewhere]),
    [
      ["as.g.io", ["csv/far/twin.v1"], false],
      ["bs.g.io", ['ClusterExtension "ext"'], true],
      ["cs.g.io", ['ClusterObjectSet "set"'], true],
    ],
  );
  assert.deepEqual(dependents, [
    { installation: "sub/far/user", kind: "as" },
    { installation: "sub/far/user", kind: "bs" },
    { installation: "csv/other/user.v1", kind: "bs" },
  ]);
});

test("generated Subscriptions are unneeded once nothing that stays requires their operators, also in a chain", async () => {
  const chain = [
    csvOf("ns", "op.v1", { required: ["as"] }),
    csvOf("ns", "a.v1", { owned: ["as", "missing"], required: ["bs"] }),
    csvOf("ns", "b.v1", { owned: ["bs"] }),
    subscriptionOf("ns", "op", "op.v1", true),
    subscriptionOf("ns", "a", "a.v1", true),
    subscriptionOf("ns", "b", "b.v1", true),
    subscriptionOf("ns", "none", undefined, true),
    subscriptionOf("elsewhere", "far", "a.v1", true),
    crdOf("as"),
    crdOf("bs"),
    instanceOf("as", "one"),
    instanceOf("bs", "one"),
    instanceOf("bs", "two"),
  ];
  const unneeded = async (...more: readonly object[]) =>
    (await observed({ bundle: "op.v1" }, [...chain, ...more])).unneeded;
  const [a, b] = [
    { installation: "sub/ns/a", instances: 1 },
    { installation: "sub/ns/b", instances: 2 },
  ];
  assert.deepEqual(await unneeded(), [a, b]);
  assert.deepEqual(await unneeded(csvOf("ns", "user.v1", { required: ["bs"] })), [a]);
  assert.deepEqual(await unneeded(csvOf("ns", "user.v1", { required: ["as"] })), []);
  assert.deepEqual(await unneeded(csvOf("far", "user.v1", { required: ["as"] })), []);
  assert.deepEqual(await unneeded(csvOf("far", "user.v1", { required: ["zs"] })), [a, b]);
  assert.deepEqual(
    await unneeded(csvOf("far", "user.v1", { required: ["as"] }), csvOf("far", "twin.v1", { owned: ["as"] })),
    [a, b],
  );
  assert.deepEqual(
    await unneeded(csvOf("far", "user.v1", { required: ["as"] }), csvOf("farther", "twin.v1", { owned: ["as"] })),
    [],
  );
  const byHand = chain.map((one) => (one.metadata.name === "a" ? subscriptionOf("ns", "a", "a.v1") : one));
  assert.deepEqual((await observed({ bundle: "op.v1" }, byHand)).unneeded, []);
});

test("custom resources that may not be listed are not counted", async () => {
  const { spec, ...rest } = crdOf("as");
  const unserved = { ...rest, spec: { ...spec, versions: [{ name: "v1", served: false, storage: true }] } };
  const held = [
    csvOf("ns", "op.v1", { owned: ["as"] }),
    csvOf("ns", "a.v1", { owned: ["as", "bs"] }),
    subscriptionOf("ns", "a", "a.v1", true),
    unserved,
    crdOf("bs"),
    instanceOf("bs", "one"),
  ];
  const { apis, unneeded } = await observed({ bundle: "op.v1" }, held);
  assert.deepEqual(
    apis.map(({ instances }) => instances),
    [undefined],
  );
  assert.deepEqual(unneeded, [{ installation: "sub/ns/a", instances: undefined }]);
});

test("a ClusterExtension is deleted with the members of its unarchived revisions; CRDs it controls are its APIs", async () => {
  const setOf = (name: string, owner: string, lifecycleState: string, objects: readonly object[]) => ({
    ...v1,
    kind: "ClusterObjectSet",
    metadata: { name, labels: { "olm.operatorframework.io/owner-name": owner } },
    spec: { revision: 1, lifecycleState, phases: [{ name: "all", objects: objects.map((object) => ({ object })) }] },
  });
  const objectOf = (kind: string, name: string, namespace?: string) => ({
    apiVersion: "v1",
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  });
  const held = [
    setOf("ext-1", "ext", "Archived", [objectOf("Service", "old", "ns")]),
    setOf("ext-2", "ext", "Active", [
      objectOf("Service", "new", "ns"),
      objectOf("ClusterRole", "cs.g.io"),
      objectOf("CustomResourceDefinition", "as.g.io"),
      { apiVersion: "v1", kind: "Nameless", metadata: {} },
      { apiVersion: "v1", metadata: { name: "kindless" } },
      { apiVersion: "v1", kind: "Bare" },
    ]),
    setOf("ext-3", "ext", "Active", [objectOf("Service", "new", "ns")]),
    setOf("far-1", "far", "Active", [objectOf("Service", "far", "ns")]),
    crdOf("as", controlledBy("ClusterExtension", "ext")),
    crdOf("bs", controlledBy("ClusterExtension", "ext")),
    crdOf("cs", controlledBy("ClusterExtension", "far")),
    crdOf("ds", controlledBy("ClusterObjectSet", "ext")),
    csvOf("any", "user.v1", { required: ["bs"], owned: ["as"] }),
    subscriptionOf("any", "user", "user.v1"),
  ];
  const found = await observed({ api: "v1", reference: "ext/ext", name: "ext" }, held);
  assert.deepEqual(found, {
    installation: "ext/ext",
    objects: [
      { kind: "ClusterExtension", name: "ext" },
      { kind: "Service", namespace: "ns", name: "new" },
      { kind: "ClusterRole", name: "cs.g.io" },
    ],
    apis: [
      { crd: "as.g.io", kind: "Kindas", instances: 0, sharedWith: ["csv/any/user.v1"], ownedElsewhere: false },
      { crd: "bs.g.io", kind: "Kindbs", instances: 0, sharedWith: [], ownedElsewhere: false },
    ],
    dependents: [{ installation: "sub/any/user", kind: "bs" }],
    unneeded: [],
  });
});
