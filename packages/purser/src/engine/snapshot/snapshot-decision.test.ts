// Decisions over the objects of a snapshot with catalogs in memory.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTolerantVersion } from "@purser/kubernetes/version";
import type { ClusterUpdatePolicySpec } from "../../apis/policy/cluster-update-policy.ts";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../apis/v0/operator-group.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { loadCatalog } from "../../catalog/loading/load.ts";
import { indexOf } from "../../catalog/memory-index.ts";
import { smallCatalog } from "../../catalog/testing/small-catalog.ts";
import { shortNamespace } from "../../resolver/testing/short-world.ts";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { digestOf } from "@purser/kubernetes/digest";
import { smallCsv } from "../../bundle/testing/small-bundle.ts";
import type { ReadableCatalog } from "../../catalog/content.ts";
import type { Installation } from "../../installation/installation.ts";
import type { KnownContent } from "../../resolver/v0/install-plan/known-content.ts";
import { withObjects } from "./decision-inputs.ts";
import type { GivenCatalog } from "./snapshot-catalogs.ts";
import {
  type DecideOptions,
  type Decision,
  decideExtension,
  decideNamespace,
  whyInExtension,
  whyInNamespace,
} from "./snapshot-decision.ts";
import type { Snapshot } from "./snapshot-file.ts";
import { type DecisionWorld, worldOnFiles } from "./snapshot-world.ts";
import { packagesOfInstallation, holdsOnInstallation } from "./snapshot-holds.ts";

const read = parseTolerantVersion("1.36.0");
assert.ok(read.ok);
const kubeVersion = read.value;
/** Three milliseconds between any two looks. */
function options(): DecideOptions {
  let now = 0;
  const clock = { monotonic: () => (now += 3) } as unknown as DecideOptions["clock"];
  return { clock, kubeVersion, reservedGroups: "refused" };
}

const given = (versions: readonly string[], extra = "", name = "cat"): GivenCatalog => {
  const { blobs } = loadCatalog([
    { file: "c", text: versions.length === 0 ? extra : smallCatalog("kiln", versions, extra) },
  ]);
  return { namespace: "olm", name, index: indexOf(blobs) as GivenCatalog["index"] };
};

const empty: Snapshot = {
  namespaces: [],
  subscriptions: [],
  clusterServiceVersions: [],
  operatorGroups: [],
  installPlans: [],
  customResourceDefinitions: [],
  catalogSources: [],
  clusterCatalogs: [],
  clusterExtensions: [],
  updatePolicies: [],
  clusterUpdatePolicies: [],
};

interface Given {
  readonly subscriptions?: readonly string[];
  readonly installed?: readonly string[];
  readonly catalogs?: readonly GivenCatalog[];
  readonly policy?: ClusterUpdatePolicySpec;
  readonly snapshot?: Partial<Snapshot>;
  readonly world?: Partial<DecisionWorld>;
}

function worldOf({
  subscriptions = ["sub kiln/stable"],
  installed = [],
  catalogs = [given(["1.0.0", "1.1.0"])],
  policy,
  snapshot = {},
  world = {},
}: Given): DecisionWorld {
  const short = shortNamespace({ catalogs: {}, subscriptions, installed });
  const policies =
    policy === undefined
      ? []
      : [
          {
            apiVersion: "purser.dev/v1alpha1",
            kind: "ClusterUpdatePolicy",
            metadata: { name: "policy" },
            spec: policy,
          },
        ];
  return {
    ...worldOnFiles(
      {
        ...empty,
        subscriptions: short.subscriptions as readonly Subscription[],
        clusterServiceVersions: short.clusterServiceVersions as readonly ClusterServiceVersion[],
        operatorGroups: short.operatorGroups as readonly OperatorGroup[],
        clusterUpdatePolicies: policies as Snapshot["clusterUpdatePolicies"],
        ...snapshot,
      },
      catalogs,
      "olm",
    ),
    ...world,
  };
}

