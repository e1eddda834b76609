import type { JsonObject } from "@purser/kubernetes/json";
import { packagesGroup, packagesVersion } from "../apis/v0/package-manifest.ts";
import { plural } from "./package-request.ts";

const verbs = ["get", "list"];
const groupVersion = { groupVersion: `${packagesGroup}/${packagesVersion}`, version: packagesVersion };
const group = { name: packagesGroup, versions: [groupVersion], preferredVersion: groupVersion };

/** Discovery of `/apis`, as clients from before aggregated discovery read it. */
export const groupList: JsonObject = { kind: "APIGroupList", apiVersion: "v1", groups: [group] };

/** Discovery of the group. */
export const groupDocument: JsonObject = { kind: "APIGroup", apiVersion: "v1", ...group };

/** Discovery of the version. */
export const resourceList: JsonObject = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: groupVersion.groupVersion,
  resources: [
    { name: plural, singularName: "packagemanifest", namespaced: true, kind: "PackageManifest", verbs },
    { name: `${plural}/icon`, singularName: "", namespaced: true, kind: "PackageManifest", verbs: ["get"] },
  ],
};

const responseKind = { group: packagesGroup, version: packagesVersion, kind: "PackageManifest" };

/** Aggregated discovery of `/apis`. */
export const aggregatedDiscovery: JsonObject = {
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  metadata: {},
  items: [
    {
      metadata: { name: packagesGroup, creationTimestamp: null },
      versions: [
        {
          version: packagesVersion,
          freshness: "Current",
          resources: [
            {
              resource: plural,
              responseKind,
              scope: "Namespaced",
              singularResource: "packagemanifest",
              verbs,
              subresources: [{ subresource: "icon", responseKind, verbs: ["get"] }],
            },
          ],
        },
      ],
    },
  ],
};
