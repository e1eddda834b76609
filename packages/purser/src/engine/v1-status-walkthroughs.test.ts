// What an extension shows in the situations that users of OLM v1 know, in OLM's own words: `--compat=condition-texts`.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deployments, namespaces } from "@purser/kubernetes/apis/resources";
import { clusterCatalogs, clusterExtensions } from "../apis/olm-resources.ts";
import type { ClusterCatalog } from "../apis/v1/cluster-catalog.ts";
import type { ClusterExtension, ClusterExtensionSpec } from "../apis/v1/cluster-extension.ts";
import { parseCompat } from "../compat.ts";
import { World } from "./testing/world.ts";

const cache = "ballast-cache";
const db = "logbook-db";

let world: World;
before(async () => {
  const compat = parseCompat("condition-texts");
  assert.ok(compat.ok);
  world = await World.open({ compat: compat.value });
});
after(() => world?.stop());

const readiness = ["Ready", "Reconciling", "Stalled"];

/** `TYPE=STATUS REASON: MESSAGE` of every condition but those of kstatus, then what is installed and the active revisions. */
function linesOf({ status }: ClusterExtension): readonly string[] {
  const { conditions = [], install, activeRevisions = [] } = status ?? {};
  const shown = conditions
    .filter(({ type }) => !readiness.includes(type))
    .map(({ type, status: is, reason, message }) => `${type}=${is} ${reason}: ${message}`);
  return [
    ...shown.toSorted(),
    ...(install === undefined ? [] : [`installed ${install.bundle.name}`]),
    ...activeRevisions.map(({ name, conditions: own = [] }) =>
      [`active ${name}`, ...own.map(({ type, reason }) => `${type} ${reason}`).toSorted()].join(", "),
    ),
  ];
}

/** The lines once the condition Progressing has the reason and the beginning of the message, and nothing is left to do. */
async function shownAt(name: string, reason: string, start: string): Promise<readonly string[]> {
  const isThere = ({ status, metadata }: ClusterExtension): boolean =>
    status?.conditions?.some(
      (held) =>
        held.type === "Progressing" &&
        held.reason === reason &&
        held.message.startsWith(start) &&
        held.observedGeneration === metadata.generation,
    ) === true;
  await world.reaches(clusterExtensions, { name }, `${reason} ${start}`, isThere);
  await world.settled();
  return linesOf(await world.reaches(clusterExtensions, { name }, `${reason} ${start}`, isThere));
}

/** What a young revision waits for is shown after three seconds, which is no time in which anything is left to do. */
async function faultIsShown(name: string, fault: string): Promise<void> {
  const isShown = ({ status }: ClusterExtension): boolean =>
    status?.conditions?.some(({ message }) => message === fault) === true;
  await world.reaches(clusterExtensions, { name }, fault, isShown);
}

const change = (name: string, spec: object): Promise<void> =>
  world.merge(clusterExtensions, { name }, { spec } as Parameters<World["merge"]>[2]);
const version = (text: string): object => ({ source: { catalog: { version: text } } });

const noData = (bundle: string): readonly string[] => [
  `BundleDeprecated=Unknown ${bundle}`,
  "ChannelDeprecated=Unknown DeprecationStatusUnknown: deprecation status unknown: catalog data unavailable",
  "Deprecated=Unknown DeprecationStatusUnknown: deprecation status unknown: catalog data unavailable",
];
const packageUnknown =
  "PackageDeprecated=Unknown DeprecationStatusUnknown: deprecation status unknown: catalog data unavailable";
const absent = "Absent: no bundle installed yet";
const unknown = "DeprecationStatusUnknown: deprecation status unknown: catalog data unavailable";
/** Without channels in the spec the deprecation of any channel of the package is shown. */
const legacy = "Channel legacy ends with 0.3.0; use stable, which continues from there.";
const known = [
  "BundleDeprecated=False NotDeprecated: bundle not deprecated",
  `ChannelDeprecated=True Deprecated: ${legacy}`,
  `Deprecated=True Deprecated: ${legacy}`,
];
const available = "Available=True ProbesSucceeded: Objects are available and pass all probes.";
const nothing = "Installed=False Failed: No bundle installed";
const installed = (name: string, of: string): string =>
  `Installed=True Succeeded: Installed bundle local.purser.dev/demo/${name}:${of} successfully`;

/** The Deployment of the bundle asks for a node that does not exist. */
async function breakBundle(name: string, of: string): Promise<() => Promise<void>> {
  const file = join(world.bundlesDirectory, name, of, "manifests", `${name}.clusterserviceversion.yaml`);
  const text = await readFile(file, "utf8");
  await writeFile(
    file,
    text.replace(
      /^( +)serviceAccountName: (?=.*\n +containers:)/m,
      '$1nodeSelector: {absent: "true"}\n$1serviceAccountName: ',
    ),
  );
  return () => writeFile(file, text);
}

