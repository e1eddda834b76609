import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client, credentials } from "@grpc/grpc-js";
import { openIndex, type StoredIndex } from "../../catalog-store/open.ts";
import { writeIndex } from "../../catalog-store/write-index.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { etcdCatalog } from "../testing/etcd-catalog.ts";
import { grpcClient, type GrpcClient, reflect } from "../testing/grpc-client.ts";
import { type RegistryServer, serveRegistry } from "./registry-server.ts";

const root = mkdtempSync(join(tmpdir(), "purser-registry-"));
let index: StoredIndex;
let server: RegistryServer;
let client: GrpcClient;

before(async () => {
  mkdirSync(join(root, "catalog"));
  const lines = etcdCatalog.map((blob) => JSON.stringify(blob).replace("9007199254740992", "9007199254740993"));
  writeFileSync(join(root, "catalog", "all.json"), lines.join("\n"));
  const written = writeIndex(join(root, "catalog"), join(root, "indexes"));
  assert.ok(written.ok, JSON.stringify(written));
  const opened = openIndex(written.value.file);
  assert.ok(opened.ok);
  index = opened.value;
  const started = await serveRegistry({ index: () => index, clock: systemClock }, { host: "127.0.0.1", port: 0 });
  assert.ok(started.ok);
  server = started.value;
  client = grpcClient(server.address);
});

after(async () => {
  client.close();
  await server.stop(100);
  index.close();
  rmSync(root, { recursive: true, force: true });
});

async function all(method: string, request: JsonObject = {}): Promise<readonly JsonObject[]> {
  const { code, message, responses } = await client.call(`api.Registry.${method}`, request);
  assert.equal(code, "OK", message);
  return responses;
}

async function one(method: string, request: JsonObject): Promise<JsonObject> {
  const [response] = await all(method, request);
  assert.ok(response !== undefined);
  return response;
}

async function refused(method: string, request: JsonObject): Promise<string> {
  const { code, message } = await client.call(`api.Registry.${method}`, request);
  assert.equal(code, "Unknown");
  return message;
}

const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");
const etcd = { pkgName: "etcd", channelName: "singlenamespace-alpha" };
const backup = { group: "etcd.database.coreos.com", version: "v1beta2", kind: "EtcdBackup" };
const edges = (entries: readonly JsonObject[]): readonly string[] =>
  entries.map(({ channelName, bundleName, replaces = "" }) =>
    [channelName, bundleName, replaces].map(textOf).join(" ").replaceAll("etcdoperator.v", "").trim(),
  );

test("every package is listed once, and a package shows its channels with heads and deprecations", async () => {
  assert.deepEqual(await all("ListPackages"), [{ name: "cockroachdb" }, { name: "etcd" }]);
  assert.deepEqual(await one("GetPackage", { name: "etcd" }), {
    name: "etcd",
    channels: [
      { name: "clusterwide-alpha", csvName: "etcdoperator.v0.9.4-clusterwide" },
      { name: "singlenamespace-alpha", csvName: "etcdoperator.v0.9.4" },
    ],
    defaultChannelName: "singlenamespace-alpha",
  });
  assert.deepEqual(await one("GetPackage", { name: "cockroachdb" }), {
    name: "cockroachdb",
    channels: [
      { name: "stable-5.x", csvName: "cockroachdb.v5.0.0", deprecation: { message: "the channel is deprecated" } },
      { name: "stable-v6.x", csvName: "cockroachdb.v6.0.0" },
    ],
    defaultChannelName: "stable-v6.x",
    deprecation: { message: "the package is deprecated" },
  });
});

test("a missing package, a missing channel and a missing bundle have different errors", async () => {
  assert.equal(await refused("GetPackage", { name: "__proto__" }), 'package "__proto__" not found');
  assert.equal(await refused("GetBundle", { ...etcd, pkgName: "no" }), 'package "no" not found');
  assert.equal(await refused("GetBundle", { ...etcd, channelName: "no" }), 'package "etcd", channel "no" not found');
  const message = 'package "etcd", channel "singlenamespace-alpha", bundle "no" not found';
  assert.equal(await refused("GetBundle", { ...etcd, csvName: "no" }), message);
  const unquoted = await refused("GetBundleThatReplaces", { ...etcd, pkgName: "no", csvName: "x" });
  assert.equal(unquoted, "package no not found");
});

