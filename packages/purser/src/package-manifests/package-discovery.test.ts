import assert from "node:assert/strict";
import { test } from "node:test";
import { aggregatedDiscovery, groupDocument, groupList, resourceList } from "./package-discovery.ts";

const served = { groupVersion: "packages.operators.coreos.com/v1", version: "v1" };
const group = { name: "packages.operators.coreos.com", versions: [served], preferredVersion: served };

test("discovery lists PackageManifests to get and to list, and their icons to get", () => {
  assert.deepEqual(groupList, { kind: "APIGroupList", apiVersion: "v1", groups: [group] });
  assert.deepEqual(groupDocument, { kind: "APIGroup", apiVersion: "v1", ...group });
  assert.deepEqual(resourceList, {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: served.groupVersion,
    resources: [
      {
        name: "packagemanifests",
        singularName: "packagemanifest",
        namespaced: true,
        kind: "PackageManifest",
        verbs: ["get", "list"],
      },
      {
        name: "packagemanifests/icon",
        singularName: "",
        namespaced: true,
        kind: "PackageManifest",
        verbs: ["get"],
      },
    ],
  });
});

test("aggregated discovery lists the same", () => {
  const responseKind = { group: group.name, version: "v1", kind: "PackageManifest" };
  assert.deepEqual(aggregatedDiscovery, {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: [
      {
        metadata: { name: group.name, creationTimestamp: null },
        versions: [
          {
            version: "v1",
            freshness: "Current",
            resources: [
              {
                resource: "packagemanifests",
                responseKind,
                scope: "Namespaced",
                singularResource: "packagemanifest",
                verbs: ["get", "list"],
                subresources: [{ subresource: "icon", responseKind, verbs: ["get"] }],
              },
            ],
          },
        ],
      },
    ],
  });
});