function inShort({
  outcome,
  upstream,
  chosen,
  updated,
  steps,
  lookups,
  installPlans,
  warnings,
}: Decision): readonly string[] {
  return [
    upstream === undefined ? outcome : `${outcome}: ${upstream}`,
    ...chosen.map(({ name, package: of, version, channel, image, catalog, subscriptions: subs, ...rest }) => {
      const from = catalog.namespace === undefined ? catalog.name : `${catalog.namespace}/${catalog.name}`;
      return `${name} of ${of} ${version} ${channel} ${image} from ${from} for ${subs.join()} ${JSON.stringify(rest)}`;
    }),
    ...updated.map(({ name, currentCSV }) => `${name} -> ${currentCSV}`),
    ...steps.map(({ resource }) => `step ${resource.kind} ${resource.name}`),
    ...lookups.map(({ identifier }) => `look up ${identifier}`),
    ...installPlans.map((plan) => `plan ${Object.values(plan).flat().join(" ")}`),
    ...warnings.map(({ code, summary }) => `warning ${code}: ${summary}`),
  ];
}

const kiln = (version: string, more: object, subscription = "sub", from = "olm/cat"): string =>
  `kiln.v${version} of kiln ${version} stable example.com/kiln:v${version} from ${from} for ${subscription} ${JSON.stringify(more)}`;
const moves = (version: string, approval = "Automatic"): readonly string[] => [
  `sub -> kiln.v${version}`,
  `look up kiln.v${version}`,
  `plan ns ${approval} 1 kiln.v${version}`,
];
const atFirst = {
  subscriptions: ["sub kiln/stable at=kiln.v1.0.0"],
  installed: ["kiln.v1.0.0 1.0.0 kiln"],
} as const;
const newest = kiln("1.1.0", { replaces: "kiln.v1.0.0", upToDate: false });
const catalogObject = (name: string, more: object = {}): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Catalog",
    metadata: { namespace: "olm", name },
    spec: { source: {} },
    ...more,
  }) as KubeObject;
const denied: ClusterUpdatePolicySpec = { versions: { denied: ["1.1.0"] } };
/** The second version needs a newer cluster. */
const demanding = smallCatalog("kiln", ["1.0.0", "1.1.0"]).replace(
  /(version: 1\.1\.0\n)/,
  "$1- type: olm.csv.metadata\n  value: {minKubeVersion: 1.40.0}\n",
);
const second = given([], smallCatalog("oven", ["2.0.0"]), "cat");

const namespaces: readonly (readonly [string, Given, readonly string[]])[] = [
  ["without anything gets the newest version", {}, ["resolved", newest, ...moves("1.1.0")]],
  ["is upgraded", atFirst, ["resolved", newest, ...moves("1.1.0")]],
  ["whose upgrade is denied stays", { ...atFirst, policy: denied }, ["resolved"]],
  [
    "whose upgrade was denied until now is upgraded",
    { ...atFirst, policy: { ...denied, until: "2026-01-01T00:00:00Z" }, world: { now: Date.UTC(2026, 0, 1) } },
    ["resolved", newest, ...moves("1.1.0")],
  ],
  [
    "whose installation needs approval gets a plan that waits",
    { policy: { approval: { install: "Manual" } } },
    ["resolved", newest, ...moves("1.1.0", "Manual")],
  ],
  [
    "that names a version begins with it",
    { subscriptions: ["sub kiln/stable start=kiln.v1.0.0"] },
    ["resolved", kiln("1.0.0", { startingCSV: "kiln.v1.0.0", upToDate: false }), ...moves("1.0.0")],
  ],
  [
    "whose package is unknown is refused",
    { subscriptions: ["sub none/stable"] },
    [
      "unsatisfiable: constraints not satisfiable: no operators found in package none in the catalog referenced by subscription sub, subscription sub exists",
    ],
  ],
  [
    "of a catalog without content is not decided",
    { catalogs: [], snapshot: { catalogSources: [catalogObject("cat") as Snapshot["catalogSources"][number]] } },
    ["error: error using catalogsource olm/cat: no registry client established for catalogsource olm/cat"],
  ],
  [
    "is warned of a version that needs a newer cluster",
    { catalogs: [given([], demanding)] },
    [
      "resolved",
      newest,
      ...moves("1.1.0"),
      "warning ClusterIncompatible: kiln.v1.1.0 needs Kubernetes 1.40.0 or newer",
    ],
  ],
  [
    "with two operators that do not hang together gets two plans",
    {
      subscriptions: ["sub kiln/stable", "two oven/stable"],
      catalogs: [given(["1.0.0"], smallCatalog("oven", ["2.0.0"]))],
    },
    [
      "resolved",
      kiln("1.0.0", { upToDate: false }),
      'oven.v2.0.0 of oven 2.0.0 stable example.com/oven:v2.0.0 from olm/cat for two {"upToDate":false}',
      "sub -> kiln.v1.0.0",
      "two -> oven.v2.0.0",
      "look up kiln.v1.0.0",
      "look up oven.v2.0.0",
      "plan ns Automatic 1 kiln.v1.0.0",
      "plan ns Automatic 2 oven.v2.0.0",
    ],
  ],
];
for (const [what, world, expected] of namespaces)
  test(`a namespace ${what}`, async () =>
    assert.deepEqual(inShort(await decideNamespace(worldOf(world), "ns", options())), expected));

