// Passes over a namespace with one Subscription, from its catalog to its InstallPlan.
import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import type { JsonObject } from "@purser/kubernetes/json";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { RecordingCluster } from "../../../../conformance/suites/v0/recording-cluster.ts";
import type { ClusterUpdatePolicySpec } from "../../../apis/policy/cluster-update-policy.ts";
import type { InstallPlan } from "../../../apis/v0/install-plan.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import { readBundle } from "../../../bundle/read-bundle.ts";
import { smallBundle, smallCsv } from "../../../bundle/testing/small-bundle.ts";
import { unpackBundle } from "../../../bundle/unpack-bundle.ts";
import { bundleKey, sourceKey } from "../../../catalog/content.ts";
import { loadCatalog } from "../../../catalog/loading/load.ts";
import { indexOf } from "../../../catalog/memory-index.ts";
import { smallCatalog } from "../../../catalog/testing/small-catalog.ts";
import { improved } from "../../../compat.ts";
import type { BundleContent, CatalogContent } from "../../../content/content.ts";
import { SetContent } from "../../../content/testing/set-content.ts";
import type { Surroundings } from "../../surroundings.ts";
import { cacheOf, passOf } from "../../testing/passes.ts";
import { namespaceController } from "./namespace-controller.ts";
import { NamespacePasses } from "./namespace-passes.ts";

const olm = "operators.coreos.com";
const named = (apiVersion: string, kind: string, metadata: JsonObject, more: object = {}): KubeObject =>
  ({ apiVersion, kind, metadata, ...more }) as unknown as KubeObject;
const subscription = named(
  `${olm}/v1alpha1`,
  "Subscription",
  { namespace: "ns", name: "sub", uid: "uid-sub" },
  { spec: { name: "kiln", channel: "stable", source: "cat", sourceNamespace: "olm" } },
);
const group = named(`${olm}/v1`, "OperatorGroup", { namespace: "ns", name: "group" });
const catalogOf = (namespace: string, spec: object = { sourceType: "grpc", image: "example.com/cat:1" }): KubeObject =>
  named(`${olm}/v1alpha1`, "CatalogSource", { namespace, name: "cat", uid: "uid-cat" }, { spec });
const policyOf = (spec: ClusterUpdatePolicySpec): KubeObject =>
  named("purser.dev/v1alpha1", "ClusterUpdatePolicy", { name: "policy" }, { spec });

interface Given {
  readonly objects?: readonly KubeObject[];
  readonly subscription?: KubeObject;
  readonly catalogs?: readonly KubeObject[];
  readonly catalog?: CatalogContent;
  readonly bundle?: BundleContent;
  readonly versions?: readonly string[];
  readonly csv?: JsonObject;
  readonly files?: Readonly<Record<string, JsonObject | string>>;
  readonly surroundings?: Partial<Surroundings>;
  readonly forbidden?: readonly string[];
}

function clusterOf({ versions = ["1.0.0"], objects = [], ...given }: Given) {
  const content = new SetContent();
  const { blobs } = loadCatalog([{ file: "c", text: smallCatalog("kiln", versions) }]);
  const digest = digestOf("catalog");
  const ready = { state: { kind: "ready", digest }, index: { ...indexOf(blobs), digest } } as CatalogContent;
  content.setCatalog(sourceKey({ kind: "image", reference: "example.com/cat:1" }), given.catalog ?? ready);
  for (const version of versions) {
    const csv = smallCsv({ version, ...given.csv }, { name: `kiln.v${version}` });
    const files = smallBundle({ "manifests/csv.json": csv, ...given.files });
    const request = { reference: `example.com/kiln:v${version}`, packageName: "kiln", version };
    content.setBundle(
      bundleKey({ ...request, credentials: [], policy: [] }),
      given.bundle ?? {
        state: { kind: "ready", digest: digestOf(version) },
        objects: {
          registry: () => Promise.resolve(readBundle(files)),
          unpacked: () => Promise.resolve(unpackBundle(files)),
        },
      },
    );
  }
  const held = [given.subscription ?? subscription, group, ...(given.catalogs ?? [catalogOf("olm")]), ...objects];
  class Live extends RecordingCluster {
    requestJson(): Promise<JsonObject> {
      return Promise.resolve({ resources: [] });
    }
  }
  const cluster = new Live(held, given.forbidden);
  const measured: string[] = [];
  const surroundings = {
    client: cluster,
    content,
    compat: improved,
    clock: new VirtualClock(),
    globalNamespace: "olm",
    metrics: {
      add: (name: string) => measured.push(name),
      observe: (name: string, { outcome }: { readonly outcome: string }) => measured.push(`${name} ${outcome}`),
    },
    ...given.surroundings,
  } as unknown as Surroundings;
  const controller = namespaceController(surroundings, new NamespacePasses(new VirtualClock()));
  return {
    content,
    controller,
    measured,
    async pass(): Promise<readonly string[]> {
      const before = cluster.requests.length;
      const { events, error } = await passOf(controller, { name: "ns" }, held, cluster);
      return [
        ...cluster.requests.slice(before).map(lineOf),
        ...events.map((event) => `event ${event}`),
        ...(error === undefined ? [] : [error]),
      ];
    },
  };
}

