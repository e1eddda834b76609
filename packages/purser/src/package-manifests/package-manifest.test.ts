import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { PackageManifest } from "../apis/v0/package-manifest.ts";
import { type OfferedPackage, packageManifest, primaryHead } from "./package-manifest.ts";
import { offered, sourceNamed } from "./testing/offers.ts";

const manifestOf = (package_: OfferedPackage): PackageManifest | undefined => {
  const primary = primaryHead(package_);
  return primary === undefined ? undefined : packageManifest(package_, primary);
};
const described = (displayName: string, more: object = {}): object => ({
  displayName,
  provider: { name: "Example", url: "https://example.com" },
  ...more,
});

suite("PackageManifests", () => {
  test("shows everything that OLM's package server shows of a package", () => {
    const metadata = {
      "1.1.0": described("Operator", {
        annotations: { b: "2", a: "1" },
        keywords: ["one"],
        links: [{ name: "Docs", url: "https://docs" }],
        maintainers: [{ name: "M", email: "m@example.com" }],
        maturity: "alpha",
        description: "Long.",
        installModes: [{ type: "AllNamespaces", supported: true }],
        crdDescriptions: {
          owned: [{ name: "as.g", version: "v1", kind: "A", displayName: "An A", specDescriptors: [{ path: "x" }] }],
        },
        apiServiceDefinitions: { required: [{ name: "bs", group: "g", version: "v1", kind: "B", containerPort: 1 }] },
        nativeAPIs: [{ group: "apps", version: "v1", kind: "Deployment" }],
        minKubeVersion: "1.30.0",
      }),
    };
    const icon = { base64data: "PHN2Zy8+", mediatype: "image/svg+xml" };
    assert.deepEqual(
      manifestOf(offered({ defaultChannel: "stable", channels: { stable: ["1.0.0", "1.1.0"] }, metadata, icon })),
      {
        apiVersion: "packages.operators.coreos.com/v1",
        kind: "PackageManifest",
        metadata: {
          name: "pkg",
          namespace: "olm",
          creationTimestamp: "2026-01-01T00:00:00Z",
          labels: {
            catalog: "cat",
            "catalog-namespace": "olm",
            provider: "Example",
            "provider-url": "https://example.com",
            "operatorframework.io/os.linux": "supported",
            "operatorframework.io/arch.amd64": "supported",
          },
        },
        spec: {},
        status: {
          catalogSource: "cat",
          catalogSourceDisplayName: "Catalog cat",
          catalogSourcePublisher: "Example",
          catalogSourceNamespace: "olm",
          provider: { name: "Example", url: "https://example.com" },
          packageName: "pkg",
          channels: [
            {
              name: "stable",
              currentCSV: "pkg.v1.1.0",
              currentCSVDesc: {
                displayName: "Operator",
                icon: [icon],
                version: "1.1.0",
                provider: { name: "Example", url: "https://example.com" },
                annotations: { a: "1", b: "2" },
                keywords: ["one"],
                links: [{ name: "Docs", url: "https://docs" }],
                maintainers: [{ name: "M", email: "m@example.com" }],
                maturity: "alpha",
                description: "Long.",
                installModes: [{ type: "AllNamespaces", supported: true }],
                customresourcedefinitions: { owned: [{ name: "as.g", version: "v1", kind: "A", displayName: "An A" }] },
                apiservicedefinitions: { required: [{ name: "bs", version: "v1", kind: "B", group: "g" }] },
                nativeApis: [{ group: "apps", version: "v1", kind: "Deployment" }],
                minKubeVersion: "1.30.0",
                relatedImages: ["example.com/manager:1.1.0"],
              },
              entries: [
                { name: "pkg.v1.1.0", version: "1.1.0" },
                { name: "pkg.v1.0.0", version: "1.0.0" },
              ],
            },
          ],
          defaultChannel: "stable",
        },
      },
    );
  });

  test("labels of the ClusterServiceVersion win over those of the CatalogSource and its own", () => {
    const labels = { provider: "csv", "operatorframework.io/os.windows": "supported" };
    const metadata = { "1.0.0": described("Operator", { labels }) };
    const source = sourceNamed("cat", {
      labels: { provider: "source", team: "a", "operatorframework.io/arch.arm64": "x" },
    });
    const manifest = manifestOf(
      offered({ defaultChannel: "stable", channels: { stable: ["1.0.0"] }, metadata }, source),
    );
    assert.deepEqual(
      Object.keys(manifest?.metadata.labels ?? {}),
      Object.keys(manifest?.metadata.labels ?? {}).toSorted(),
    );
    assert.deepEqual(manifest?.metadata.labels, {
      provider: "csv",
      team: "a",
      "operatorframework.io/arch.arm64": "x",
      catalog: "cat",
      "catalog-namespace": "olm",
      "provider-url": "https://example.com",
      "operatorframework.io/os.windows": "supported",
    });
  });

  test("leaves out a channel whose head has no ClusterServiceVersion, and takes the first other one as default", () => {
    const metadata = { "1.0.0": described("Beta"), "2.0.0": described("Gamma", { labels: { from: "gamma" } }) };
    const channels = { alpha: ["3.0.0"], gamma: ["2.0.0"], beta: ["1.0.0"] };
    const manifest = manifestOf(offered({ defaultChannel: "alpha", channels, metadata }));
    assert.deepEqual(
      [
        manifest?.status.channels.map(({ name }) => name),
        manifest?.status.defaultChannel,
        manifest?.metadata.labels?.["from"],
      ],
      [["beta", "gamma"], "beta", undefined],
    );
  });

  test("takes provider and labels from the default channel, not from the first", () => {
    const gamma = described("Gamma", { provider: { name: "G" }, labels: { from: "gamma" } });
    const metadata = { "1.0.0": described("Beta"), "2.0.0": gamma };
    const manifest = manifestOf(
      offered({ defaultChannel: "gamma", channels: { gamma: ["2.0.0"], beta: ["1.0.0"] }, metadata }),
    );
    assert.deepEqual(
      [manifest?.status.provider, manifest?.metadata.labels?.["provider-url"], manifest?.metadata.labels?.["from"]],
      [{ name: "G" }, "", "gamma"],
    );
  });

  test("a package without a readable head is no PackageManifest", () => {
    assert.equal(manifestOf(offered({ defaultChannel: "stable", channels: { stable: ["1.0.0"] } })), undefined);
  });

  test("a ClusterServiceVersion that Go cannot decode is no head", () => {
    const good = offered({ defaultChannel: "a", channels: { a: ["1.0.0"] }, metadata: { "1.0.0": described("A") } });
    for (const csvJson of [
      "{",
      "[]",
      '{"spec":{"displayName":1}}',
      '{"spec":{"version":"x"}}',
      '{"spec":{"version":1}}',
    ])
      assert.equal(manifestOf({ ...good, headCsv: () => csvJson }), undefined, csvJson);
    const [channel] =
      manifestOf({ ...good, headCsv: () => '{"metadata":{"name":"n"},"spec":{"version":"v1.2"}}' })?.status.channels ??
      [];
    assert.deepEqual([channel?.currentCSV, channel?.currentCSVDesc.version], ["n", "1.2.0"]);
  });

  test("carries deprecations of the package, its channels and its bundles, and leaves out bundles marked olm.deprecated", () => {
    const deprecations = [
      { reference: { schema: "olm.package" }, message: "no package" },
      { reference: { schema: "olm.channel", name: "stable" }, message: "no channel" },
      { reference: { schema: "olm.bundle", name: "pkg.v1.1.0" }, message: "no bundle" },
    ];
    const properties = { "1.0.0": [{ type: "olm.deprecated", value: {} }] };
    const metadata = { "1.2.0": described("Operator") };
    const channels = { stable: ["1.0.0", "1.1.0", "1.2.0"] };
    const status = manifestOf(
      offered({ defaultChannel: "stable", channels, metadata, properties, deprecations }),
    )?.status;
    assert.deepEqual(
      [status?.deprecation, status?.channels[0]?.deprecation, status?.channels[0]?.entries],
      [
        { message: "no package" },
        { message: "no channel" },
        [
          { name: "pkg.v1.2.0", version: "1.2.0" },
          { name: "pkg.v1.1.0", version: "1.1.0", deprecation: { message: "no bundle" } },
        ],
      ],
    );
  });

  test("lists each image of the containers and the related images once", () => {
    const good = offered({ defaultChannel: "a", channels: { a: ["1.0.0"] }, metadata: { "1.0.0": described("A") } });
    const container = { spec: { template: { spec: { containers: [{ image: "one" }, { image: "two" }] } } } };
    const spec = {
      install: { spec: { deployments: [container] } },
      relatedImages: [{ image: "two" }, { image: "three" }],
    };
    const [channel] = manifestOf({ ...good, headCsv: () => JSON.stringify({ spec }) })?.status.channels ?? [];
    assert.deepEqual(channel?.currentCSVDesc.relatedImages, ["one", "two", "three"]);
    assert.equal(channel?.currentCSVDesc.version, "0.0.0");
  });
});
