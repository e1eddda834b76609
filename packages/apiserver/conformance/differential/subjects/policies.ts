import type { JsonObject } from "@purser/kubernetes/json";
import type { Draw } from "../draw.ts";
import { metadata, texts } from "./fragments.ts";
import type { Fragment, Subject } from "./subject.ts";

const rule: Fragment = (draw) => ({
  rules: draw.some([["get"], ["list", "watch"], ["*"], []], 0, 2).map((verbs) => ({
    verbs,
    apiGroups: draw.one([[""], ["apps"], []]),
    resources: draw.one([["pods"], ["configmaps", "secrets"], []]),
    ...(draw.chance(0.2) ? { resourceNames: ["n"] } : {}),
    ...(draw.chance(0.1) ? { nonResourceURLs: draw.one([["/healthz"], ["/x*"], ["*"]]) } : {}),
  })),
});

const subjects: Fragment = (draw) => ({
  subjects: draw.some(["User", "Group", "ServiceAccount", "Foo"], 0, 2).map((kind) => ({
    kind,
    name: draw.one(["s", "s", ""]),
    ...(draw.chance(0.3) ? { namespace: draw.one(["default", ""]) } : {}),
    ...(draw.chance(0.1) ? { apiGroup: draw.one(["", "rbac.authorization.k8s.io", "x"]) } : {}),
  })),
});

const rbac = "rbac.authorization.k8s.io";
const admission = "admissionregistration.k8s.io";

/** Metadata of cluster-scoped kinds, which namespaced objects cannot own. */
const clusterMetadata = metadata.slice(0, 3);

/** An unserved group: what matches it is never called. */
const rules = (draw: Draw): JsonObject => ({
  apiGroups: ["nobody.example.com"],
  apiVersions: draw.one([["v1"], ["*"], ["v1", "*"], []]),
  resources: draw.one([["things"], ["things/*"], ["*/*"], ["*", "things"], []]),
  operations: draw.one([["CREATE"], ["CREATE", "UPDATE"], ["*"], ["*", "CREATE"], ["Foo"]]),
  ...(draw.chance(0.3) ? { scope: draw.one(["*", "Namespaced", "Cluster", "Foo"]) } : {}),
});

const webhook = (draw: Draw, name: string): JsonObject => ({
  name: draw.chance(0.95) ? name : draw.one(["short", "BAD!", ""]),
  admissionReviewVersions: draw.one([["v1"], ["v1"], ["v1", "v1beta1"], ["v2"], []]),
  sideEffects: draw.one(["None", "None", "NoneOnDryRun", "Some", "Foo"]),
  clientConfig: draw.one<JsonObject>([
    { url: "https://x.example.com/y" },
    { url: "http://x.example.com/y" },
    { url: "nonsense" },
    { service: { name: "s", namespace: "n", path: draw.one(["/p", "p", "/p//q"]) } },
    { service: { name: "s", namespace: "n", port: draw.one([443, 0, 70000]) } },
    { url: "https://x.example.com/y", service: { name: "s", namespace: "n" } },
    {},
  ]),
  ...(draw.chance(0.8) ? { rules: [rules(draw)] } : {}),
  ...(draw.chance(0.2) ? { failurePolicy: draw.one(["Fail", "Ignore", "Foo"]) } : {}),
  ...(draw.chance(0.2) ? { matchPolicy: draw.one(["Exact", "Equivalent", "Foo"]) } : {}),
  ...(draw.chance(0.2) ? { timeoutSeconds: draw.one([1, 30, 0, 31]) } : {}),
  ...(draw.chance(0.2) ? { namespaceSelector: { matchLabels: { a: draw.one(["b", "no good"]) } } } : {}),
  ...(draw.chance(0.2)
    ? { matchConditions: [{ name: draw.one(["m", "BAD one"]), expression: draw.one(["true", "nonsense(", "1"]) }] }
    : {}),
});

const webhooks: Fragment = (draw) => ({
  webhooks: draw.some(["a.x.io", "b.x.io"], 0, 2).map((name) => webhook(draw, name)),
});

function webhookSubject(kind: string, plural: string): Subject {
  return {
    apiVersion: `${admission}/v1`,
    kind,
    collection: `/apis/${admission}/v1/${plural}`,
    weight: 1,
    names: ["{ns}-x", "{ns}-y"],
    base: {},
    fragments: [...clusterMetadata, webhooks, webhooks],
    status: [],
    mergeLists: [[["webhooks"], "name"]],
  };
}

const expressions = ["true", "object.spec.x > 1", "variables.v", "nonsense(", "1", "'a'", "has(object.x)", ""] as const;

