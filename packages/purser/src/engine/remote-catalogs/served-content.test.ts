import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { ApiRefusedError, refusalOf } from "@purser/kubernetes/kube/refusal";
import type { Transport } from "@purser/kubernetes/kube/transport";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import { KeptCatalogs } from "../kept-catalogs.ts";
import type { CatalogSource } from "../../apis/v0/catalog-source.ts";
import { ManifestContent } from "./manifest-content.ts";
import { keepServedContent } from "./served-content.ts";

const cacheDirectory = mkdtempSync(join(tmpdir(), "purser-served-content-"));
after(() => rmSync(cacheDirectory, { recursive: true, force: true }));
const never = new AbortController().signal;
const digest = `sha256:${"a".repeat(64)}`;

const catalog = (base: string | undefined, ref = `quay.io/acme/catalog@${digest}`): ClusterCatalog =>
  ({
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterCatalog",
    metadata: { name: "acme" },
    spec: { source: { type: "Image", image: { ref: "quay.io/acme/catalog:v1" } } },
    status: { resolvedSource: { type: "Image", image: { ref } }, ...(base === undefined ? {} : { urls: { base } }) },
  }) as ClusterCatalog;

const content = [
  { schema: "olm.package", name: "etcd", defaultChannel: "stable" },
  { schema: "olm.channel", package: "etcd", name: "stable", entries: [{ name: "etcd.v1.0.0" }] },
  {
    schema: "olm.bundle",
    package: "etcd",
    name: "etcd.v1.0.0",
    image: "quay.io/acme/etcd@sha256:bb",
    properties: [{ type: "olm.package", value: { packageName: "etcd", version: "1.0.0" } }],
  },
]
  .map((one) => JSON.stringify(one))
  .join("\n");

const asked: string[] = [];
const answering =
  (status: number): Transport =>
  async ({ path }) => {
    asked.push(path);
    return { status, headers: {}, body: { kind: "bytes", bytes: new TextEncoder().encode(content) } };
  };
const keep = (one: ClusterCatalog, transport: Transport, server = "https://10.0.0.1:6443") =>
  keepServedContent(one, { transport, server, cacheDirectory }, never);

test("a catalog that a Service of the cluster serves is read through the API server and kept under its digest", async () => {
  const one = catalog("https://catalogd-service.olmv1-system.svc/catalogs/acme");
  assert.equal(new KeptCatalogs(cacheDirectory).ofCatalog(one), undefined);
  assert.deepEqual(await keep(one, answering(200)), { ok: true, value: undefined });
  assert.deepEqual(new KeptCatalogs(cacheDirectory).ofCatalog(one)?.packages(), ["etcd"]);
  await keep(catalog("http://purser-catalogs.purser.svc.cluster.local:8080/catalogs/acme"), answering(404));
  assert.deepEqual(asked, [
    "/api/v1/namespaces/olmv1-system/services/https:catalogd-service:443/proxy/catalogs/acme/api/v1/all",
    "/api/v1/namespaces/purser/services/http:purser-catalogs:8080/proxy/catalogs/acme/api/v1/all",
  ]);
});

test("why a catalog of the cluster is not read", async () => {
  const inCluster = "https://catalogd-service.olmv1-system.svc/catalogs/acme";
  const cases: readonly (readonly [ClusterCatalog, number, string])[] = [
    [catalog(undefined), 200, "the cluster does not serve it"],
    [catalog(inCluster, "quay.io/acme/catalog:v1"), 200, "the cluster does not serve it"],
    [catalog(inCluster), 403, "you may not get services/proxy of catalogd-service in namespace olmv1-system"],
    [catalog(inCluster), 503, "Service olmv1-system/catalogd-service answered with 503 through the API server"],
    [
      catalog("http://127.0.0.1:7444/catalogs/acme"),
      200,
      "it is served on 127.0.0.1:7444, an address of another machine",
    ],
  ];
  for (const [one, status, why] of cases)
    assert.deepEqual(await keep(one, answering(status)), { ok: false, problem: why });
  const refused = await keep(catalog("http://127.0.0.1:1/catalogs/acme"), answering(200), "https://127.0.0.1:6443");
  assert.ok(!refused.ok);
  assert.match(refused.problem, /^http:\/\/127\.0\.0\.1:1\/catalogs\/acme\/api\/v1\/all does not answer/);
});