test("with one plan for each namespace two operators share it", async () => {
  const world = worldOf({
    subscriptions: ["sub kiln/stable", "two oven/stable"],
    catalogs: [given(["1.0.0"], smallCatalog("oven", ["2.0.0"]))],
  });
  const { installPlans } = await decideNamespace(world, "ns", { ...options(), plansPer: "namespace" });
  assert.deepEqual(
    installPlans.map(({ generation, clusterServiceVersionNames }) => [generation, ...clusterServiceVersionNames]),
    [[1, "kiln.v1.0.0", "oven.v2.0.0"]],
  );
});

test("the time of reading and the time of deciding are reported separately", async () => {
  const { variablesMs, solveMs } = await decideNamespace(worldOf({}), "ns", options());
  assert.deepEqual([variablesMs, solveMs], [3, 3]);
  const extension = decideExtension(worldOf({}), extensionOf(), options());
  assert.deepEqual([extension.variablesMs, extension.solveMs], [0, 3]);
});

const present = (content: string): KnownContent =>
  ({ kind: "present", digest: digestOf(content), bundle: { objects: [csv], csv }, diagnosis: "" }) as KnownContent;
const csv = smallCsv({ version: "1.1.0" }, { name: "kiln.v1.1.0" });

for (const [what, content, expected] of [
  [
    "can be read are in the plan",
    present("a"),
    [
      "resolved",
      newest,
      "sub -> kiln.v1.1.0",
      "step ClusterServiceVersion kiln.v1.1.0",
      "look up kiln.v1.1.0",
      "plan ns Automatic 1 kiln.v1.1.0",
    ],
  ],
  ["are read are looked up", { kind: "pending" }, ["resolved", newest, ...moves("1.1.0")]],
] as const)
  test(`bundles that ${what}, each asked for with its CatalogSource`, async () => {
    const asked: string[] = [];
    const bundles: DecideOptions["bundles"] = {
      contentOf: (wanted, source) => {
        asked.push(`${wanted.bundle.name} ${source?.metadata.namespace}/${source?.metadata.name}`);
        return Promise.resolve(content as KnownContent);
      },
    };
    const decision = await decideNamespace(worldOf({}), "ns", { ...options(), bundles });
    assert.deepEqual([inShort(decision), asked], [expected, ["kiln.v1.1.0 olm/cat"]]);
  });

function extensionOf(catalog: object = {}, version?: string): ClusterExtension {
  return {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    metadata: { name: "ext" },
    spec: { namespace: "ns", source: { sourceType: "Catalog", catalog: { packageName: "kiln", ...catalog } } },
    ...(version === undefined ? {} : { status: { install: { bundle: { name: `kiln.v${version}`, version } } } }),
  };
}
const ofExtension = (version: string, more: object): string => kiln(version, more, "", "cat");
const isNew = ofExtension("1.1.0", { upToDate: false });
const unserved = (message: string) =>
  catalogObject("cat", { status: { conditions: [{ type: "Serving", status: "False", message }] } });