/** Kinds that define permissions and policies. */
export const policySubjects: readonly Subject[] = [
  {
    apiVersion: `${rbac}/v1`,
    kind: "Role",
    collection: `/apis/${rbac}/v1/namespaces/{ns}/roles`,
    weight: 1,
    base: {},
    fragments: [...metadata, rule],
    status: [],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    collection: `/apis/${rbac}/v1/namespaces/{ns}/rolebindings`,
    weight: 1,
    base: { roleRef: { apiGroup: rbac, kind: "Role", name: "r" } },
    fragments: [...metadata, subjects, (draw) => (draw.chance(0.2) ? { roleRef: { name: draw.one(["r2", ""]) } } : {})],
    status: [],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRole",
    collection: `/apis/${rbac}/v1/clusterroles`,
    weight: 1,
    names: ["{ns}-x", "{ns}-y"],
    base: {},
    fragments: [...clusterMetadata, rule],
    status: [],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    collection: `/apis/${rbac}/v1/clusterrolebindings`,
    weight: 1,
    names: ["{ns}-x", "{ns}-y"],
    base: { roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "r" } },
    fragments: [
      ...clusterMetadata,
      subjects,
      (draw) => (draw.chance(0.2) ? { roleRef: { kind: draw.one(["Role", "ClusterRole", "Foo"]) } } : {}),
    ],
    status: [],
  },
  {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    collection: "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
    weight: 1,
    base: {},
    fragments: [
      ...metadata,
      (draw) => ({ spec: { holderIdentity: draw.one(texts), leaseDurationSeconds: draw.one([1, 15, 0, -1]) } }),
      (draw) => ({ spec: { renewTime: draw.one(["2026-01-01T00:00:00.000001Z", "2026-01-01T00:00:00Z", "x"]) } }),
      (draw) => ({ spec: { leaseTransitions: draw.one([0, 1, -1]) } }),
      (draw) => (draw.chance(0.2) ? { spec: { strategy: draw.one(["OldestEmulationVersion", "Foo"]) } } : {}),
    ],
    status: [],
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    collection: "/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies",
    weight: 1,
    base: { spec: { podSelector: {} } },
    fragments: [
      ...metadata,
      (draw) => ({ spec: { podSelector: { matchLabels: { l: draw.one(["a", "b", "no good"]) } } } }),
      (draw) => ({ spec: { ingress: [{ ports: [{ port: draw.one([80, "http", 0]) }] }] } }),
      (draw) => ({ spec: { policyTypes: draw.one([["Ingress"], ["Egress"], ["Foo"]]) } }),
      (draw) => ({
        spec: {
          egress: [
            {
              to: [
                draw.one<JsonObject>([{ ipBlock: { cidr: draw.one(["10.0.0.0/8", "x"]) } }, { podSelector: {} }, {}]),
              ],
            },
          ],
        },
      }),
      (draw) =>
        draw.chance(0.2) ? { spec: { ingress: [{ ports: [{ port: 80, endPort: draw.one([90, 70]) }] }] } } : {},
    ],
    status: [],
  },
  {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    collection: "/apis/scheduling.k8s.io/v1/priorityclasses",
    weight: 1,
    names: ["{ns}-x", "{ns}-y"],
    base: { value: 5 },
    fragments: [
      ...clusterMetadata,
      (draw) => (draw.chance(0.3) ? { value: draw.one([5, 6, 2_000_000_000, -5]) } : {}),
      (draw) => ({ description: draw.one(texts) }),
      (draw) => (draw.chance(0.3) ? { preemptionPolicy: draw.one(["Never", "PreemptLowerPriority", "Foo"]) } : {}),
    ],
    status: [],
  },
  webhookSubject("ValidatingWebhookConfiguration", "validatingwebhookconfigurations"),
  webhookSubject("MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
  {
    apiVersion: `${admission}/v1`,
    kind: "ValidatingAdmissionPolicy",
    collection: `/apis/${admission}/v1/validatingadmissionpolicies`,
    weight: 1,
    controlled: true,
    names: ["{ns}-x", "{ns}-y"],
    base: { spec: { validations: [{ expression: "true" }] } },
    fragments: [
      ...clusterMetadata,
      (draw) => ({ spec: { matchConstraints: { resourceRules: [rules(draw)] } } }),
      (draw) => ({
        spec: { validations: [{ expression: draw.one(expressions), message: draw.one(["m", "", "a\nb"]) }] },
      }),
      (draw) => ({ spec: { validations: [{ expression: "true", messageExpression: draw.one(expressions) }] } }),
      (draw) =>
        draw.chance(0.3)
          ? { spec: { variables: [{ name: draw.one(["v", "1v"]), expression: draw.one(expressions) }] } }
          : {},
      (draw) =>
        draw.chance(0.3)
          ? {
              spec: { auditAnnotations: [{ key: draw.one(["k", "BAD one"]), valueExpression: draw.one(expressions) }] },
            }
          : {},
      (draw) => (draw.chance(0.3) ? { spec: { failurePolicy: draw.one(["Fail", "Ignore", "Foo"]) } } : {}),
      (draw) =>
        draw.chance(0.2)
          ? { spec: { paramKind: { apiVersion: "nobody.example.com/v1", kind: draw.one(["P", ""]) } } }
          : {},
    ],
    status: [],
  },
  {
    apiVersion: `${admission}/v1`,
    kind: "ValidatingAdmissionPolicyBinding",
    collection: `/apis/${admission}/v1/validatingadmissionpolicybindings`,
    weight: 1,
    names: ["{ns}-x", "{ns}-y"],
    base: { spec: { policyName: "nobody", validationActions: ["Deny"] } },
    fragments: [
      ...clusterMetadata,
      (draw) => ({ spec: { validationActions: draw.some(["Deny", "Warn", "Audit", "Foo", "Deny"], 0, 3) } }),
      (draw) => ({ spec: { matchResources: { resourceRules: [rules(draw)] } } }),
      (draw) =>
        draw.chance(0.3)
          ? { spec: { paramRef: { name: draw.one(["p", ""]), parameterNotFoundAction: draw.one(["Deny", "Foo"]) } } }
          : {},
      (draw) => (draw.chance(0.1) ? { spec: { policyName: draw.one(["other", "", "BAD!"]) } } : {}),
    ],
    status: [],
  },
];
