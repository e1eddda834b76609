import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { bootstrapRoles } from "./authorization/bootstrap-roles.ts";
import { builtInApiServices } from "./controllers/api-service-controller.ts";
import { controllerRoles } from "./controllers/accounts/controller-roles.ts";
import type { Machinery } from "./machinery.ts";
import { writeContext } from "./machinery.ts";
import { storeCompanion } from "./resource/create.ts";

function namespace(name: string): JsonObject {
  return {
    kind: "Namespace",
    apiVersion: "v1",
    metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  };
}

function priorityClass(name: string, value: number, description: string): JsonObject {
  return {
    kind: "PriorityClass",
    apiVersion: "scheduling.k8s.io/v1",
    metadata: { name },
    value,
    description,
    preemptionPolicy: "PreemptLowerPriority",
  };
}

const kubernetesService: JsonObject = {
  kind: "Service",
  apiVersion: "v1",
  metadata: { name: "kubernetes", namespace: "default", labels: { component: "apiserver", provider: "kubernetes" } },
  spec: {
    clusterIP: "10.96.0.1",
    clusterIPs: ["10.96.0.1"],
    type: "ClusterIP",
    ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: 6443 }],
  },
};

/** Makes what every cluster has from its first moment and this one lacks. */
export function bootstrap(machinery: Machinery): void {
  const context = writeContext(machinery, false);
  for (const name of ["kube-system", "default", "kube-public", "kube-node-lease"]) {
    storeCompanion(machinery, namespace(name));
    const stored = machinery.storage.get("namespaces", name);
    const kind = machinery.registry().at("", "v1", "namespaces");
    if (stored !== undefined && kind !== undefined)
      for (const companion of kind.companions(asJson(stored), context)) storeCompanion(machinery, companion);
  }
  for (const object of [...bootstrapRoles(), ...controllerRoles(), ...builtInApiServices()])
    storeCompanion(machinery, object);
  storeCompanion(
    machinery,
    priorityClass(
      "system-node-critical",
      2_000_001_000,
      "Used for system critical pods that must not be moved from their current node.",
    ),
  );
  storeCompanion(
    machinery,
    priorityClass(
      "system-cluster-critical",
      2_000_000_000,
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
  );
  storeCompanion(machinery, kubernetesService);
  storeCompanion(machinery, {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "extension-apiserver-authentication", namespace: "kube-system" },
    data: {
      "client-ca-file": machinery.rootAuthority,
      "requestheader-client-ca-file": machinery.rootAuthority,
      "requestheader-allowed-names": '["front-proxy-client"]',
      "requestheader-username-headers": '["X-Remote-User"]',
      "requestheader-group-headers": '["X-Remote-Group"]',
      "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
    },
  });
}
