import { type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";

/**
 * Defaults of Kubernetes' API types by type and field, as in `SetDefaults_*` of `pkg/apis/*\/v1/defaults.go`: for the kinds that
 * bundles bring.
 */
const defaults: Readonly<Record<string, Readonly<Record<string, JsonValue>>>> = {
  DeploymentSpec: {
    replicas: 1,
    progressDeadlineSeconds: 600,
    revisionHistoryLimit: 10,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
  },
  DeploymentStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
  RollingUpdateDeployment: { maxSurge: "25%", maxUnavailable: "25%" },
  PodSpec: {
    dnsPolicy: "ClusterFirst",
    restartPolicy: "Always",
    schedulerName: "default-scheduler",
    terminationGracePeriodSeconds: 30,
    enableServiceLinks: true,
  },
  Container: {
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
  },
  ContainerPort: { protocol: "TCP" },
  Probe: { failureThreshold: 3, periodSeconds: 10, successThreshold: 1, timeoutSeconds: 1 },
  HTTPGetAction: { scheme: "HTTP" },
  ObjectFieldSelector: { apiVersion: "v1" },
  ConfigMapVolumeSource: { defaultMode: 420 },
  SecretVolumeSource: { defaultMode: 420 },
  ProjectedVolumeSource: { defaultMode: 420 },
  DownwardAPIVolumeSource: { defaultMode: 420 },
  ServiceAccountTokenProjection: { expirationSeconds: 3600 },
  ServiceSpec: { type: "ClusterIP", sessionAffinity: "None", internalTrafficPolicy: "Cluster" },
  ServicePort: { protocol: "TCP" },
  ValidatingWebhook: { failurePolicy: "Fail", matchPolicy: "Equivalent", timeoutSeconds: 10 },
  MutatingWebhook: {
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    timeoutSeconds: 10,
    reinvocationPolicy: "Never",
  },
  RuleWithOperations: { scope: "*" },
  ServiceReference: { port: 443 },
  CustomResourceDefinitionSpec: { conversion: { strategy: "None" } },
  Subject: { apiGroup: "rbac.authorization.k8s.io" },
};

/** The value that the API server sets for a missing field of a built-in type; undefined when it leaves the field alone. */
export function builtInDefault(type: string, field: string, holder: JsonObject): JsonValue | undefined {
  // Deep in the types of other groups there is one more Subject whose default depends on its kind.
  if (type === "Subject" && member(holder, "kind") === "ServiceAccount") return undefined;
  if (type === "Container" && field === "imagePullPolicy") return pullPolicy(member(holder, "image"));
  if (type === "ServicePort" && field === "targetPort") return member(holder, "port");
  const fields = Object.hasOwn(defaults, type) ? defaults[type] : undefined;
  return fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
}

function pullPolicy(image: JsonValue | undefined): JsonValue {
  const last = typeof image === "string" ? (image.split("/").at(-1) ?? "") : "";
  const isLatest = !last.includes("@") && (!last.includes(":") || last.endsWith(":latest"));
  return isLatest ? "Always" : "IfNotPresent";
}
