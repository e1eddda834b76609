import type { ObjectSetPhase } from "../../apis/v1/cluster-object-set.ts";
import { parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import { isJsonObject, type JsonObject, member } from "@purser/kubernetes/json";

const rbac = "rbac.authorization.k8s.io";
const certManager = "cert-manager.io";

/** Phases in the order in which they are applied, with the kinds they hold as `Kind.group`. */
const phases: readonly (readonly [string, readonly string[]])[] = [
  ["namespaces", ["Namespace."]],
  ["policies", ["NetworkPolicy.networking.k8s.io", "PodDisruptionBudget.policy", "PriorityClass.scheduling.k8s.io"]],
  ["identity", ["ServiceAccount."]],
  ["configuration", ["Secret.", "ConfigMap."]],
  ["storage", ["PersistentVolume.", "PersistentVolumeClaim.", "StorageClass.storage.k8s.io"]],
  ["crds", ["CustomResourceDefinition.apiextensions.k8s.io"]],
  ["roles", [`ClusterRole.${rbac}`, `Role.${rbac}`]],
  ["bindings", [`ClusterRoleBinding.${rbac}`, `RoleBinding.${rbac}`]],
  ["infrastructure", ["Service.", `Issuer.${certManager}`, `Certificate.${certManager}`]],
  // And every kind that is not listed.
  ["deploy", ["Deployment.apps"]],
  ["scaling", ["VerticalPodAutoscaler.autoscaling.k8s.io"]],
  [
    "publish",
    [
      "PrometheusRule.monitoring.coreos.com",
      "ServiceMonitor.monitoring.coreos.com",
      "PodMonitor.monitoring.coreos.com",
      "Ingress.networking.k8s.io",
      "Route.route.openshift.io",
      "ConsoleYAMLSample.console.openshift.io",
      "ConsoleQuickStart.console.openshift.io",
      "ConsoleCLIDownload.console.openshift.io",
      "ConsoleLink.console.openshift.io",
      "ConsolePlugin.console.openshift.io",
    ],
  ],
  [
    "admission",
    [
      "ValidatingWebhookConfiguration.admissionregistration.k8s.io",
      "MutatingWebhookConfiguration.admissionregistration.k8s.io",
    ],
  ],
];

const phaseByKind = new Map(phases.flatMap(([name, kinds]) => kinds.map((kind) => [kind, name] as const)));

interface Sortable {
  readonly object: JsonObject;
  readonly phase: string;
  /** Group, version, kind, namespace, name. */
  readonly key: readonly string[];
}

/** Objects by phase, sorted inside of each; empty phases are left out. */
export function sortIntoPhases(objects: readonly JsonObject[]): readonly ObjectSetPhase[] {
  const sortable = objects.map(sortableOf);
  return phases.flatMap(([name]) => {
    const members = sortable.filter(({ phase }) => phase === name).toSorted(byKey);
    return members.length === 0 ? [] : [{ name, objects: members.map(({ object }) => ({ object })) }];
  });
}

function sortableOf(object: JsonObject): Sortable {
  const text = (holder: unknown, name: string): string => {
    const value = isJsonObject(holder) ? member(holder, name) : undefined;
    return typeof value === "string" ? value : "";
  };
  const { group, version } = parseApiVersion(text(object, "apiVersion"));
  const kind = text(object, "kind");
  const metadata = member(object, "metadata");
  return {
    object,
    phase: phaseByKind.get(`${kind}.${group}`) ?? "deploy",
    key: [group, version, kind, text(metadata, "namespace"), text(metadata, "name")],
  };
}

function byKey(a: Sortable, b: Sortable): number {
  for (const [i, left] of a.key.entries()) {
    const right = b.key[i] ?? "";
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