const other = catalogObject("other");
const withCatalogs = (...clusterCatalogs: readonly KubeObject[]): Given => ({
  snapshot: { clusterCatalogs: clusterCatalogs as Snapshot["clusterCatalogs"] },
});
const extensions: readonly (readonly [string, ClusterExtension, Given, readonly string[]])[] = [
  ["gets the newest version", extensionOf(), {}, ["resolved", isNew]],
  [
    "is upgraded",
    extensionOf({}, "1.0.0"),
    {},
    ["resolved", ofExtension("1.1.0", { replaces: "kiln.v1.0.0", upToDate: false })],
  ],
  [
    "with the newest version stays",
    extensionOf({}, "1.1.0"),
    {},
    ["resolved", ofExtension("1.1.0", { upToDate: true })],
  ],
  [
    "whose upgrade is denied stays",
    extensionOf({}, "1.0.0"),
    { policy: denied },
    ["resolved", ofExtension("1.0.0", { upToDate: true })],
  ],
  [
    "whose package is unknown is refused",
    extensionOf({ packageName: "none" }),
    {},
    ['unsatisfiable: no bundles found for package "none"'],
  ],
  [
    "is decided without a catalog that cannot be read, with a warning",
    extensionOf(),
    withCatalogs(other),
    [
      "resolved",
      isNew,
      "warning CatalogUnavailable: decided without ClusterCatalog other, which cannot be read: no --catalog other=PATH gives its content",
    ],
  ],
  [
    "of a catalog that is not served is not decided",
    extensionOf(),
    withCatalogs(unserved("")),
    [
      'error: error walking catalogs: error getting package "kiln" from catalog "cat": catalog "cat" is not being served',
    ],
  ],
  [
    "is warned of a version that needs a newer cluster",
    extensionOf(),
    { catalogs: [given([], demanding)] },
    ["resolved", isNew, "warning ClusterIncompatible: kiln.v1.1.0 needs Kubernetes 1.40.0 or newer"],
  ],
  [
    "with such a version is not warned again",
    extensionOf({}, "1.1.0"),
    { catalogs: [given([], demanding)] },
    ["resolved", ofExtension("1.1.0", { upToDate: true })],
  ],
];
for (const [what, extension, world, expected] of extensions)
  test(`a ClusterExtension ${what}`, () =>
    assert.deepEqual(inShort(decideExtension(worldOf(world), extension, options())), expected));

for (const [message, expected] of [
  ["", "it is not being served"],
  ["being unpacked", "it is not being served: being unpacked"],
] as const)
  test(`a ClusterCatalog that is not served says so${message === "" ? "" : " with its reason"}`, () => {
    const world = worldOf(withCatalogs(unserved(message)));
    const [catalog] = world.snapshot.clusterCatalogs;
    assert.ok(catalog !== undefined);
    assert.deepEqual(world.contentOfCatalog(catalog), { kind: "unavailable", cause: expected });
  });

