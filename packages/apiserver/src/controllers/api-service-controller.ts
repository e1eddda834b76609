import type { JsonObject } from "@purser/kubernetes/json";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { apiServices, customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { builtInKinds } from "../kinds/catalogue.ts";
import { priorityOf } from "../registry/group-priority.ts";
import { Excerpts, type Lookup } from "./lookup.ts";
import type { BuiltInController, Pass } from "./runtime.ts";

const managed = "kube-aggregator.kubernetes.io/automanaged";

function apiService(group: string, version: string, management: "onstart" | "true"): JsonObject {
  const priority = priorityOf(group);
  return {
    kind: "APIService",
    apiVersion: "apiregistration.k8s.io/v1",
    metadata: { name: `${version}.${group}`, labels: { [managed]: management } },
    spec: {
      ...(group === "" ? {} : { group }),
      version,
      groupPriorityMinimum: Math.min(priority.group, 18_000),
      versionPriority: priority.version,
    },
  };
}

/** One APIService for each built-in group and version, created at bootstrap; apiregistration.k8s.io has none. */
export function builtInApiServices(): readonly JsonObject[] {
  const found = new Map(
    builtInKinds.map(({ type: { group, version } }) => [`${version}.${group}`, { group, version }]),
  );
  found.delete("v1.apiregistration.k8s.io");
  return [...found.values()].map(({ group, version }) => apiService(group, version, "onstart"));
}

const byGroup: Lookup<CustomResourceDefinition> = {
  type: customResourceDefinitions,
  valuesOf: ({ spec }) => [spec.group],
};

/** Excerpts avoid reading every (large) definition again for each new one. */
const namesOnly = new Excerpts<CustomResourceDefinition>(({ apiVersion, kind, metadata, spec }) => ({
  apiVersion,
  kind,
  metadata: { name: metadata.name ?? "" },
  spec: { ...spec, versions: spec.versions.map(({ name, served, storage }) => ({ name, served, storage })) },
}));

/** Versions of a group that some definition serves. */
function servedVersions(group: string, pass: Pass): ReadonlySet<string> {
  const served = new Set<string>();
  for (const version of pass.versions(byGroup, [group])) {
    const { spec } = namesOnly.of(version);
    if (spec.group !== group) continue;
    for (const { name, served: isServed } of spec.versions) if (isServed) served.add(name);
  }
  return served;
}

/**
 * Creates an APIService for every version served by definitions, and deletes those it created when the version is no
 * longer served.
 */
export const apiServiceController: BuiltInController = {
  name: "crd-registration",
  watches: [
    {
      table: "customresourcedefinitions.apiextensions.k8s.io",
      keys: ({ before, after }) => {
        const groups = [before, after].map((held) => (held?.spec as { group?: string } | undefined)?.group);
        return groups.filter((group) => group !== undefined);
      },
    },
    {
      table: "apiservices.apiregistration.k8s.io",
      keys: ({ key, after }) => (after === undefined ? [key.slice(key.indexOf(".") + 1)] : []),
    },
  ],
  reconcile: async (group, pass) => {
    const served = servedVersions(group, pass);
    for (const version of served) {
      if (pass.get(apiServices, { name: `${version}.${group}` }) !== undefined) continue;
      await pass.writer.tryCreate(apiServices, apiService(group, version, "true"));
    }
    for (const { metadata, spec } of pass.list(apiServices)) {
      const { name = "", uid = "" } = metadata;
      const of = spec as { readonly group?: string; readonly version?: string } | undefined;
      const ours = metadata.labels?.[managed] === "true" && of?.group === group;
      if (ours && !served.has(of.version ?? "")) await pass.writer.remove(apiServices, { name }, { uid });
    }
    return undefined;
  },
};