test("one bundle comes with its manifests and without replaces and skips", async () => {
  const found = await one("GetBundle", { ...etcd, csvName: "etcdoperator.v0.9.2" });
  assert.match(textOf(found["csvJson"]), /"name":"etcdoperator\.v0\.9\.2"/);
  assert.equal((found["object"] as readonly string[]).length, 2);
  assert.equal(found["replaces"] ?? found["skips"], undefined);
  const head = await one("GetBundleForChannel", etcd);
  assert.equal(head["csvName"], "etcdoperator.v0.9.4");
  assert.ok(head["csvJson"] !== undefined && head["replaces"] === undefined);
  const bare = await one("GetBundleForChannel", { pkgName: "cockroachdb", channelName: "stable-5.x" });
  assert.equal(bare["csvJson"] ?? bare["object"], undefined);
});

test("entries that replace a name are found in all channels, and their absence is an error", async () => {
  const found = await all("GetChannelEntriesThatReplace", { csvName: "etcdoperator.v0.9.0" });
  assert.deepEqual(edges(found), ["clusterwide-alpha 0.9.2-clusterwide 0.9.0", "singlenamespace-alpha 0.9.2 0.9.0"]);
  const message = await refused("GetChannelEntriesThatReplace", { csvName: "etcdoperator.v0.9.4" });
  assert.equal(message, "no channel entries found that replace etcdoperator.v0.9.4");
});

test("a replacement is found for a bundle and for a skipped name that does not exist", async () => {
  for (const version of ["0.9.0", "0.9.1"]) {
    const found = await one("GetBundleThatReplaces", { ...etcd, csvName: `etcdoperator.v${version}` });
    assert.equal(found["csvName"], "etcdoperator.v0.9.2");
  }
  const none = await refused("GetBundleThatReplaces", { ...etcd, csvName: "etcdoperator.v0.9.4" });
  assert.equal(none, 'no entry found for package "etcd", channel "singlenamespace-alpha"');
  assert.equal((await one("GetBundleThatReplaces", { ...etcd, csvName: "" }))["csvName"], "etcdoperator.v0.9.0");
});

test("all providers come with one more entry for each name that they skip", async () => {
  assert.deepEqual(edges(await all("GetChannelEntriesThatProvide", { ...backup, plural: "ignored" })), [
    "clusterwide-alpha 0.9.4-clusterwide 0.9.2-clusterwide",
    "clusterwide-alpha 0.9.2-clusterwide 0.9.0",
    "clusterwide-alpha 0.9.2-clusterwide 0.6.1",
    "clusterwide-alpha 0.9.0",
    "singlenamespace-alpha 0.9.4 0.9.2",
    "singlenamespace-alpha 0.9.2 0.9.0",
    "singlenamespace-alpha 0.9.2 0.9.1",
    "singlenamespace-alpha 0.9.0",
  ]);
  const message = await refused("GetChannelEntriesThatProvide", { ...backup, version: "v2" });
  assert.equal(
    message,
    'no channel entries found that provide group:"etcd.database.coreos.com" version:"v2" kind:"EtcdBackup"',
  );
});

test("the latest providers are channel heads, the default one is of the default channel", async () => {
  assert.deepEqual(edges(await all("GetLatestChannelEntriesThatProvide", backup)), [
    "clusterwide-alpha 0.9.4-clusterwide 0.9.2-clusterwide",
    "singlenamespace-alpha 0.9.4 0.9.2",
  ]);
  const found = await one("GetDefaultBundleThatProvides", backup);
  assert.deepEqual([found["csvName"], found["channelName"]], ["etcdoperator.v0.9.4", "singlenamespace-alpha"]);
});

