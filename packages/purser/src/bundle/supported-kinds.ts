/** Kinds that a registry+v1 bundle may hold, and whether they are namespaced. */
const kinds = new Map<string, { readonly namespaced: boolean }>([
  ...[
    "ClusterServiceVersion",
    "Service",
    "ServiceAccount",
    "Role",
    "RoleBinding",
    "PrometheusRule",
    "ServiceMonitor",
    "PodMonitor",
    "Secret",
    "ConfigMap",
    "PodDisruptionBudget",
    "NetworkPolicy",
  ].map((kind) => [kind, { namespaced: true }] as const),
  ...[
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleBinding",
    "PriorityClass",
    // Actually namespaced; upstream treats it as cluster-scoped.
    "VerticalPodAutoscaler",
    "ConsoleYAMLSample",
    "ConsoleQuickStart",
    "ConsoleCLIDownload",
    "ConsoleLink",
    "ConsolePlugin",
  ].map((kind) => [kind, { namespaced: false }] as const),
]);

export function isSupportedKind(kind: string): boolean {
  return kinds.has(kind);
}

export function isNamespacedKind(kind: string): boolean {
  return kinds.get(kind)?.namespaced ?? false;
}
