import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { groupResource, parseApiVersion, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import { builtInKinds } from "../kinds/catalogue.ts";
import type { Lookup } from "./lookup.ts";
import type { Pass } from "./runtime.ts";

/**
 * Built-in kinds whose objects can be owned, garbage-collected and deleted with a namespace: one type for each stored
 * table, without events.
 */
export const collectable: readonly ResourceType[] = builtInKinds
  .filter(({ stored, storedAs, type }) => stored && storedAs === type && type.plural !== "events")
  .map(({ type }) => type);

const byKind = new Map(builtInKinds.map(({ type }) => [`${type.group}/${type.kind}`, type]));
const byTable = new Map(collectable.map((type) => [groupResource(type), type]));

const byServedKind: Lookup<CustomResourceDefinition> = {
  type: customResourceDefinitions,
  valuesOf: ({ spec: { group, names } }) => [`${group}/${names.kind}`],
};

/** The definition's type in a served version, preferably the storage version. */
function customType(definition: CustomResourceDefinition): ResourceType | undefined {
  const { group, names, scope, versions } = definition.spec;
  const version = versions.find(({ storage, served }) => storage && served) ?? versions.find(({ served }) => served);
  if (version === undefined) return undefined;
  return { group, version: version.name, kind: names.kind, plural: names.plural, namespaced: scope === "Namespaced" };
}

/** The type that an owner reference refers to; undefined for kinds this server does not serve. */
export function typeOfReference(pass: Pass, apiVersion: string, kind: string): ResourceType | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  const builtIn = byKind.get(`${group}/${kind}`);
  if (builtIn !== undefined) return builtIn.version === version ? builtIn : undefined;
  const [definition] = pass.find(byServedKind, [`${group}/${kind}`]);
  if (definition === undefined) return undefined;
  const served = definition.spec.versions.some(({ name, served: isServed }) => name === version && isServed);
  return served ? customType(definition) : undefined;
}

/** The type of a storage table. */
export function typeOfTable(pass: Pass, table: string): ResourceType | undefined {
  const builtIn = byTable.get(table);
  if (builtIn !== undefined) return builtIn;
  const definition = pass.get(customResourceDefinitions, { name: table });
  return definition === undefined ? undefined : customType(definition);
}

/** All namespaced types that are currently served. */
export function namespacedTypes(pass: Pass): readonly ResourceType[] {
  const custom = pass.list(customResourceDefinitions).flatMap((definition) => customType(definition) ?? []);
  return [...collectable, ...custom].filter(({ namespaced }) => namespaced);
}