test("created while its catalog is not served", async () => {
  await world.create(clusterCatalogs, {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterCatalog",
    metadata: { name: "absent" },
    spec: { source: { type: "Image", image: { ref: "local.purser.dev/catalogs/absent:latest" } } },
  });
  const catalog = {
    packageName: db,
    selector: { matchLabels: { "olm.operatorframework.io/metadata.name": "absent" } },
  };
  await world.extend(db, undefined, { source: { sourceType: "Catalog", catalog } });
  const message = `error walking catalogs: error getting package "${db}" from catalog "absent": catalog "absent" is not being served`;
  assert.deepEqual(await shownAt(db, "Retrying", "error walking"), [
    ...noData(absent),
    nothing,
    packageUnknown,
    `Progressing=True Retrying: ${message}`,
  ]);
  await world.remove(clusterCatalogs, { name: "absent" });
  await world.remove(clusterExtensions, { name: db });
  await world.vanishes(clusterExtensions, { name: db });
});

test("a first roll-out", async () => {
  const repair = await breakBundle(db, "1.0.0");
  await world.extend(db, "1.0.0");
  const fault = `Object Deployment.apps/v1 ${db}/logbook-db-controller: .status.condition["Available"] is False`;
  await faultIsShown(db, fault);
  assert.deepEqual(await shownAt(db, "RollingOut", "Revision 1.0.0"), [
    `Available=False ProbeFailure: ${fault}`,
    ...noData(absent),
    "Installed=False Absent: No bundle installed",
    packageUnknown,
    "Progressing=True RollingOut: Revision 1.0.0 is rolling out.",
    "active logbook-db-1, Available ProbeFailure, Progressing RollingOut",
  ]);
  await repair();
  await world.remove(clusterExtensions, { name: db });
  await world.vanishes(clusterExtensions, { name: db });
});

test("installed", async () => {
  await world.extend(cache, "0.3.0");
  assert.deepEqual(await shownAt(cache, "Succeeded", "Desired"), [
    available,
    ...known,
    installed(cache, "0.3.0"),
    "PackageDeprecated=False NotDeprecated: package not deprecated",
    "Progressing=True Succeeded: Desired state reached",
    "installed ballast-cache.v0.3.0",
    "active ballast-cache-1",
  ]);
});

test("a target that is no successor, and an upgrade whose CustomResourceDefinition is not safe", async () => {
  const stays = (progress: string, deprecations: readonly string[]) => [
    available,
    ...deprecations,
    installed(cache, "0.3.0"),
    ...(deprecations === known ? ["PackageDeprecated=False NotDeprecated: package not deprecated"] : [packageUnknown]),
    progress,
    "installed ballast-cache.v0.3.0",
    "active ballast-cache-1",
  ];
  await change(cache, version("0.4.1"));
  assert.deepEqual(
    await shownAt(cache, "Retrying", "error upgrading"),
    stays(
      `Progressing=True Retrying: error upgrading from currently installed version "0.3.0": no bundles found for package "${cache}" matching version "0.4.1"`,
      noData(unknown),
    ),
  );
  const file = join(world.bundlesDirectory, cache, "0.4.0", "manifests", "caches.crd.yaml");
  const good = await readFile(file, "utf8");
  await writeFile(file, good.replace("scope: Namespaced", "scope: Cluster"));
  await change(cache, version("0.4.0"));
  assert.deepEqual(
    await shownAt(cache, "Retrying", "error for resolved"),
    stays(
      'Progressing=True Retrying: error for resolved bundle "ballast-cache.v0.4.0" with version "0.4.0": validating upgrade for CRD "caches.ballast.demo.purser.dev": scope: scope changed : "Namespaced" -> "Cluster"',
      known,
    ),
  );
  await writeFile(file, good);
});

test("an upgrade that is under way: both revisions share the Deployment", async () => {
  await change(cache, version("0.3.0"));
  await shownAt(cache, "Succeeded", "Desired");
  const repair = await breakBundle(cache, "0.4.0");
  await change(cache, version("0.4.0"));
  const fault = `Object Deployment.apps/v1 ${cache}/ballast-cache-controller: "status.updatedReplicas" != "status.replicas" expected: 1 got: 2`;
  await faultIsShown(cache, fault);
  await world.reaches(clusterExtensions, { name: cache }, "the new revision reports", ({ status }) =>
    (status?.activeRevisions ?? []).some(({ conditions = [] }) => conditions.length > 0),
  );
  assert.deepEqual(await shownAt(cache, "RollingOut", "Revision 0.4.0"), [
    `Available=False ProbeFailure: ${fault}`,
    ...noData(unknown),
    installed(cache, "0.3.0"),
    packageUnknown,
    "Progressing=True RollingOut: Revision 0.4.0 is rolling out.",
    "installed ballast-cache.v0.3.0",
    "active ballast-cache-1",
    "active ballast-cache-2, Available ProbeFailure, Progressing RollingOut",
  ]);
  await repair();
});

