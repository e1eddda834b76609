import { createHash } from "node:crypto";
import type { JsonObject } from "@purser/kubernetes/json";
import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import type { Subresource } from "../kinds/built-in-kind.ts";
import type { Registry, ServedGroup, ServedVersion } from "./registry.ts";
import type { ServedKind } from "./served-kind.ts";

/** Kinds whose storageVersionHash is that of another version than the served one. */
const hashedVersions: ReadonlyMap<string, string> = new Map([
  ["apiextensions.k8s.io/CustomResourceDefinition", "v1beta1"],
]);

/** base64 of the first 8 bytes of SHA-256 of `group/version/kind`. */
function storageVersionHash({ storedAs, custom, type }: ServedKind): string {
  const hashed = hashedVersions.get(`${storedAs.group}/${type.kind}`);
  const version = custom?.storageVersion ?? hashed ?? storedAs.version;
  return createHash("sha256")
    .update(`${storedAs.group}/${version}/${type.kind}`)
    .digest()
    .subarray(0, 8)
    .toString("base64");
}

/** The response of `/api`. */
export function coreVersions(serverAddress: string): JsonObject {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

function legacyGroup(group: ServedGroup): JsonObject {
  const versions = group.versions.map((held) => ({ groupVersion: apiVersionOf(held), version: held.version }));
  return { name: group.name, versions, ...(versions[0] === undefined ? {} : { preferredVersion: versions[0] }) };
}

export function groupList(registry: Registry): JsonObject {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: registry.groups.filter(({ name }) => name !== "").map(legacyGroup),
  };
}

export function groupDocument(registry: Registry, name: string): JsonObject | undefined {
  const group = name === "" ? undefined : registry.group(name);
  return group === undefined ? undefined : { kind: "APIGroup", apiVersion: "v1", ...legacyGroup(group) };
}

/** Subresources of built-in kinds by name; of custom resources status first. */
function subresourcesOf({ subresources, custom }: ServedKind): readonly Subresource[] {
  return custom === undefined ? subresources.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : subresources;
}

function legacyEntries(kind: ServedKind): readonly JsonObject[] {
  const { type, singular, shortNames, categories, verbs, stored } = kind;
  return [
    {
      name: type.plural,
      singularName: singular,
      namespaced: type.namespaced,
      kind: type.kind,
      verbs,
      ...(shortNames.length === 0 ? {} : { shortNames }),
      ...(categories.length === 0 ? {} : { categories }),
      ...(stored ? { storageVersionHash: storageVersionHash(kind) } : {}),
    },
    ...subresourcesOf(kind).map((sub) => ({
      name: `${type.plural}/${sub.name}`,
      singularName: "",
      namespaced: type.namespaced,
      ...(sub.kind.group === type.group && sub.kind.version === type.version
        ? {}
        : { group: sub.kind.group, version: sub.kind.version }),
      kind: sub.kind.kind,
      verbs: sub.verbs,
    })),
  ];
}

export function resourceList(registry: Registry, group: string, version: string): JsonObject | undefined {
  const held = registry.group(group)?.versions.find((candidate) => candidate.version === version);
  if (held === undefined) return undefined;
  return {
    kind: "APIResourceList",
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: apiVersionOf(held),
    resources: held.kinds.flatMap(legacyEntries),
  };
}

function aggregatedEntry(kind: ServedKind): JsonObject {
  const { type, singular, shortNames, categories, verbs, custom, subresources } = kind;
  const group = custom === undefined ? "" : type.group;
  const version = custom === undefined ? "" : type.version;
  return {
    resource: type.plural,
    responseKind: { group, version, kind: type.kind },
    scope: type.namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresourcesOf(kind).map((sub) => {
            const same = sub.kind.group === type.group && sub.kind.version === type.version && custom === undefined;
            return {
              subresource: sub.name,
              responseKind: same
                ? { group: "", version: "", kind: sub.kind.kind }
                : { group: sub.kind.group, version: sub.kind.version, kind: sub.kind.kind },
              verbs: sub.verbs,
            };
          }),
        }),
  };
}

function aggregatedVersion({ version, kinds }: ServedVersion): JsonObject {
  return { version, freshness: "Current", resources: kinds.map(aggregatedEntry) };
}

/** Aggregated discovery of `/api` (core) or `/apis`. */
export function aggregatedDiscovery(registry: Registry, core: boolean): JsonObject {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: registry.groups
      .filter(({ name }) => (name === "") === core)
      .map(({ name, versions }) => ({
        metadata: name === "" ? {} : { name },
        versions: versions.map(aggregatedVersion),
      })),
  };
}
