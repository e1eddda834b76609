import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import type { CatalogSource, CatalogSourceSpec, CatalogSourceStatus } from "../../../../apis/v0/catalog-source.ts";
import { sourceKey } from "../../../../catalog/content.ts";
import { bundleRequest, catalogRequest } from "./catalog-request.ts";

function source(spec: Partial<CatalogSourceSpec>, status?: CatalogSourceStatus): CatalogSource {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "CatalogSource",
    metadata: { namespace: "team", name: "cat", creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { sourceType: "grpc", ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

const image = "example.com/cat:v1";
const created = Date.parse("2026-01-01T00:00:00Z");

const sources: readonly (readonly [spec: Partial<CatalogSourceSpec>, source: object | string])[] = [
  [{ image }, { kind: "image", reference: image }],
  [
    { image, grpcPodConfig: { extractContent: { catalogDir: "/catalog", cacheDir: "/cache" } } },
    { kind: "image", reference: image, directory: "/catalog" },
  ],
  [{ image: "local.purser.dev/catalogs/mine:latest" }, { kind: "directory", name: "mine" }],
  [{ image: "local.purser.dev/catalogs/mine" }, { kind: "directory", name: "mine" }],
  [{ image: "local.purser.dev/catalogs/mine:v1" }, { kind: "image", reference: "local.purser.dev/catalogs/mine:v1" }],
  [
    { image, address: "reg:50051" },
    { kind: "image", reference: image },
  ],
  [{ address: "reg:50051" }, { kind: "address", address: "reg:50051" }],
  [{ image: "" }, "image and address unset: at least one must be set for sourcetype: grpc"],
  [
    { sourceType: "configmap", configMap: "cm" },
    { kind: "configMap", namespace: "team", name: "cm" },
  ],
  [
    { sourceType: "internal", configMap: "cm" },
    { kind: "configMap", namespace: "team", name: "cm" },
  ],
  [{ sourceType: "internal" }, "configmap name unset: must be set for sourcetype: internal"],
  [{ sourceType: "x", image }, "unknown sourcetype: x"],
];

for (const [spec, expected] of sources)
  test(`the source of ${JSON.stringify(spec)} is ${JSON.stringify(expected)}`, () => {
    const request = catalogRequest(source(spec));
    assert.deepEqual(request.ok ? request.value.source : request.problem, expected);
  });

test("two directories of one image are two sources", () => {
  const keys = [undefined, "/a", "/b"].map((catalogDir) => {
    const extracted = catalogDir === undefined ? {} : { grpcPodConfig: { extractContent: { catalogDir } } };
    const request = catalogRequest(source({ image, ...extracted }));
    return request.ok ? sourceKey(request.value.source) : request.problem;
  });
  assert.equal(new Set(keys).size, 3);
});

const shown = { connectionState: { address: `${image}@${digestOf("content")}`, lastObservedState: "READY" } } as const;
const polls: readonly (readonly [interval: string, status: CatalogSourceStatus, everyMs: number, lastMs: number])[] = [
  ["10m", shown, 600_000, created],
  ["1h30m0s", { ...shown, latestImageRegistryPoll: "2026-01-01T00:10:00Z" }, 5_400_000, created + 600_000],
  ["soon", shown, 900_000, created],
  ["0s", shown, 900_000, created],
  ["-1m", shown, 900_000, created],
  ["1ms", shown, 1, created],
];

for (const [interval, status, everyMs, lastMs] of polls)
  test(`an image with the interval ${interval} is polled every ${everyMs} ms`, () => {
    const request = catalogRequest(source({ image, updateStrategy: { registryPoll: { interval } } }, status));
    assert.ok(request.ok);
    assert.deepEqual(request.value.poll, { everyMs, jitter: [0.9, 1.1], lastMs });
  });

test("an image that the status does not show is polled at once, whenever another one was", () => {
  const other = { connectionState: { ...shown.connectionState, address: `example.com/other:v1@${digestOf("x")}` } };
  for (const status of [{}, other]) {
    const registryPoll = { updateStrategy: { registryPoll: { interval: "10m" } } };
    const request = catalogRequest(source({ image, ...registryPoll }, status));
    assert.ok(request.ok);
    assert.deepEqual(request.value.poll, { everyMs: 600_000, jitter: [0.9, 1.1] });
  }
});

test("an image whose registryPoll names no interval is polled every 15 minutes", () => {
  const request = catalogRequest(source({ image, updateStrategy: { registryPoll: {} } }, shown));
  assert.ok(request.ok);
  assert.equal(request.value.poll?.everyMs, 900_000);
});

test("only images are polled, and only where registryPoll is set", () => {
  const registryPoll = { updateStrategy: { registryPoll: { interval: "10m" } } };
  for (const spec of [{ image }, { address: "reg:50051", ...registryPoll }]) {
    const request = catalogRequest(source(spec));
    assert.ok(request.ok && request.value.poll === undefined);
  }
});

test("Secrets of the CatalogSource are named for the catalog and its bundles, never read", () => {
  const given = source({ image, secrets: ["pull", "", "other"] });
  const credentials = [
    { namespace: "team", name: "pull" },
    { namespace: "team", name: "other" },
  ];
  const catalog = catalogRequest(given);
  assert.ok(catalog.ok);
  assert.deepEqual([catalog.value.credentials, catalog.value.policy], [credentials, ["catalog/team/cat"]]);
  const bundle = { image: "example.com/a:v1", package: "a", version: "1.0.0" };
  const request = { reference: bundle.image, packageName: "a", version: "1.0.0", policy: ["package/a"] };
  assert.deepEqual(bundleRequest(bundle, given), { ...request, credentials });
  assert.deepEqual(bundleRequest(bundle, undefined), { ...request, credentials: [] });
});

test("the last good content is the digest that the status shows, also behind a reference with a digest", () => {
  const digest = digestOf("content");
  for (const address of [`${image}@${digest}`, `example.com/cat@${digestOf("image")}@${digest}`]) {
    const request = catalogRequest(source({ image }, { connectionState: { address, lastObservedState: "READY" } }));
    assert.ok(request.ok);
    assert.equal(request.value.lastGood, digest);
  }
  const none = catalogRequest(
    source({ image }, { connectionState: { address: image, lastObservedState: "CONNECTING" } }),
  );
  assert.ok(none.ok && none.value.lastGood === undefined);
});