test("a given catalog is a CatalogSource and a ClusterCatalog, each unless the snapshot has it; the first of a name counts", () => {
  const [one, two] = [given(["1.0.0"]), { ...second, namespace: "ns" }];
  const source = catalogObject("cat") as Snapshot["catalogSources"][number];
  const world = worldOf({ catalogs: [one, two], snapshot: { catalogSources: [source] } });
  const { catalogSources: sources, clusterCatalogs: catalogs } = world.snapshot;
  assert.deepEqual(
    sources.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`),
    ["Catalog olm/cat", "CatalogSource ns/cat"],
  );
  assert.deepEqual(
    catalogs.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ["ClusterCatalog cat"],
  );
  const packagesOf = (content: ReadableCatalog | undefined): readonly string[] =>
    content?.kind === "present" ? content.index.packages() : [];
  assert.deepEqual([...sources.map(world.contentOfSource), ...catalogs.map(world.contentOfCatalog)].map(packagesOf), [
    ["kiln"],
    ["oven"],
    ["kiln"],
  ]);
});

const requiring = (type: string, value: object): GivenCatalog =>
  given(
    [],
    smallCatalog("kiln", ["1.0.0"]).replace(
      /(version: 1\.0\.0\n)/,
      `$1- {type: ${type}, value: ${JSON.stringify(value)}}\n`,
    ) + smallCatalog("oven", ["2.0.0"]),
  );
const api = (kind: string): GivenCatalog =>
  requiring("olm.gvk.required", { group: "oven.example.com", version: "v1", kind });
const needsOven = requiring("olm.package.required", { packageName: "oven", versionRange: ">=2.0.0" });
const oven: ClusterExtension = {
  ...extensionOf({ packageName: "oven" }),
  metadata: { name: "oven" },
  status: { install: { bundle: { name: "oven.v2.0.0", version: "2.0.0" } } },
};
const csvOf = (phase: string, name = "things.oven.example.com"): ClusterServiceVersion =>
  ({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace: "ns", name: "oven.v2.0.0" },
    spec: { customresourcedefinitions: { owned: [{ name, version: "v1", kind: "Thing" }] } },
    status: { phase },
  }) as unknown as ClusterServiceVersion;
const unsupported = (type: string): string =>
  `unsatisfiable: validating bundle "kiln.v1.0.0": bundle "kiln.v1.0.0" has a dependency declared via property "${type}" which is currently not supported`;
const got = ["resolved", ofExtension("1.0.0", { upToDate: false })];
for (const [what, catalog, snapshot, expected] of [
  ["a package that is missing", needsOven, {}, [unsupported("olm.package.required")]],
  ["a package that is installed", needsOven, { clusterExtensions: [oven] }, got],
  [
    "a package that is about to be installed",
    needsOven,
    { clusterExtensions: [{ ...oven, status: {} } as ClusterExtension] },
    [unsupported("olm.package.required")],
  ],
  ["an API that nothing provides", api("Thing"), {}, [unsupported("olm.gvk.required")]],
  ["an API of an installed bundle", api("Thing"), { clusterExtensions: [oven] }, got],
  ["another API of it", api("Other"), { clusterExtensions: [oven] }, [unsupported("olm.gvk.required")]],
  ["an API of a ClusterServiceVersion", api("Thing"), { clusterServiceVersions: [csvOf("Succeeded")] }, got],
  [
    "an API of one that is not ready",
    api("Thing"),
    { clusterServiceVersions: [csvOf("Installing")] },
    [unsupported("olm.gvk.required")],
  ],
  [
    "an API of another group",
    api("Thing"),
    { clusterServiceVersions: [csvOf("Succeeded", "things.other.example.com")] },
    [unsupported("olm.gvk.required")],
  ],
] as const)
  test(`a ClusterExtension that requires ${what} is ${expected === got ? "decided" : "refused"}`, () =>
    assert.deepEqual(
      inShort(decideExtension(worldOf({ catalogs: [catalog], snapshot }), extensionOf(), options())),
      expected,
    ));

test("what was approved is decided whatever it requires", () => {
  const world = worldOf({ catalogs: [needsOven], world: { ignoresDependencies: true } });
  assert.deepEqual(inShort(decideExtension(world, extensionOf(), options())), got);
});

test("policies hold back installations of both kinds, and no other", () => {
  const world = worldOf({ ...atFirst, policy: denied, snapshot: { clusterExtensions: [extensionOf({}, "1.0.0")] } });
  const heldOf = (api: "v0" | "v1", name: string, namespace = "ns"): readonly string[] => {
    const installation = { api, name, namespace } as unknown as Installation;
    const packages = packagesOfInstallation(world, installation).map(({ name: found }) => found);
    const held = holdsOnInstallation(world, installation).held.flatMap(({ bundles }) => bundles);
    return [...packages, ...held];
  };
  assert.deepEqual(
    [heldOf("v0", "sub"), heldOf("v0", "none"), heldOf("v1", "ext"), heldOf("v1", "none")],
    [["kiln", "kiln.v1.1.0"], [], ["kiln", "kiln.v1.1.0"], []],
  );
  assert.deepEqual(heldOf("v0", "sub", "other"), []);
});

test("objects are added to those of the snapshot", () => {
  const world = worldOf({});
  const [subscription] = world.snapshot.subscriptions;
  assert.ok(subscription !== undefined);
  const added = withObjects(world, { subscriptions: [subscription], clusterExtensions: [oven] }).snapshot;
  const counts = Object.entries(added).map(([kind, objects]) => `${kind} ${objects.length}`);
  assert.deepEqual(
    counts.filter((count) => !count.endsWith(" 0")),
    ["subscriptions 2", "operatorGroups 1", "catalogSources 1", "clusterCatalogs 1", "clusterExtensions 1"],
  );
});

test("why a bundle is chosen is answered for both", () => {
  assert.equal(whyInNamespace(worldOf({}), "ns", "kiln.v1.1.0").kind, "chosen");
  assert.equal(whyInExtension(worldOf({}), extensionOf(), "kiln.v1.1.0").kind, "chosen");
});
