import type { JsonObject } from "@purser/kubernetes/json";

interface Rule {
  readonly [key: string]: readonly string[];
  readonly verbs: readonly string[];
}

function rule(group: string, resources: readonly string[], verbs: string): Rule {
  return { apiGroups: [group], resources, verbs: verbs.split(" ") };
}

const rbac = "rbac.authorization.k8s.io";
const recordEvents: readonly Rule[] = [
  rule("", ["events"], "create patch update"),
  rule("events.k8s.io", ["events"], "create patch update"),
];
const everything: readonly Rule[] = [
  {
    apiGroups: ["*"],
    resources: ["*"],
    verbs: ["delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  },
];

/** The permissions of each built-in controller; names as in kube-controller-manager where it has them. */
const rulesOf: Readonly<Record<string, readonly Rule[]>> = {
  "clusterrole-aggregation-controller": [rule(rbac, ["clusterroles"], "escalate get list patch update watch")],
  "cronjob-controller": [
    rule("batch", ["cronjobs"], "get list update watch"),
    rule("batch", ["jobs"], "create delete get list patch update watch"),
    rule("batch", ["cronjobs/status", "cronjobs/finalizers"], "update"),
    rule("", ["pods"], "delete list watch"),
    ...recordEvents,
  ],
  "crd-registration": [
    rule("apiextensions.k8s.io", ["customresourcedefinitions"], "get list watch"),
    rule("apiregistration.k8s.io", ["apiservices"], "create delete get list watch"),
  ],
  "daemon-set-controller": [
    rule("apps", ["daemonsets"], "get list watch"),
    rule("apps", ["daemonsets/status", "daemonsets/finalizers"], "update"),
    rule("", ["nodes"], "list watch"),
    rule("", ["pods"], "create delete list patch watch"),
    rule("", ["pods/binding"], "create"),
    rule("apps", ["controllerrevisions"], "create delete get list patch update watch"),
    ...recordEvents,
  ],
  "deployment-controller": [
    rule("apps", ["deployments"], "get list update watch"),
    rule("apps", ["deployments/status", "deployments/finalizers"], "update"),
    rule("apps", ["replicasets"], "create delete get list patch update watch"),
    rule("", ["pods"], "get list update watch"),
    ...recordEvents,
  ],
  "disruption-controller": [
    rule("apps", ["deployments", "replicasets", "statefulsets"], "get list watch"),
    rule("policy", ["poddisruptionbudgets"], "get list watch"),
    rule("policy", ["poddisruptionbudgets/status"], "update"),
    rule("", ["pods"], "get list watch"),
    rule("*", ["*/scale"], "get"),
    ...recordEvents,
  ],
  "endpoint-controller": [
    rule("", ["pods", "services"], "get list watch"),
    rule("", ["endpoints"], "create delete get list update"),
    rule("", ["endpoints/restricted"], "create"),
    ...recordEvents,
  ],
  "endpointslice-controller": [
    rule("", ["nodes", "pods", "services"], "get list watch"),
    rule("", ["services/finalizers"], "update"),
    rule("discovery.k8s.io", ["endpointslices"], "create delete get list update"),
    ...recordEvents,
  ],
  "endpointslicemirroring-controller": [
    rule("", ["endpoints", "services"], "get list watch"),
    rule("", ["services/finalizers", "endpoints/finalizers"], "update"),
    rule("discovery.k8s.io", ["endpointslices"], "create delete get list update"),
    rule("discovery.k8s.io", ["endpointslices/restricted"], "create"),
    ...recordEvents,
  ],
  "generic-garbage-collector": [...everything, ...recordEvents],
  "job-controller": [
    rule("batch", ["jobs"], "delete get list patch update watch"),
    rule("batch", ["jobs/status", "jobs/finalizers"], "update"),
    rule("", ["pods"], "create delete list patch watch"),
    ...recordEvents,
  ],
  "namespace-controller": [
    rule("", ["namespaces"], "delete get list watch"),
    rule("", ["namespaces/finalize", "namespaces/status"], "update"),
    { apiGroups: ["*"], resources: ["*"], verbs: ["delete", "deletecollection", "get", "list"] },
  ],
  "validatingadmissionpolicy-status-controller": [
    rule("admissionregistration.k8s.io", ["validatingadmissionpolicies"], "get list watch"),
    rule("admissionregistration.k8s.io", ["validatingadmissionpolicies/status"], "get patch update"),
  ],
  "apiservice-availability-controller": [
    rule("apiregistration.k8s.io", ["apiservices"], "get list watch"),
    rule("apiregistration.k8s.io", ["apiservices/status"], "patch update"),
    rule("", ["services"], "get list watch"),
    rule("discovery.k8s.io", ["endpointslices"], "get list watch"),
  ],
  "node-controller": [rule("", ["nodes"], "get list patch update watch"), ...recordEvents],
  "pod-simulator": [
    rule("", ["nodes"], "create get list update watch"),
    rule("", ["nodes/status"], "patch update"),
    rule("coordination.k8s.io", ["leases"], "create get"),
    rule("", ["pods"], "delete get list watch"),
    rule("", ["pods/binding"], "create"),
    rule("", ["pods/status"], "patch update"),
    ...recordEvents,
  ],
  "pv-protection-controller": [rule("", ["persistentvolumes"], "get list update watch"), ...recordEvents],
  "pvc-protection-controller": [
    rule("", ["persistentvolumeclaims"], "get list update watch"),
    rule("", ["persistentvolumeclaims/status"], "update"),
    rule("", ["pods"], "get list watch"),
    ...recordEvents,
  ],
  "replicaset-controller": [
    rule("apps", ["replicasets"], "get list update watch"),
    rule("apps", ["replicasets/status", "replicasets/finalizers"], "update"),
    rule("", ["pods"], "create delete list patch watch"),
    ...recordEvents,
  ],
  "resourcequota-controller": [
    { apiGroups: ["*"], resources: ["*"], verbs: ["list", "watch"] },
    rule("", ["resourcequotas/status"], "update"),
    ...recordEvents,
  ],
  "root-ca-cert-publisher": [rule("", ["configmaps"], "create get list update watch"), ...recordEvents],
  "service-account-controller": [rule("", ["serviceaccounts"], "create get list watch"), ...recordEvents],
  "statefulset-controller": [
    rule("apps", ["statefulsets"], "get list watch"),
    rule("apps", ["statefulsets/status", "statefulsets/finalizers"], "update"),
    rule("", ["pods"], "create delete get patch update list watch"),
    rule("apps", ["controllerrevisions"], "create delete get list patch update watch"),
    rule("", ["persistentvolumeclaims"], "create get list watch"),
    rule("", ["persistentvolumeclaims"], "delete update"),
    rule("", ["pods/finalizers"], "update"),
    ...recordEvents,
  ],
  "tokens-controller": [
    rule("", ["secrets"], "delete get list update watch"),
    rule("", ["serviceaccounts"], "get list watch"),
  ],
  "ttl-after-finished-controller": [rule("batch", ["jobs"], "delete get list watch"), ...recordEvents],
};

/** ClusterRole and ClusterRoleBinding of every built-in controller, created at bootstrap. */
export function controllerRoles(): readonly JsonObject[] {
  const metadata = (name: string): JsonObject => ({
    name: `system:controller:${name}`,
    labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  });
  return Object.entries(rulesOf).flatMap(([name, rules]): readonly JsonObject[] => [
    { kind: "ClusterRole", apiVersion: `${rbac}/v1`, metadata: metadata(name), rules },
    {
      kind: "ClusterRoleBinding",
      apiVersion: `${rbac}/v1`,
      metadata: metadata(name),
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: `system:controller:${name}` },
      subjects: [{ kind: "ServiceAccount", name, namespace: "kube-system" }],
    },
  ]);
}
