import { ownLabels, ownName } from "./labels.ts";
import type { Right } from "./rights/right.ts";
import { rights } from "./rights/rights.ts";
import { only, type Template, value } from "./template.ts";

const rbac = "rbac.authorization.k8s.io";
const apiVersion = `${rbac}/v1`;
const own = { name: ownName, namespace: value("namespace"), labels: ownLabels };
const wide = { name: ownName, labels: ownLabels };
const account = { kind: "ServiceAccount", name: ownName, namespace: value("namespace") };

function ruleOf({ condition, group, resources, verbs, names }: Right): Template {
  const rule = {
    apiGroups: [group],
    resources,
    verbs,
    ...(names === undefined ? {} : { resourceNames: names }),
  };
  return condition === undefined ? rule : only(condition, rule);
}

const rulesOf = (scope: Right["scope"]): readonly Template[] =>
  rights.filter((right) => right.scope === scope).map(ruleOf);

/** The ServiceAccount with its rights, and a ClusterRole for those who read metrics over TLS. */
export const accessManifests: readonly Template[] = [
  { apiVersion: "v1", kind: "ServiceAccount", metadata: own, automountServiceAccountToken: false },
  { apiVersion, kind: "ClusterRole", metadata: wide, rules: rulesOf("cluster") },
  {
    apiVersion,
    kind: "ClusterRoleBinding",
    metadata: wide,
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: ownName },
    subjects: [account],
  },
  { apiVersion, kind: "Role", metadata: own, rules: rulesOf("own") },
  {
    apiVersion,
    kind: "RoleBinding",
    metadata: own,
    roleRef: { apiGroup: rbac, kind: "Role", name: ownName },
    subjects: [account],
  },
  only("tls", {
    apiVersion,
    kind: "ClusterRole",
    metadata: { name: "purser-metrics-reader", labels: ownLabels },
    rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
  }),
];