test("ListBundles returns each bundle once for each channel, without manifests when it has an image", async () => {
  const found = await all("ListBundles");
  assert.deepEqual(
    found.map(({ channelName, csvName }) => `${textOf(channelName)} ${textOf(csvName)}`),
    [
      "clusterwide-alpha etcdoperator.v0.9.0",
      "clusterwide-alpha etcdoperator.v0.9.2-clusterwide",
      "clusterwide-alpha etcdoperator.v0.9.4-clusterwide",
      "singlenamespace-alpha etcdoperator.v0.9.0",
      "singlenamespace-alpha etcdoperator.v0.9.2",
      "singlenamespace-alpha etcdoperator.v0.9.4",
      "stable-5.x cockroachdb.v5.0.0",
      "stable-v6.x cockroachdb.v6.0.0",
    ],
  );
  for (const { bundlePath, csvJson, object } of found) {
    assert.equal(csvJson === undefined, bundlePath !== undefined);
    assert.equal(object === undefined, bundlePath !== undefined);
  }
  const clusterwide = found.find(({ csvName }) => csvName === "etcdoperator.v0.9.2-clusterwide");
  assert.equal(clusterwide?.["replaces"], "etcdoperator.v0.9.0");
  assert.deepEqual(clusterwide["skips"], ["etcdoperator.v0.6.1", "etcdoperator.v0.9.0"]);
});

test("a deprecation is returned only for the bundle that has one", async () => {
  const listed = await all("ListBundles");
  const deprecated = listed.filter(({ deprecation }) => deprecation !== undefined);
  assert.deepEqual(
    deprecated.map(({ csvName, deprecation }) => [csvName, deprecation]),
    [["cockroachdb.v5.0.0", { message: "the bundle is deprecated" }]],
  );
});

test("a bundle with CSV metadata only is returned with a generated ClusterServiceVersion as its only object", async () => {
  const found = await one("GetBundle", {
    pkgName: "cockroachdb",
    channelName: "stable-v6.x",
    csvName: "cockroachdb.v6.0.0",
  });
  const text = textOf(found["csvJson"]);
  assert.deepEqual(found["object"], [text]);
  const csv: unknown = JSON.parse(text);
  assert.ok(isJsonObject(csv) && isJsonObject(csv["spec"]));
  assert.equal(csv["spec"]["version"], "6.0.0");
  assert.equal(csv["spec"]["description"], "a <database>");
  assert.deepEqual(csv["spec"]["relatedImages"], [{ name: "db", image: "registry.example.com/db:1" }]);
  assert.deepEqual(csv["spec"]["install"], { strategy: "deployment", spec: { deployments: null } });
  assert.match(text, /"a":"\\u003cb\\u003e"/);
});

test("required packages and APIs become dependencies", async () => {
  const found = await one("GetBundle", { ...etcd, csvName: "etcdoperator.v0.9.2" });
  assert.deepEqual(found["dependencies"], [
    { type: "olm.package", value: '{"packageName":"cockroachdb","version":">=5.0.0 <6"}' },
    { type: "olm.gvk", value: '{"group":"testapi.coreos.com","kind":"testapi","version":"v1"}' },
  ]);
  assert.deepEqual(found["requiredApis"], [{ group: "testapi.coreos.com", version: "v1", kind: "testapi" }]);
});

async function custom(
  request: JsonObject,
  acknowledged = true,
): Promise<{ code: string; message: string; names: string }> {
  const metadata = acknowledged ? ([["x-acknowledge-experimental", "true"]] as const) : [];
  const method = "api.ExperimentalRegistry.ExperimentalListPackageCustomSchemas";
  const { code, message, responses } = await client.call(method, request, metadata);
  return { code, message, names: responses.map(({ name }) => textOf(name)).join(" ") };
}

test("custom blobs are found by schema and package, and only with the acknowledging metadata key", async () => {
  const ok = (names: string): object => ({ code: "OK", message: "", names });
  assert.deepEqual(await custom({ schema: "acme.note", packageName: "etcd" }), { ...ok("one two") });
  assert.deepEqual((await custom({ schema: "acme.note", packageName: "etcd" }, false)).names, "");
  assert.deepEqual((await custom({ schema: "acme.note" })).names, "free");
  assert.deepEqual((await custom({ schema: "acme.note", packageName: "loom" })).names, "");
  assert.deepEqual((await custom({ schema: "olm.bundle", packageName: "etcd" })).names, "");
  for (const schema of ["../x", "a/b", ".a"]) {
    const { code, message } = await custom({ schema, packageName: "etcd" });
    assert.equal(code, "InvalidArgument");
    const must = "must match ^[a-zA-Z0-9][a-zA-Z0-9._-]*$";
    assert.equal(message, `invalid custom schema query: invalid schema "${schema}": ${must}`);
  }
  assert.deepEqual(await custom({}), { code: "InvalidArgument", message: "schema is required", names: "" });
});