const leftOut = /^(Ready|Reconciling|Stalled)$/;

function lineOf(write: ObjectWrite): string {
  if (write.verb === "delete") return `delete ${write.type.kind} ${write.key.name}`;
  if (write.verb === "patch") return `patch ${write.type.kind} ${write.key.name} ${JSON.stringify(write.patch)}`;
  const { kind, metadata } = write.object;
  const name = kind === "InstallPlan" ? "plan" : metadata.name;
  if (kind === "Subscription") {
    const { status } = write.object as Subscription;
    const shown = (status?.conditions ?? [])
      .filter(({ type, status: is }) => !leftOut.test(type) && !(type === "CatalogSourcesUnhealthy" && is === "False"))
      .map(({ type, status: is, reason, message = "" }) => `\n${type}=${is} ${reason}: ${message}`);
    return `show ${name} ${status?.state ?? ""} ${status?.currentCSV ?? ""}${shown.join("")}`;
  }
  const { spec, status } = write.object as InstallPlan;
  const steps = (status?.plan ?? []).map(({ resource }) => `${resource.kind} ${resource.name}`);
  return `${write.verb} ${name} of ${spec.clusterServiceVersionNames.join(" ")}${spec.approved ? "" : ", not approved"} ${status?.phase ?? ""}: ${steps.join(", ")}`;
}

const csvOf = (version: string, status: object = { phase: "Succeeded" }): KubeObject => {
  const properties = [{ type: "olm.package", value: { packageName: "kiln", version } }];
  const annotations = { "operatorframework.io/properties": JSON.stringify({ properties }) };
  return named(
    `${olm}/v1alpha1`,
    "ClusterServiceVersion",
    { namespace: "ns", name: `kiln.v${version}`, uid: `uid-${version}`, annotations },
    { spec: { version, install: { strategy: "deployment" } }, status },
  );
};
const atFirst = { installedCSV: "kiln.v1.0.0", currentCSV: "kiln.v1.0.0", state: "AtLatestKnown", lastUpdated: "" };
const upgrade = {
  versions: ["1.0.0", "1.1.0"],
  subscription: { ...subscription, status: atFirst } as KubeObject,
  objects: [csvOf("1.0.0")],
} as const;
const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];
const withRights: JsonObject = {
  install: {
    strategy: "deployment",
    spec: { deployments: [], clusterPermissions: [{ serviceAccountName: "kiln", rules }] },
  },
};
const now = Date.parse("2026-01-01T00:00:00Z");
const reading = (ms: number): Given => ({ catalog: { state: { kind: "pending", since: now - ms }, index: undefined } });
const withBundle = (state: BundleContent["state"]): Given => ({ bundle: { state, objects: undefined } });

const made = (bundle: string, ...steps: readonly string[]): readonly string[] => [
  `create plan of ${bundle} : `,
  `replace plan of ${bundle} Installing: ${[`ClusterServiceVersion ${bundle}`, ...steps].join(", ")}`,
  `show sub UpgradePending ${bundle}`,
];
const asking = (bundle: string): readonly string[] => [
  `create plan of ${bundle}, not approved : `,
  `replace plan of ${bundle}, not approved RequiresApproval: ClusterServiceVersion ${bundle}, ${crd}`,
  `show sub UpgradePending ${bundle}`,
];
const crd = "CustomResourceDefinition pots.kiln.example.com";
const unhealthy = "\nCatalogSourcesUnhealthy=True CatalogSourcesAdded: targeted catalogsource olm/cat unhealthy";
const unavailable = (why: string): string =>
  `show sub  ${unhealthy}\nResolutionFailed=True ErrorPreventedResolution: CatalogUnavailable: Nothing is decided in ns while catalog olm/cat cannot be read: ${why}. Look at the catalog's status and correct its image or address: kubectl describe catalogsources.operators.coreos.com cat -n olm\nerror using catalogsource olm/cat: no registry client established for catalogsource olm/cat`;
