import type { PolicyRule } from "@purser/kubernetes/apis/rbac";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";

const group = "rbac.authorization.k8s.io";
const read = ["get", "list", "watch"];
const write = ["create", "delete", "deletecollection", "patch", "update"];
const all = [...write, ...read];

interface BootstrapRole {
  readonly name: string;
  readonly rules?: readonly PolicyRule[];
  /** Aggregates the rules of roles with the label `aggregate-to-<this>`. */
  readonly collects?: string;
  readonly aggregatesTo?: string;
}

function rule(verbs: readonly string[], apiGroup: string, ...resources: readonly string[]): PolicyRule {
  return { verbs, apiGroups: [apiGroup], resources };
}

function paths(...nonResourceURLs: readonly string[]): PolicyRule {
  return { verbs: ["get"], nonResourceURLs };
}

const workloads = [
  "daemonsets",
  "deployments",
  "deployments/scale",
  "replicasets",
  "replicasets/scale",
  "statefulsets",
  "statefulsets/scale",
];
const workloadStatuses = ["daemonsets/status", "deployments/status", "replicasets/status", "statefulsets/status"];
const jobs = ["cronjobs", "jobs"];
const jobStatuses = ["cronjobs/status", "jobs/status"];
const networking = ["ingresses", "networkpolicies"];

const view: readonly PolicyRule[] = [
  rule(
    read,
    "",
    "configmaps",
    "endpoints",
    "persistentvolumeclaims",
    "persistentvolumeclaims/status",
    "pods",
    "replicationcontrollers",
    "replicationcontrollers/scale",
    "serviceaccounts",
    "services",
    "services/status",
  ),
  rule(
    read,
    "",
    "bindings",
    "events",
    "limitranges",
    "namespaces/status",
    "pods/log",
    "pods/status",
    "replicationcontrollers/status",
    "resourcequotas",
    "resourcequotas/status",
  ),
  rule(read, "", "namespaces"),
  rule(read, "discovery.k8s.io", "endpointslices"),
  rule(read, "events.k8s.io", "events"),
  rule(read, "apps", "controllerrevisions", ...workloads, ...workloadStatuses),
  rule(read, "autoscaling", "horizontalpodautoscalers", "horizontalpodautoscalers/status"),
  rule(read, "batch", ...jobs, ...jobStatuses),
  rule(read, "policy", "poddisruptionbudgets", "poddisruptionbudgets/status"),
  rule(read, "networking.k8s.io", "ingresses/status", ...networking),
];

const edit: readonly PolicyRule[] = [
  rule(read, "", "pods/attach", "pods/exec", "pods/portforward", "pods/proxy", "secrets", "services/proxy"),
  rule(["impersonate"], "", "serviceaccounts"),
  rule(write, "", "pods", "pods/attach", "pods/exec", "pods/portforward", "pods/proxy"),
  rule(["create"], "", "pods/eviction"),
  rule(
    write,
    "",
    "configmaps",
    "events",
    "persistentvolumeclaims",
    "replicationcontrollers",
    "replicationcontrollers/scale",
    "secrets",
    "serviceaccounts",
    "services",
    "services/proxy",
  ),
  rule(["create"], "", "serviceaccounts/token"),
  rule(write, "apps", "deployments/rollback", ...workloads),
  rule(write, "autoscaling", "horizontalpodautoscalers"),
  rule(write, "batch", ...jobs),
  rule(write, "policy", "poddisruptionbudgets"),
  rule(write, "networking.k8s.io", ...networking),
  rule(all, "coordination.k8s.io", "leases"),
];

