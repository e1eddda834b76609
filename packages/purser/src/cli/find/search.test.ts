import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { UsageError } from "../command.ts";
import { runPurser } from "../testing/run-purser.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-search-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const product = join(import.meta.dirname, "../../..");
const demo = ["--catalog", `demo=${join(product, "demo/default/catalog")}`];
const community = ["--catalog", `community=${join(product, "conformance/catalogs/community")}`];

const env = { PURSER_CACHE_DIR: join(directory, "cache") };
const purser = async (args: readonly string[], width?: number) => {
  const ran = await runPurser(args, { env, ...(width === undefined ? {} : { width }) });
  return { ...ran, data: ran.data as unknown as Record<string, unknown> };
};

const wholeCommunity = [
  "NAME                      LATEST  CHANNEL    SOURCE     PROVIDER              INSTALLED  NOTES",
  "kube-green                0.7.1   alpha      community  kube-green Community  -          -",
  "kubevirt-wol              0.0.2   stable-v0  community  K4all                 -          -",
  "libredb-studio-operator   0.9.59  alpha      community  LibreDB               -          -",
  "nfs-provisioner-operator  0.0.9   alpha      community  Jooho Lee             -          -",
  `4 of 4 packages, 1 source. More: purser show kube-green ${community.join(" ")}`,
];

test("without a text all packages of a real catalog are listed, with counts", async () => {
  const { exitCode, text, errors } = await purser(["search", ...community]);
  assert.deepEqual([exitCode, errors], [0, ""]);
  assert.equal(text, wholeCommunity.join("\n"));
  assert.equal((await purser(["search", ...community], 120)).text, text);
});

test("in 80 columns the provider is dropped first, with -o wide nothing", async () => {
  const { text } = await purser(["search", ...community], 80);
  assert.deepEqual(text.split("\n").slice(0, 2), [
    "NAME                      LATEST  CHANNEL    SOURCE     INSTALLED  NOTES",
    "kube-green                0.7.1   alpha      community  -          -",
  ]);
  assert.equal((await purser(["search", "-o", "wide", ...community], 80)).text, wholeCommunity.join("\n"));
});

test("a typing error finds the package, -o name prints its name", async () => {
  assert.equal((await purser(["search", "provsioner", "-o", "name", ...community])).text, "nfs-provisioner-operator");
  assert.equal((await purser(["search", "kube-gren", "-o", "name", ...community])).text, "kube-green");
});

const csv = (version: string): object => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: { name: `logbook-db.v${version}`, namespace: "demo" },
  spec: { version },
  status: { phase: "Succeeded" },
});
const subscription = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "Subscription",
  metadata: { name: "db", namespace: "demo" },
  spec: { name: "logbook-db", source: "demo", sourceNamespace: "olm", channel: "stable" },
  status: { installedCSV: "logbook-db.v1.1.0", currentCSV: "logbook-db.v1.1.0" },
};
const world = join(directory, "world.json");
writeFileSync(world, JSON.stringify({ apiVersion: "v1", kind: "List", items: [subscription, csv("1.1.0")] }));

test("the demo shows where a package is installed and that there is an update", async () => {
  const { text } = await purser(["search", "logbook", ...demo, "--snapshot", world]);
  assert.equal(
    text,
    [
      "NAME        LATEST  CHANNEL  SOURCE  PROVIDER     INSTALLED   NOTES",
      "logbook-db  1.2.0   stable   demo    Purser demo  demo 1.1.0  update update",
      `1 of 3 packages, 1 source. More: purser show logbook-db ${demo.join(" ")} --snapshot ${world}`,
    ].join("\n"),
  );
  const installed = await purser(["search", "--installed", "-o", "name", ...demo, "--snapshot", world]);
  assert.equal(installed.text, "logbook-db");
});

test("the document has the facts of the table", async () => {
  const { data } = await purser(["search", "logbook", "-o", "json", ...demo, "--snapshot", world]);
  const { items, ...about } = data as { readonly items: readonly [Record<string, unknown>] };
  assert.deepEqual(about, {
    apiVersion: "purser.dev/v1alpha1",
    kind: "PackageList",
    total: 3,
    sources: [{ name: "demo", references: ["olm/demo", "cc/demo"], packages: 3 }],
  });
  const [{ name, latest, channel, provider, installed, update, sources }] = items;
  assert.deepEqual(
    { name, latest, channel, provider, installed, update, sources },
    {
      name: "logbook-db",
      latest: "1.2.0",
      channel: "stable",
      provider: "Purser demo",
      installed: [{ reference: "sub/demo/db", version: "1.1.0", newer: "1.2.0" }],
      update: true,
      sources: ["olm/demo", "cc/demo"],
    },
  );
});