const missing = (namespace: string): string =>
  `show sub  \nCatalogSourcesUnhealthy=True NoCatalogSourcesFound: dependency resolution requires at least one catalogsource\nResolutionFailed=True ConstraintsNotSatisfiable: CatalogNotFound: Subscription sub names catalog ${namespace}/cat, which does not exist. Delete Subscription sub: kubectl delete subscriptions.operators.coreos.com sub -n ns\nconstraints not satisfiable: no operators found from catalog cat in namespace ${namespace} referenced by subscription sub, subscription sub exists`;
const notUnpacked = (why: string): readonly string[] => [
  `show sub  \nBundleUnpackFailed=True BundleUnpackFailed: Bundle unpacking failed - ${why}`,
  `event Warning BundleUnpackFailed sub: Bundle unpacking failed - ${why}`,
];

const table: readonly (readonly [string, Given, ...(readonly (readonly string[])[])])[] = [
  [
    "gets an InstallPlan with its status, then the Subscription shows both",
    {},
    made("kiln.v1.0.0", crd),
    ["show sub UpgradePending kiln.v1.0.0\nInstallPlanPending=True Installing: "],
    [],
  ],
  ["without a catalog shows that", { catalogs: [] }, [missing("olm")], []],
  [
    "whose catalog lies in a third namespace shows that it is not there",
    {
      subscription: named(
        `${olm}/v1alpha1`,
        "Subscription",
        { namespace: "ns", name: "sub" },
        { spec: { name: "kiln", source: "cat", sourceNamespace: "other" } },
      ),
      catalogs: [catalogOf("other")],
    },
    [missing("other")],
    [],
  ],
  [
    "whose catalog names no content shows that",
    { catalogs: [catalogOf("olm", { sourceType: "grpc" })] },
    [unavailable("image and address unset: at least one must be set for sourcetype: grpc")],
  ],
  ["whose catalog is being read waits", reading(1000), ["show sub  "], []],
  [
    "whose catalog is being read for long shows that",
    reading(60_000),
    [unavailable("its content is still being read")],
  ],
  [
    "whose catalog cannot be read shows why",
    {
      catalog: {
        state: { kind: "failing", since: 0, cause: "host does not answer", remedy: "wait" },
        index: undefined,
      },
    },
    [unavailable("host does not answer")],
  ],
  [
    "whose bundle is being read shows that",
    withBundle({ kind: "pending", since: 0 }),
    ["show sub  \nBundleUnpacking=True UnpackingInProgress: "],
  ],
  [
    "whose bundle cannot be read shows why, and an event",
    withBundle({
      kind: "failing",
      since: 0,
      cause: "host does not answer",
      remedy: "wait",
      code: "BundleUnavailable",
    }),
    notUnpacked("BundleUnavailable: kiln.v1.0.0: host does not answer. Wait"),
  ],
  [
    "whose bundle is not signed shows that",
    withBundle({ kind: "refused", cause: "no signature", remedy: "sign it", code: "SignatureRejected" }),
    notUnpacked("SignatureRejected: kiln.v1.0.0: no signature. Sign it"),
  ],
  [
    "whose bundle has a file that cannot be read leaves that out",
    { files: { "manifests/crd.json": "{" } },
    made("kiln.v1.0.0"),
  ],
  [
    "whose bundle has no ClusterServiceVersion shows where the first fault is",
    { files: { "manifests/csv.json": "a: 1" } },
    notUnpacked(
      `BundleInvalid: kiln.v1.0.0: unexpected end of JSON input (manifests/csv.json:1: error parsing objects in "manifests/csv.json": unable to decode "manifests/csv.json": Object 'Kind' is missing in '{"a":1}')`,
    ),
  ],
  ["that is not watched is left as it is", { surroundings: { watchedNamespaces: new Set(["other"]) } }, []],
  ["that is watched is resolved", { surroundings: { watchedNamespaces: new Set(["ns"]) } }, made("kiln.v1.0.0", crd)],
  [
    "whose InstallPlan is refused shows nothing of it",
    { forbidden: ["installplans"] },
    ['ApiRefusedError: installplans.operators.coreos.com "" is forbidden: denied by test'],
  ],
  ["with a newer version is upgraded", upgrade, made("kiln.v1.1.0", crd)],
  [
    "whose upgrade brings denied rights stays, and shows why",
    { ...upgrade, objects: [csvOf("1.0.0"), policyOf({ permissionIncrease: "Deny" })], csv: withRights },
    [
      "show sub AtLatestKnown kiln.v1.0.0\nUpdateHeld=True VersionHeld: kiln.v1.1.0 is held back by ClusterUpdatePolicy policy: new permissions (ServiceAccount ns/kiln, whole cluster: get  secrets  [cluster-wide, secrets]). see which policy decides, and change it: purser policy effective sub/ns/sub",
    ],
  ],
  [
    "whose upgrade needs approval gets an InstallPlan that waits",
    { ...upgrade, objects: [csvOf("1.0.0"), policyOf({ approval: { minor: "Manual" } })] },
    asking("kiln.v1.1.0"),
    ["show sub UpgradePending kiln.v1.1.0\nInstallPlanPending=True RequiresApproval: "],
  ],
  [
    "whose upgrade of another level needs approval is upgraded",
    { ...upgrade, objects: [csvOf("1.0.0"), policyOf({ approval: { install: "Manual", patch: "Manual" } })] },
    made("kiln.v1.1.0", crd),
  ],
  [
    "whose installation needs approval gets an InstallPlan that waits",
    { objects: [policyOf({ approval: { install: "Manual" } })] },
    asking("kiln.v1.0.0"),
  ],
];
for (const [what, given, ...passes] of table)
  test(`a namespace ${what}`, async () => {
    const cluster = clusterOf(given);
    for (const expected of passes) assert.deepEqual(await cluster.pass(), expected);
  });

