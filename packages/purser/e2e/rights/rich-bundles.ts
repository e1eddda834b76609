// Every kind that a bundle may hold, so that installing it needs every right that Purser has for the objects of bundles.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";

const foreign: readonly (readonly [group: string, version: string, kind: string, plural: string, scope: string])[] = [
  ["monitoring.coreos.com", "v1", "PrometheusRule", "prometheusrules", "Namespaced"],
  ["monitoring.coreos.com", "v1", "ServiceMonitor", "servicemonitors", "Namespaced"],
  ["monitoring.coreos.com", "v1", "PodMonitor", "podmonitors", "Namespaced"],
  ["autoscaling.k8s.io", "v1", "VerticalPodAutoscaler", "verticalpodautoscalers", "Cluster"],
  ["console.openshift.io", "v1", "ConsoleYAMLSample", "consoleyamlsamples", "Cluster"],
  ["console.openshift.io", "v1", "ConsoleQuickStart", "consolequickstarts", "Cluster"],
  ["console.openshift.io", "v1", "ConsoleCLIDownload", "consoleclidownloads", "Cluster"],
  ["console.openshift.io", "v1", "ConsoleLink", "consolelinks", "Cluster"],
  ["console.openshift.io", "v1", "ConsolePlugin", "consoleplugins", "Cluster"],
];

/** Serves the kinds that other projects define. */
export async function defineForeignKinds(client: KubeClient): Promise<void> {
  for (const [group, version, kind, plural, scope] of foreign)
    written(
      await client.write(
        {
          verb: "create",
          type: customResourceDefinitions,
          object: {
            apiVersion: "apiextensions.k8s.io/v1",
            kind: "CustomResourceDefinition",
            metadata: {
              name: `${plural}.${group}`,
              annotations: { "api-approved.kubernetes.io": "unapproved, for a test" },
            },
            spec: {
              group,
              scope,
              names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
              versions: [
                {
                  name: version,
                  served: true,
                  storage: true,
                  schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
                },
              ],
            },
          } as never,
        },
        new AbortController().signal,
      ),
    );
}

function objectsOf(name: string, version: string): readonly KubeObject[] {
  const metadata = { name, labels: { "test/version": version } };
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  const subjects = [{ kind: "ServiceAccount", name, namespace: "default" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", name };
  const rbac = "rbac.authorization.k8s.io/v1";
  return [
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { version } },
    { apiVersion: "v1", kind: "Secret", metadata, stringData: { version } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    { apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port: 80 }], selector: { app: name } } },
    { apiVersion: rbac, kind: "Role", metadata, rules },
    { apiVersion: rbac, kind: "RoleBinding", metadata, roleRef: { ...roleRef, kind: "Role" }, subjects },
    { apiVersion: rbac, kind: "ClusterRole", metadata, rules },
    { apiVersion: rbac, kind: "ClusterRoleBinding", metadata, roleRef: { ...roleRef, kind: "ClusterRole" }, subjects },
    { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata, spec: { minAvailable: 1 } },
    { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata, spec: { podSelector: {} } },
    { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata, value: 10 },
    ...foreign.map(([group, v, kind]) => ({ apiVersion: `${group}/${v}`, kind, metadata, spec: { version } })),
  ] as readonly KubeObject[];
}

const webhook = (name: string, type: string, deployment: string): object => ({
  type,
  generateName: `${type.slice(0, 3).toLowerCase()}.${name}.example`,
  deploymentName: deployment,
  containerPort: 443,
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  failurePolicy: "Ignore",
  rules: [{ apiGroups: [`${name}.example`], apiVersions: ["v1"], operations: ["CREATE"], resources: ["things"] }],
  webhookPath: "/hook",
});

/** Adds to each version of the package one object of each kind but these, and both kinds of webhooks. */
export function enrich(bundlesDirectory: string, name: string, without: readonly string[]): void {
  for (const version of readdirSync(join(bundlesDirectory, name))) {
    const folder = join(bundlesDirectory, name, version, "manifests");
    for (const object of objectsOf(`${name}-extra`, version).filter(({ kind }) => !without.includes(kind)))
      writeFileSync(join(folder, `extra-${object.kind.toLowerCase()}.yaml`), JSON.stringify(object));
    const file = join(folder, `${name}.clusterserviceversion.yaml`);
    const hooks = ["ValidatingAdmissionWebhook", "MutatingAdmissionWebhook"].map((type) =>
      webhook(name, type, `${name}-controller`),
    );
    const text = readFileSync(file, "utf8");
    writeFileSync(
      file,
      text.replace("\n  installModes:", `\n  webhookdefinitions: ${JSON.stringify(hooks)}\n  installModes:`),
    );
  }
}
