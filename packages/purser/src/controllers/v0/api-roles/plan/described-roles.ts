import type { PolicyRule } from "@purser/kubernetes/apis/rbac";
import { fnv1a64 } from "@purser/kubernetes/digest";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { aggregateLabelPrefix, managedLabel } from "../../../../apis/v0/labels.ts";

/** The object that serves an API and owns its roles: they are deleted with it, not with the CSV. */
export interface ApiServer {
  readonly kind: "CustomResourceDefinition" | "APIService";
  readonly name: string;
  readonly group: string;
}

/** A ClusterRole for one API that a CSV owns, or for several: those of two APIServices may have the same name. */
export interface DescribedRole {
  readonly name: string;
  readonly server: ApiServer;
  /** All labels of the role: Kubernetes aggregates by them into `admin`, `edit` and `view`, OperatorGroups into their roles. */
  readonly labels: Readonly<Record<string, string>>;
  readonly rules: readonly PolicyRule[];
}

const verbs = {
  admin: ["*"],
  edit: ["create", "update", "patch", "delete"],
  view: ["get", "list", "watch"],
} as const;
type Suffix = keyof typeof verbs;
const suffixes = ["admin", "edit", "view"] as const satisfies readonly Suffix[];

/** Names of the CRDs and APIServices that serve what a CSV owns, each once; a CRD name without a dot is none. */
export function serversOf({ spec }: ClusterServiceVersion): readonly string[] {
  const crds = (spec.customresourcedefinitions?.owned ?? [])
    .map(({ name }) => name)
    .filter((name) => name.includes("."));
  const services = (spec.apiservicedefinitions?.owned ?? []).map(({ version, group }) => `${version}.${group}`);
  return [...new Set([...crds, ...services])];
}

/** By what CSVs that describe the same role find one another: its servers, and the names of its roles up to the suffix, which lack the group of an APIService. */
export function contestedBy(csv: ClusterServiceVersion): readonly string[] {
  const { customresourcedefinitions: crds, apiservicedefinitions: services } = csv.spec;
  const bases = [...(crds?.owned ?? []), ...(services?.owned ?? [])].map(({ name, version }) => `${name}-${version}`);
  return [...new Set([...serversOf(csv), ...bases])];
}

/**
 * The ClusterRoles of all APIs that a CSV owns: `<crd>-<version>-admin|edit|view|crdview` for a CRD,
 * `<plural>-<version>-admin|edit|view` for an APIService, as OLM's `ensureClusterRolesForCSV`. A CRD name without a dot has none.
 */
export function describedRoles({ spec }: ClusterServiceVersion): readonly DescribedRole[] {
  const crds = (spec.customresourcedefinitions?.owned ?? []).flatMap(({ name, version, kind }) => {
    const dot = name.indexOf(".");
    if (dot < 0) return [];
    const [plural, group] = [name.slice(0, dot), name.slice(dot + 1)];
    const server: ApiServer = { kind: "CustomResourceDefinition", name, group };
    const api = `${kind}.${version}.${group}`;
    const definition: DescribedRole = {
      name: `${name}-${version}-crdview`,
      server,
      labels: labelsOf(api, "view"),
      rules: [
        {
          verbs: ["get"],
          apiGroups: ["apiextensions.k8s.io"],
          resources: ["customresourcedefinitions"],
          resourceNames: [name],
        },
      ],
    };
    return [...rolesOf(`${name}-${version}`, api, server, plural), definition];
  });
  const services = (spec.apiservicedefinitions?.owned ?? []).flatMap(({ name, version, kind, group }) => {
    const server: ApiServer = { kind: "APIService", name: `${version}.${group}`, group };
    return rolesOf(`${name}-${version}`, `${kind}.${version}.${group}`, server, name);
  });
  return [...crds, ...services];
}

function rolesOf(base: string, api: string, server: ApiServer, resource: string): readonly DescribedRole[] {
  return suffixes.map((suffix) => ({
    name: `${base}-${suffix}`,
    server,
    labels: labelsOf(api, suffix),
    rules: [{ verbs: verbs[suffix], apiGroups: [server.group], resources: [resource] }],
  }));
}

const labelsOf = (api: string, suffix: Suffix): Readonly<Record<string, string>> => ({
  [`rbac.authorization.k8s.io/aggregate-to-${suffix}`]: "true",
  [`${aggregateLabelPrefix}${fnv1a64(api)}-${suffix}`]: "true",
  [managedLabel]: "true",
});