const roles: readonly BootstrapRole[] = [
  {
    name: "cluster-admin",
    rules: [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ],
  },
  { name: "admin", collects: "admin" },
  { name: "edit", collects: "edit", aggregatesTo: "admin" },
  { name: "view", collects: "view", aggregatesTo: "edit" },
  { name: "system:aggregate-to-view", rules: view, aggregatesTo: "view" },
  { name: "system:aggregate-to-edit", rules: edit, aggregatesTo: "edit" },
  {
    name: "system:aggregate-to-admin",
    aggregatesTo: "admin",
    rules: [
      rule(["create"], "authorization.k8s.io", "localsubjectaccessreviews"),
      rule(all, group, "rolebindings", "roles"),
    ],
  },
  {
    name: "system:basic-user",
    rules: [
      rule(["create"], "authorization.k8s.io", "selfsubjectaccessreviews", "selfsubjectrulesreviews"),
      rule(["create"], "authentication.k8s.io", "selfsubjectreviews"),
    ],
  },
  {
    name: "system:discovery",
    rules: [
      paths(
        "/api",
        "/api/*",
        "/apis",
        "/apis/*",
        "/healthz",
        "/livez",
        "/openapi",
        "/openapi/*",
        "/readyz",
        "/version",
        "/version/",
      ),
    ],
  },
  {
    name: "system:public-info-viewer",
    rules: [paths("/healthz", "/livez", "/readyz", "/version", "/version/")],
  },
  {
    name: "system:service-account-issuer-discovery",
    rules: [
      paths(
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/",
        "/openid/v1/jwks",
        "/openid/v1/jwks/",
      ),
    ],
  },
  {
    name: "system:auth-delegator",
    rules: [
      rule(["create"], "authentication.k8s.io", "tokenreviews"),
      rule(["create"], "authorization.k8s.io", "subjectaccessreviews"),
    ],
  },
  {
    name: "system:monitoring",
    rules: [paths("/healthz", "/healthz/*", "/livez", "/livez/*", "/metrics", "/metrics/slis", "/readyz", "/readyz/*")],
  },
  {
    name: "system:kube-aggregator",
    rules: [rule(read, "", "endpoints", "services")],
  },
];

const bindings: readonly { readonly role: string; readonly groups: readonly string[] }[] = [
  { role: "cluster-admin", groups: ["system:masters"] },
  { role: "system:basic-user", groups: ["system:authenticated"] },
  { role: "system:discovery", groups: ["system:authenticated"] },
  { role: "system:public-info-viewer", groups: ["system:authenticated", "system:unauthenticated"] },
  { role: "system:service-account-issuer-discovery", groups: ["system:serviceaccounts"] },
  { role: "system:monitoring", groups: ["system:monitoring"] },
];

const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "true" };
const label = { "kubernetes.io/bootstrapping": "rbac-defaults" };

function aggregateLabel(to: string): string {
  return `rbac.authorization.k8s.io/aggregate-to-${to}`;
}

/** Initial rules of an aggregated role, equal to what its controller computes. */
function collected(to: string): readonly PolicyRule[] {
  return roles
    .filter(({ aggregatesTo }) => aggregatesTo === to)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ collects, rules = [] }) => (collects === undefined ? rules : collected(collects)));
}

function clusterRole({ name, rules, collects, aggregatesTo }: BootstrapRole): JsonObject {
  return {
    kind: "ClusterRole",
    apiVersion: `${group}/v1`,
    metadata: {
      name,
      labels: { ...label, ...(aggregatesTo === undefined ? {} : { [aggregateLabel(aggregatesTo)]: "true" }) },
      annotations,
    },
    ...(collects === undefined
      ? {}
      : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregateLabel(collects)]: "true" } }] } }),
    rules: (collects === undefined ? (rules ?? []) : collected(collects)) as unknown as JsonValue,
  };
}

const readerName = "extension-apiserver-authentication-reader";

/** The roles and bindings that exist in every cluster from the start. */
export function bootstrapRoles(): readonly JsonObject[] {
  return [
    ...roles.map(clusterRole),
    ...bindings.map(({ role, groups }) => ({
      kind: "ClusterRoleBinding",
      apiVersion: `${group}/v1`,
      metadata: { name: role, labels: label, annotations },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: role },
      subjects: groups.map((name) => ({ kind: "Group", apiGroup: group, name })),
    })),
    {
      kind: "Role",
      apiVersion: `${group}/v1`,
      metadata: { name: readerName, namespace: "kube-system", labels: label, annotations },
      rules: [
        {
          verbs: read,
          apiGroups: [""],
          resources: ["configmaps"],
          resourceNames: ["extension-apiserver-authentication"],
        },
      ],
    },
  ];
}
