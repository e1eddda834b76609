import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Transport } from "@purser/kubernetes/kube/transport";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import { KeptCatalogs } from "../kept-catalogs.ts";
import { keepServedContent } from "./served-content.ts";

const cacheFolder = mkdtempSync(join(tmpdir(), "purser-served-content-"));
after(() => rmSync(cacheFolder, { recursive: true, force: true }));
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
  keepServedContent(one, { transport, server, cacheFolder }, never);

test("a catalog that a Service of the cluster serves is read through the API server and kept under its digest", async () => {
  const one = catalog("https://catalogd-service.olmv1-system.svc/catalogs/acme");
  assert.equal(new KeptCatalogs(cacheFolder).ofCatalog(one), undefined);
  assert.deepEqual(await keep(one, answering(200)), { ok: true, value: undefined });
  assert.deepEqual(new KeptCatalogs(cacheFolder).ofCatalog(one)?.packages(), ["etcd"]);
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
