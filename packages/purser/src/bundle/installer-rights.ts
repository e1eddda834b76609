import type { PolicyRule } from "@purser/kubernetes/object/rbac";
import { isJsonObject, type JsonObject, member } from "@purser/kubernetes/json";
import type { ClusterServiceVersion, StrategyPermission } from "../apis/v0/cluster-service-version.ts";
import { isNamespacedKind } from "./supported-kinds.ts";

/** What the account of an OperatorGroup needs to install a bundle: in the whole cluster, and in single namespaces. */
export interface InstallerRights {
  readonly cluster: readonly PolicyRule[];
  /** By namespace; that of the installation first. */
  readonly namespaces: ReadonlyMap<string, readonly PolicyRule[]>;
}

/** A bundle's objects; the CSV may be among them. */
export interface InstallableBundle {
  readonly csv: ClusterServiceVersion;
  readonly objects: readonly JsonObject[];
}

const rbac = "rbac.authorization.k8s.io";
const olm = "operators.coreos.com";
const apiextensions = "apiextensions.k8s.io";
const written = ["create", "patch", "update"];
const rule = (group: string, resources: readonly string[], verbs: readonly string[] = written): PolicyRule => ({
  apiGroups: [group],
  resources,
  verbs,
});

/** Kinds whose resource is not the lower-case name with an `s`. */
const irregular: Readonly<Record<string, string>> = {
  NetworkPolicy: "networkpolicies",
  PriorityClass: "priorityclasses",
};
const resourceOf = (kind: string): string => irregular[kind] ?? `${kind.toLowerCase()}s`;

/**
 * The least rights with which an account can install the bundle into the namespace. An account that makes a Role needs the
 * rules of that Role itself: they are among the result.
 */
export function installerRights({ csv, objects }: InstallableBundle, namespace: string): InstallerRights {
  const { permissions = [], clusterPermissions = [], deployments = [] } = csv.spec.install.spec ?? {};
  const { webhookdefinitions = [], apiservicedefinitions } = csv.spec;
  const served = apiservicedefinitions?.owned ?? [];
  const cluster: PolicyRule[] = [...rulesOf(clusterPermissions)];
  const here: PolicyRule[] = [rule(olm, ["clusterserviceversions"]), ...rulesOf(permissions)];
  if (deployments.length > 0) here.push(rule("apps", ["deployments"], ["create", "delete", "patch", "update"]));
  if (permissions.length + clusterPermissions.length > 0) here.push(rule("", ["serviceaccounts"]));
  if (permissions.length > 0) here.push(rule(rbac, ["roles", "rolebindings"]));
  if (clusterPermissions.length > 0) cluster.push(rule(rbac, ["clusterroles", "clusterrolebindings"]));
  const definitions = objects.filter((object) => kindOf(object).kind === "CustomResourceDefinition").map(nameOf);
  if (definitions.length > 0) {
    const crds = ["customresourcedefinitions"];
    // A name restricts no creation.
    cluster.push(rule(apiextensions, crds, ["create"]), {
      ...rule(apiextensions, crds, ["patch", "update"]),
      resourceNames: definitions,
    });
  }
  for (const object of objects) {
    const { group, kind } = kindOf(object);
    if (kind === "CustomResourceDefinition" || kind === "ClusterServiceVersion") continue;
    (isNamespacedKind(kind) ? here : cluster).push(rule(group, [resourceOf(kind)]), ...grantedBy(object));
  }
  const namespaces = new Map<string, readonly PolicyRule[]>();
  if (webhookdefinitions.length + served.length > 0) {
    // Certificate, and who may ask the API server about callers.
    here.push(rule("", ["services", "secrets"]), rule("", ["secrets"], ["get"]), rule(rbac, ["roles", "rolebindings"]));
    cluster.push(
      rule(rbac, ["clusterrolebindings"]),
      rule("authentication.k8s.io", ["tokenreviews"], ["create"]),
      rule("authorization.k8s.io", ["subjectaccessreviews"], ["create"]),
    );
    namespaces.set("kube-system", [
      rule(rbac, ["rolebindings"]),
      {
        ...rule("", ["configmaps"], ["get", "list", "watch"]),
        resourceNames: ["extension-apiserver-authentication"],
      },
    ]);
  }
  const types = new Set(webhookdefinitions.map(({ type }) => type));
  const admission = [
    ...(types.has("ValidatingAdmissionWebhook") ? ["validatingwebhookconfigurations"] : []),
    ...(types.has("MutatingAdmissionWebhook") ? ["mutatingwebhookconfigurations"] : []),
  ];
  if (admission.length > 0) cluster.push(rule("admissionregistration.k8s.io", admission));
  if (types.has("ConversionWebhook")) cluster.push(rule(apiextensions, ["customresourcedefinitions"], ["patch"]));
  if (served.length > 0) cluster.push(rule("apiregistration.k8s.io", ["apiservices"]));
  return {
    cluster: distinct(cluster),
    namespaces: new Map([[namespace, distinct(here)], ...namespaces]),
  };
}

/** The rights with which all of several bundles can be installed; with dependencies a plan makes their Subscriptions as well. */
export function mergedRights(several: readonly InstallerRights[]): InstallerRights {
  const places = new Set(several.flatMap(({ namespaces }) => [...namespaces.keys()]));
  const [own] = places;
  const requested = several.length > 1 ? [rule(olm, ["subscriptions"])] : [];
  return {
    cluster: distinct(several.flatMap(({ cluster }) => cluster)),
    namespaces: new Map(
      [...places].map((place) => [
        place,
        distinct([
          ...several.flatMap(({ namespaces }) => namespaces.get(place) ?? []),
          ...(place === own ? requested : []),
        ]),
      ]),
    ),
  };
}

/** Everything in one namespace, and nothing outside of it. */
export const boundedRights = (namespace: string): InstallerRights => ({
  cluster: [],
  namespaces: new Map([[namespace, [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }]]]),
});

const rulesOf = (permissions: readonly StrategyPermission[]): readonly PolicyRule[] =>
  permissions.flatMap(({ rules }) => rules ?? []);

function kindOf(object: JsonObject): { readonly group: string; readonly kind: string } {
  const [apiVersion, kind] = [member(object, "apiVersion"), member(object, "kind")];
  const [group = "", version] = typeof apiVersion === "string" ? apiVersion.split("/") : [];
  return { group: version === undefined ? "" : group, kind: typeof kind === "string" ? kind : "" };
}

function nameOf(object: JsonObject): string {
  const metadata = member(object, "metadata");
  const name = isJsonObject(metadata) ? member(metadata, "name") : undefined;
  return typeof name === "string" ? name : "";
}

/** The rules of a Role or ClusterRole. */
function grantedBy(object: JsonObject): readonly PolicyRule[] {
  const rules = member(object, "rules");
  const isRole = kindOf(object).group === rbac && Array.isArray(rules);
  return isRole
    ? ((rules as readonly unknown[]).filter((given) => isJsonObject(given as never)) as readonly PolicyRule[])
    : [];
}

const distinct = (rules: readonly PolicyRule[]): readonly PolicyRule[] => [
  ...new Map(rules.map((given) => [JSON.stringify(given), given])).values(),
];
