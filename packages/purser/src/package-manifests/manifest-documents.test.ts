import assert from "node:assert/strict";
import { test } from "node:test";
import type { PackageManifest } from "../apis/v0/package-manifest.ts";
import { documentsOfManifests } from "./manifest-documents.ts";

test("a PackageManifest becomes a package whose channels have the same heads, versions, APIs and deprecations", () => {
  const manifest = {
    apiVersion: "packages.operators.coreos.com/v1",
    kind: "PackageManifest",
    metadata: { name: "etcd" },
    spec: {},
    status: {
      catalogSource: "community",
      catalogSourceDisplayName: "",
      catalogSourcePublisher: "",
      catalogSourceNamespace: "olm",
      provider: { name: "CoreOS" },
      packageName: "etcd",
      deprecation: { message: "use another one" },
      defaultChannel: "stable",
      channels: [
        {
          name: "stable",
          currentCSV: "etcd.v0.9.4",
          deprecation: {},
          currentCSVDesc: {
            displayName: "etcd",
            version: "0.9.4",
            provider: { name: "CoreOS" },
            customresourcedefinitions: {
              owned: [{ name: "etcdclusters.etcd.database.coreos.com", version: "v1beta2", kind: "EtcdCluster" }],
              required: [{ name: "backups.example.com", version: "v1", kind: "Backup" }],
            },
            apiservicedefinitions: {},
            relatedImages: ["quay.io/coreos/etcd@sha256:aa"],
          },
          entries: [
            { name: "etcd.v0.9.4", version: "0.9.4" },
            { name: "etcd.v0.9.2", version: "0.9.2" },
          ],
        },
        {
          name: "alone",
          currentCSV: "etcd.v0.9.2",
          currentCSVDesc: {
            version: "0.9.2",
            provider: {},
            customresourcedefinitions: {},
            apiservicedefinitions: {},
          },
          entries: [],
        },
      ],
    },
  } as const satisfies PackageManifest;
  const property = (version: string) => ({ type: "olm.package", value: { packageName: "etcd", version } });
  assert.deepEqual(documentsOfManifests([manifest]), [
    { schema: "olm.package", name: "etcd", defaultChannel: "stable" },
    {
      schema: "olm.channel",
      package: "etcd",
      name: "stable",
      entries: [{ name: "etcd.v0.9.4", skips: ["etcd.v0.9.2"] }, { name: "etcd.v0.9.2" }],
    },
    { schema: "olm.channel", package: "etcd", name: "alone", entries: [{ name: "etcd.v0.9.2" }] },
    {
      schema: "olm.bundle",
      package: "etcd",
      name: "etcd.v0.9.4",
      image: "",
      properties: [
        property("0.9.4"),
        { type: "olm.gvk", value: { group: "etcd.database.coreos.com", version: "v1beta2", kind: "EtcdCluster" } },
        { type: "olm.gvk.required", value: { group: "example.com", version: "v1", kind: "Backup" } },
        {
          type: "olm.csv.metadata",
          value: {
            displayName: "etcd",
            provider: { name: "CoreOS" },
            crdDescriptions: manifest.status.channels[0].currentCSVDesc.customresourcedefinitions,
            apiServiceDefinitions: {},
          },
        },
      ],
      relatedImages: [{ name: "", image: "quay.io/coreos/etcd@sha256:aa" }],
    },
    {
      schema: "olm.bundle",
      package: "etcd",
      name: "etcd.v0.9.2",
      image: "",
      properties: [
        property("0.9.2"),
        { type: "olm.csv.metadata", value: { provider: {}, crdDescriptions: {}, apiServiceDefinitions: {} } },
      ],
    },
    {
      schema: "olm.deprecations",
      package: "etcd",
      entries: [
        { reference: { schema: "olm.package" }, message: "use another one" },
        { reference: { schema: "olm.channel", name: "stable" }, message: "" },
      ],
    },
  ]);
});