test("objects that another extension owns", async () => {
  const other = "second-cache";
  await world.extend(other, undefined, {
    source: { sourceType: "Catalog", catalog: { packageName: cache, version: "0.3.0" } },
  });
  const lines = await shownAt(other, "Retrying", "revision object collisions");
  assert.deepEqual(
    lines.map((line) => line.split("\n")[0]),
    [
      ...noData(absent),
      nothing,
      packageUnknown,
      "Progressing=True Retrying: revision object collisions in phase 1",
      "active second-cache-1, Progressing Retrying",
    ],
  );
  await world.remove(clusterExtensions, { name: other });
  await world.vanishes(clusterExtensions, { name: other });
});

test("a configuration that does not fit, on a fresh extension", async () => {
  const config: ClusterExtensionSpec["config"] = { configType: "Inline", inline: { colour: "red" } };
  await world.extend(db, "1.0.0", { config });
  assert.deepEqual(await shownAt(db, "InvalidConfiguration", "error for"), [
    "BundleDeprecated=Unknown Absent: no bundle installed yet",
    "ChannelDeprecated=False NotDeprecated: channel not deprecated",
    "Deprecated=False NotDeprecated: not deprecated",
    "PackageDeprecated=False NotDeprecated: package not deprecated",
    'Progressing=False InvalidConfiguration: error for resolved bundle "logbook-db.v1.0.0" with version "1.0.0": invalid ClusterExtension configuration: invalid configuration: unknown field "colour"',
  ]);
  await change(db, { config: null });
  await shownAt(db, "Succeeded", "Desired");
});

test("the Deployment of the installed revision crashes, and is ready again", async () => {
  const crash = (result: string | null): Promise<void> =>
    world.merge(namespaces, { name: db }, { metadata: { annotations: { "sim/result": result } } });
  await crash("crash");
  const fault = `Object Deployment.apps/v1 ${db}/logbook-db-controller: .status.condition["Available"] is False`;
  const lines = await shownAt(db, "RollingOut", "Revision 1.0.0");
  assert.deepEqual(
    lines.filter((line) => !line.includes("Deprecated")),
    [
      `Available=False ProbeFailure: ${fault}`,
      installed(db, "1.0.0"),
      "Progressing=True RollingOut: Revision 1.0.0 is rolling out.",
      "installed logbook-db.v1.0.0",
      "active logbook-db-1",
    ],
  );
  await crash(null);
  assert.ok((await shownAt(db, "Succeeded", "Desired")).includes(available), "it is available again");
});

let offered: ClusterCatalog | undefined;

test("all matching catalogs are deleted", async () => {
  offered = await world.client.get(clusterCatalogs, { name: "demo" });
  await world.remove(clusterCatalogs, { name: "demo" });
  await world.vanishes(clusterCatalogs, { name: "demo" });
  await change(db, { progressDeadlineMinutes: 30 });
  const lines = await shownAt(db, "Succeeded", "Desired");
  assert.deepEqual(lines, [
    available,
    ...noData(unknown),
    installed(db, "1.0.0"),
    packageUnknown,
    "Progressing=True Succeeded: Desired state reached",
    "installed logbook-db.v1.0.0",
    "active logbook-db-1",
  ]);
});

test("without its catalogs drift is repaired and another version waits; the catalog that comes back brings it", async () => {
  const key = { namespace: db, name: `${db}-controller` };
  const replicas = (count: number): Promise<void> => world.merge(deployments, key, { spec: { replicas: count } });
  const { spec } = await world.reaches(deployments, key, "the Deployment", () => true);
  await replicas(3);
  await world.reaches(deployments, key, "its former replicas", (held) => held.spec?.replicas === spec?.replicas);

  await change(db, version("1.1.0"));
  const none = `no bundles found for package "${db}" matching version "1.1.0"`;
  const refusal = `error upgrading from currently installed version "1.0.0": ${none}`;
  assert.deepEqual(await shownAt(db, "Retrying", "error"), [
    available,
    ...noData(unknown),
    installed(db, "1.0.0"),
    packageUnknown,
    `Progressing=True Retrying: ${refusal}`,
    "installed logbook-db.v1.0.0",
    "active logbook-db-1",
  ]);

  assert.ok(offered !== undefined);
  const { apiVersion, kind } = offered;
  await world.create(clusterCatalogs, { apiVersion, kind, metadata: { name: "demo" }, spec: offered.spec });
  const lines = await shownAt(db, "Succeeded", "Desired");
  assert.deepEqual(
    lines.filter((line) => !line.includes("Deprecated")),
    [
      available,
      installed(db, "1.1.0"),
      "Progressing=True Succeeded: Desired state reached",
      "installed logbook-db.v1.1.0",
      "active logbook-db-2",
    ],
  );
});