test("nothing found exits with 6 and names what is near", async () => {
  const { exitCode, text, errors } = await purser(["search", "kubegren", ...community]);
  assert.deepEqual([exitCode, text], [6, ""]);
  assert.equal(
    errors,
    [
      'failed No package matches "kubegren"  PackageNotFound',
      "  why   looked at 4 of 4 packages in community",
      `  do    purser search kube-green ${community.join(" ")}      did you mean this?`,
    ].join("\n"),
  );
});

test("an unknown catalog exits with 6 and names the nearest", async () => {
  const { exitCode, errors } = await purser(["search", "--source", "comunity", ...community]);
  assert.equal(exitCode, 6);
  assert.match(errors, /There is no catalog "comunity" .*CatalogNotFound\n.*\n.*purser search --source community /);
});

test("a source that cannot be read is named with its cause and does not hide the others", async () => {
  const failing = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "CatalogSource",
    metadata: { name: "broken", namespace: "olm" },
    spec: { sourceType: "grpc" },
  };
  const file = join(directory, "failing.json");
  writeFileSync(file, JSON.stringify(failing));
  const { exitCode, text, errors } = await purser(["search", "green", ...community, "--snapshot", file]);
  assert.equal(exitCode, 0);
  assert.match(text, /^kube-green /m);
  assert.equal(errors, "attention olm/broken was not read: no --catalog olm/broken=PATH gives its content");
  const alone = await purser(["search", "--snapshot", file]);
  assert.equal(alone.exitCode, 1);
  assert.match(alone.errors, /No catalog can be read: olm\/broken .*CatalogUnavailable/);
});

test("--sort-by orders by a column, --fields chooses columns and members of the document", async () => {
  const sorted = await purser([
    "search",
    "--sort-by",
    "provider",
    "--fields",
    "name,provider",
    "--no-headers",
    ...community,
  ]);
  assert.equal(
    sorted.text,
    [
      "nfs-provisioner-operator  Jooho Lee",
      "kubevirt-wol              K4all",
      "libredb-studio-operator   LibreDB",
      "kube-green                kube-green Community",
      `4 of 4 packages, 1 source. More: purser show kube-green ${community.join(" ")}`,
    ].join("\n"),
  );
  const { data } = await purser(["search", "green", "--fields", "latest,name", "-o", "json", ...community]);
  assert.deepEqual((data as { readonly items: unknown }).items, [{ name: "kube-green", latest: "0.7.1" }]);
  assert.match((await purser(["search", "--fields", "help", ...community])).text, /^table {6}name, latest/);
  for (const flags of [
    ["--sort-by", "age"],
    ["--fields", "nane"],
    ["--fields", "name,"],
    ["--fields", "x", "-o", "json"],
  ])
    await assert.rejects(purser(["search", ...flags, ...community]), UsageError, flags.join(" "));
});

test("--list-versions prints every version newest first with its channels, --package takes one name exactly", async () => {
  const { text } = await purser(["search", "--package", "logbook-db", "--list-versions", ...demo]);
  assert.deepEqual(text.split("\n"), [
    "PACKAGE     SOURCE  PROVIDER     VERSION     CHANNELS",
    "logbook-db  demo    Purser demo  2.0.0-rc.1  candidate",
    "logbook-db  demo    Purser demo  1.2.0       candidate,stable",
    "logbook-db  demo    Purser demo  1.1.0       candidate,stable",
    "logbook-db  demo    Purser demo  1.0.0       stable",
  ]);
  const part = await purser(["search", "--package", "logbook", ...demo]);
  assert.equal(part.exitCode, 6);
  assert.match(part.errors, /^failed No package matches the flags {2}PackageNotFound\n/);
});

test("--as-catalog prints the blobs of the found packages, which are a valid catalog", async () => {
  const { exitCode, text } = await purser(["search", "--package", "logbook-db", "--as-catalog", ...demo]);
  assert.equal(exitCode, 0);
  const copy = mkdtempSync(join(directory, "as-catalog-"));
  writeFileSync(join(copy, "catalog.yaml"), text);
  const again = await runPurser(["catalog", "render", copy, "-o", "json"], { env });
  const whole = await runPurser(["catalog", "render", join(product, "demo/default/catalog"), "-o", "json"], { env });
  assert.match(again.text, /"schema": "olm.package",\n {4}"name": "logbook-db"/);
  assert.ok(whole.text.includes(again.text), "the same blobs as in the catalog");
  const json = await purser(["search", "--package", "logbook-db", "--as-catalog", "-o", "json", ...demo]);
  assert.match(json.text, /^\{\n {4}"defaultChannel": "stable"/);
  await assert.rejects(purser(["search", "--as-catalog", "-o", "name", ...demo]), UsageError);
  await assert.rejects(purser(["search", "--as-catalog", "--list-versions", ...demo]), UsageError);
});