test("a custom blob keeps its shape; its numbers are doubles", async () => {
  const [first] = (
    await client.call(
      "api.ExperimentalRegistry.ExperimentalListPackageCustomSchemas",
      { schema: "acme.note", packageName: "etcd" },
      [["x-acknowledge-experimental", "true"]],
    )
  ).responses;
  assert.deepEqual(first?.["list"], [1, "x", null, { deep: true }]);
  assert.equal(first["size"], 2 ** 53);
});

test("every service is reported as serving, and Watch is refused", async () => {
  for (const service of ["", "api.Registry", "nonsense"])
    assert.deepEqual((await client.call("grpc.health.v1.Health.Check", { service })).responses, [
      { status: "SERVING" },
    ]);
  assert.equal((await client.call("grpc.health.v1.Health.Watch", {})).code, "Unimplemented");
});

for (const version of ["v1", "v1alpha"] as const)
  test(`a client can call the services that it discovers over reflection ${version}`, async () => {
    const { services, files } = await reflect(server.address, version);
    assert.deepEqual(services, [
      "api.ExperimentalRegistry",
      "api.Registry",
      "grpc.health.v1.Health",
      "grpc.reflection.v1.ServerReflection",
      "grpc.reflection.v1alpha.ServerReflection",
    ]);
    const learned = grpcClient(server.address, files);
    const { responses } = await learned.call("api.Registry.GetBundleForChannel", etcd);
    assert.equal(responses[0]?.["csvName"], "etcdoperator.v0.9.4");
    learned.close();
  });

test("while there is no index, a call fails with a retryable status", async () => {
  const empty = await serveRegistry({ index: () => undefined, clock: systemClock }, { host: "127.0.0.1", port: 0 });
  assert.ok(empty.ok);
  const other = grpcClient(empty.value.address);
  assert.equal((await other.call("api.Registry.ListPackages", {})).code, "Unavailable");
  other.close();
  await empty.value.stop(100);
});

test("a stream whose index is closed ends with a retryable status", async () => {
  const opened = openIndex(index.file);
  assert.ok(opened.ok);
  const closing: StoredIndex = Object.create(opened.value, {
    listedBundles: {
      value: function* () {
        yield* [...opened.value.listedBundles()].slice(0, 2);
        opened.value.close();
        yield* opened.value.listedBundles();
      },
    },
  }) as StoredIndex;
  const started = await serveRegistry({ index: () => closing, clock: systemClock }, { host: "127.0.0.1", port: 0 });
  assert.ok(started.ok);
  const other = grpcClient(started.value.address);
  const { code, message } = await other.call("api.Registry.ListBundles", {});
  assert.equal(code, "Unavailable");
  assert.match(message, /closed/);
  other.close();
  await started.value.stop(100);
});

test("a stream pauses while its client does not read, and ends when the client disconnects", async () => {
  let sent = 0;
  let ended = false;
  const endless: StoredIndex = Object.create(index, {
    listedBundles: {
      value: function* () {
        try {
          for (; sent < 5000; sent++) yield new Uint8Array(64 * 1024);
        } finally {
          ended = true;
        }
      },
    },
  }) as StoredIndex;
  const started = await serveRegistry({ index: () => endless, clock: systemClock }, { host: "127.0.0.1", port: 0 });
  assert.ok(started.ok);
  const slow = new Client(started.value.address, credentials.createInsecure());
  const asIs = (bytes: Buffer): Buffer => bytes;
  const stream = slow.makeServerStreamRequest("/api.Registry/ListBundles", asIs, asIs, Buffer.alloc(0));
  stream.on("error", () => undefined);
  await new Promise((resolve) => stream.once("readable", resolve));
  const { signal } = new AbortController();
  for (let before = -1; before !== sent;) {
    before = sent;
    await systemClock.sleep(100, signal);
  }
  assert.ok(sent > 0 && sent < 500, `${sent} messages of 64 KiB left while nobody read`);
  stream.cancel();
  while (!ended) await systemClock.sleep(20, signal);
  slow.close();
  await started.value.stop(100);
});

test("a port that is in use is returned as a problem", async () => {
  const taken = await serveRegistry(
    { index: () => index, clock: systemClock },
    { host: "127.0.0.1", port: server.port },
  );
  assert.ok(!taken.ok);
  assert.match(taken.problem, /EADDRINUSE|No address added/);
});