test("a catalog of more than the limit is not kept, and nothing of it stays in the cache", async () => {
  const own = mkdtempSync(join(tmpdir(), "purser-served-limit-"));
  after(() => rmSync(own, { recursive: true, force: true }));
  const one = catalog("https://catalogd-service.olmv1-system.svc/catalogs/acme");
  const access = { transport: answering(200), server: "https://10.0.0.1:6443", cacheDirectory: own };
  const tooLarge = await keepServedContent(one, { ...access, mostBytes: content.length - 1 }, never);
  assert.deepEqual(tooLarge, { ok: false, problem: `it is larger than ${content.length - 1} bytes` });
  assert.equal(new KeptCatalogs(own).ofCatalog(one), undefined);
  const files = readdirSync(own, { recursive: true }).filter((name) => String(name).endsWith(".jsonl"));
  assert.deepEqual(files, []);
  assert.ok((await keepServedContent(one, { ...access, mostBytes: content.length }, never)).ok);
});

test("a server that stops in the middle of a catalog is given up after 15 seconds without a byte", async () => {
  const silent = createServer((_request, response) => {
    response.write(content.slice(0, 10));
  });
  await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
  after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const clock = new VirtualClock();
  const one = catalog(`http://127.0.0.1:${port}/catalogs/acme`);
  const access = { transport: answering(200), server: "https://127.0.0.1:6443", cacheDirectory, clock };
  const kept = keepServedContent(one, access, never);
  const answered = new AbortController();
  void kept.finally(() => answered.abort());
  // Each wait begins when the one before has ended.
  while (!answered.signal.aborted) {
    clock.advance(15_000);
    await new Promise((turn) => setTimeout(turn, 20));
  }
  const found = await kept;
  assert.ok(!found.ok);
  assert.match(found.problem, /nothing came for 15 s/);
});

const source = (name: string, namespace = "olm") => ({ metadata: { namespace, name } }) as unknown as CatalogSource;
const manifest = (packageName: string, catalogSource: string, catalogSourceNamespace = "olm") => ({
  kind: "PackageManifest",
  metadata: { name: packageName },
  status: {
    catalogSource,
    catalogSourceNamespace,
    packageName,
    defaultChannel: "stable",
    channels: [
      {
        name: "stable",
        currentCSV: `${packageName}.v1.0.0`,
        currentCSVDesc: {
          version: "1.0.0",
          customresourcedefinitions: {},
          apiservicedefinitions: {},
          relatedImages: [],
        },
        entries: [],
      },
    ],
  },
});
const readerOf = (list: () => Promise<unknown>): { readonly reader: ObjectReader; readonly asked: unknown[] } => {
  const lists: unknown[] = [];
  const reader = {
    list: (type: unknown) => {
      lists.push(type);
      return list();
    },
  } as unknown as ObjectReader;
  return { reader, asked: lists };
};

test("the package API is asked once, and its answer for a CatalogSource is kept as an index", async () => {
  const own = mkdtempSync(join(tmpdir(), "purser-manifests-"));
  after(() => rmSync(own, { recursive: true, force: true }));
  const all = [manifest("kiln", "a"), manifest("clay", "a"), manifest("pots", "b"), manifest("kiln", "a", "other")];
  const { reader, asked: lists } = readerOf(() => Promise.resolve(all));
  const content = new ManifestContent(reader, { cacheDirectory: own });
  const packages = async (of: ManifestContent, name: string, namespace?: string) => {
    const found = await of.of(source(name, namespace), never);
    return found.ok ? found.value.packages() : found.problem;
  };
  assert.deepEqual(await packages(content, "a"), ["clay", "kiln"]);
  assert.deepEqual(await packages(content, "a", "other"), ["kiln"]);
  assert.equal(await packages(content, "c"), "the package API has no package of it");
  assert.deepEqual(lists, [
    {
      group: "packages.operators.coreos.com",
      version: "v1",
      kind: "PackageManifest",
      plural: "packagemanifests",
      namespaced: true,
    },
  ]);
  // Nothing is built again for the same text: the builder does not exist.
  const again = new ManifestContent(reader, { cacheDirectory: own, builder: "/no/builder" });
  assert.deepEqual(await packages(again, "a"), ["clay", "kiln"]);
  assert.match(String(await packages(again, "b")), /^the index builder ended with 1/);
});

test("why the package API says nothing", async () => {
  const refusing = (code: number, reason: string) => new ApiRefusedError(refusalOf({ code, reason, message: reason }));
  const cases: readonly (readonly [unknown, string])[] = [
    [refusing(404, "NotFound"), "the cluster has no package API"],
    [refusing(403, "Forbidden"), "you may not list packagemanifests"],
    [refusing(503, "ServiceUnavailable"), "the package API does not answer: ServiceUnavailable"],
    ["broken", "the package API does not answer: broken"],
  ];
  for (const [error, problem] of cases) {
    const { reader } = readerOf(() => Promise.reject(error as Error));
    assert.deepEqual(await new ManifestContent(reader, { cacheDirectory }).of(source("a"), never), {
      ok: false,
      problem,
    });
  }
});