test("a namespace without Subscriptions gives its bundles up, one that is being deleted included", async () => {
  const deleted = {
    ...subscription,
    metadata: { ...subscription.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
  };
  const cluster = clusterOf({ subscription: deleted });
  assert.deepEqual(await cluster.pass(), []);
  assert.deepEqual(cluster.content.released, ["Namespace ns"]);
});

test("each pass counts for its Subscriptions, and how long each resolution took by its outcome", async () => {
  const resolved = clusterOf({});
  await resolved.pass();
  assert.deepEqual(resolved.measured, ["subscription_sync_total", "olm_resolution_duration_seconds succeeded"]);
  const failed = clusterOf({ catalogs: [] });
  await failed.pass();
  assert.deepEqual(failed.measured, ["subscription_sync_total", "olm_resolution_duration_seconds failed"]);
});

test("content wakes: a catalog those that may use it, but not for its times; a bundle those that asked for it, once", async () => {
  const cluster = clusterOf(withBundle({ kind: "pending", since: 0 }));
  await cluster.pass();
  const ended = new AbortController();
  const woken: string[] = [];
  const cache = cacheOf(cluster.controller, [
    subscription,
    catalogOf("olm"),
    catalogOf("other", { sourceType: "grpc" }),
  ]);
  const listening = (async () => {
    for await (const { name } of cluster.controller.wakes[0]?.(ended.signal, cache) ?? []) woken.push(name);
  })();
  const key = "image example.com/cat:1";
  const pending = { kind: "pending", since: 0 } as const;
  const seen: string[] = [];
  for (const notice of [
    () => cluster.content.tryLater(key),
    () => cluster.content.setCatalog(key, { state: pending, index: undefined }),
    () => cluster.content.setCatalog("image other", { state: pending, index: undefined }),
    ...[1, 2].map(
      () => () =>
        cluster.content.setBundle("kiln 1.0.0 example.com/kiln:v1.0.0", { state: pending, objects: undefined }),
    ),
  ]) {
    notice();
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(woken.splice(0).join(" "));
  }
  assert.deepEqual(seen, ["", "olm ns", "", "ns", ""]);
  ended.abort();
  await listening.catch(() => {});
});
