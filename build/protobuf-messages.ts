// Writes src/apiserver/protobuf/messages.gen.ts from the `generated.proto` files of the public Kubernetes API modules:
//   node build/protobuf-messages.ts <folder of Go modules that holds k8s.io/api@V, k8s.io/apimachinery@V, ...> <V>
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [modules, version] = process.argv.slice(2);
if (modules === undefined || version === undefined) {
  console.error("usage: node build/protobuf-messages.ts MODULES VERSION");
  process.exit(2);
}

const files = [
  ...["core", "apps", "batch", "rbac", "networking", "admissionregistration", "coordination", "authentication"].map(
    (group) => `k8s.io/api@${version}/${group}/v1/generated.proto`,
  ),
  ...["authorization", "autoscaling", "policy", "events", "discovery", "scheduling"].map(
    (group) => `k8s.io/api@${version}/${group}/v1/generated.proto`,
  ),
  `k8s.io/apiextensions-apiserver@${version}/pkg/apis/apiextensions/v1/generated.proto`,
  `k8s.io/kube-aggregator@${version}/pkg/apis/apiregistration/v1/generated.proto`,
  `k8s.io/apimachinery@${version}/pkg/apis/meta/v1/generated.proto`,
  `k8s.io/apimachinery@${version}/pkg/api/resource/generated.proto`,
  `k8s.io/apimachinery@${version}/pkg/util/intstr/generated.proto`,
  `k8s.io/apimachinery@${version}/pkg/runtime/generated.proto`,
];

/** Kinds that typed clients send; everything they reach is written too. */
const roots = [
  ...[
    "Namespace",
    "ConfigMap",
    "Secret",
    "Service",
    "ServiceAccount",
    "Pod",
    "Event",
    "Endpoints",
    "Node",
    "Binding",
  ].map((kind) => `core.v1.${kind}`),
  ...["PersistentVolumeClaim", "ResourceQuota", "LimitRange"].map((kind) => `core.v1.${kind}`),
  ...["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"].map((kind) => `apps.v1.${kind}`),
  "batch.v1.Job",
  "batch.v1.CronJob",
  ...["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"].map((kind) => `rbac.v1.${kind}`),
  "networking.v1.NetworkPolicy",
  ...["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"].map(
    (kind) => `admissionregistration.v1.${kind}`,
  ),
  ...["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"].map(
    (kind) => `admissionregistration.v1.${kind}`,
  ),
  "apiextensions.v1.CustomResourceDefinition",
  "apiregistration.v1.APIService",
  "coordination.v1.Lease",
  "events.v1.Event",
  "discovery.v1.EndpointSlice",
  "scheduling.v1.PriorityClass",
  ...["TokenReview", "TokenRequest", "SelfSubjectReview"].map((kind) => `authentication.v1.${kind}`),
  ...["SelfSubjectAccessReview", "LocalSubjectAccessReview", "SubjectAccessReview", "SelfSubjectRulesReview"].map(
    (kind) => `authorization.v1.${kind}`,
  ),
  "autoscaling.v1.Scale",
  "policy.v1.Eviction",
  "policy.v1.PodDisruptionBudget",
  "meta.v1.DeleteOptions",
  "meta.v1.Status",
];

/** Structs that Go embeds: their fields stand in the outer object. */
const inlined = new Set([
  "Volume.volumeSource",
  "PersistentVolumeSpec.persistentVolumeSource",
  "Probe.handler",
  "ConfigMapEnvSource.localObjectReference",
  "ConfigMapKeySelector.localObjectReference",
  "ConfigMapProjection.localObjectReference",
  "ConfigMapVolumeSource.localObjectReference",
  "SecretEnvSource.localObjectReference",
  "SecretKeySelector.localObjectReference",
  "SecretProjection.localObjectReference",
  "EphemeralContainer.ephemeralContainerCommon",
  "RuleWithOperations.rule",
  "NamedRuleWithOperations.ruleWithOperations",
]);

const scalars = new Set(["string", "bool", "int32", "int64", "double", "bytes", "uint32", "uint64"]);

function jsonName(message: string, field: string): string {
  if (message !== "JSONSchemaProps") return field;
  if (field === "schema" || field === "ref") return `$${field}`;
  if (!field.startsWith("xKubernetes")) return field;
  return field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function shorten(name: string): string {
  const match =
    /^\.?k8s\.io\.(?:api\.(\w+)\.v1|apiextensions_apiserver\.pkg\.apis\.(\w+)\.v1|kube_aggregator\.pkg\.apis\.(\w+)\.v1|apimachinery\.pkg\.apis\.(\w+)\.v1)\.(\w+)$/.exec(
      name,
    );
  if (match !== null) return `${match[1] ?? match[2] ?? match[3] ?? match[4] ?? ""}.v1.${match[5] ?? ""}`;
  return name.replace(/^\.?k8s\.io\.apimachinery\.pkg\./, "").replace(/^(api|util)\./, "");
}

const messages = new Map<string, { readonly fields: readonly string[]; readonly uses: readonly string[] }>();
for (const file of files) {
  const text = readFileSync(join(modules, file), "utf8").replaceAll(/\/\/.*$/gm, "");
  const pack = /package ([\w.]+);/.exec(text)?.[1] ?? "";
  for (const [, name = "", body = ""] of text.matchAll(/^message (\w+) \{([^}]*)\}/gm)) {
    const fields: string[] = [];
    const uses: string[] = [];
    const typeOf = (raw: string): string => {
      if (scalars.has(raw)) return raw;
      const full = shorten(raw.startsWith(".") ? raw : raw.includes(".") ? raw : `${pack}.${raw}`);
      uses.push(full);
      return full;
    };
    for (const line of body.split(";")) {
      const map = /map<\s*string\s*,\s*([\w.]+)\s*>\s+(\w+)\s*=\s*(\d+)/.exec(line);
      const plain = /(optional|repeated)\s+([\w.]+)\s+(\w+)\s*=\s*(\d+)/.exec(line);
      if (map !== null) fields.push(`${map[3] ?? ""}:${jsonName(name, map[2] ?? "")}:{}${typeOf(map[1] ?? "")}`);
      else if (plain !== null) {
        const [, label, raw = "", field = "", number = ""] = plain;
        const shown = inlined.has(`${name}.${field}`) ? "" : jsonName(name, field);
        fields.push(`${number}:${shown}:${label === "repeated" ? "[]" : ""}${typeOf(raw)}`);
      }
    }
    messages.set(shorten(`${pack}.${name}`), { fields, uses });
  }
}

const reached = new Set<string>();
const visit = (name: string): void => {
  if (reached.has(name)) return;
  reached.add(name);
  const message = messages.get(name);
  if (message === undefined) throw new Error(`no message ${name}`);
  message.uses.forEach(visit);
};
roots.forEach(visit);

const lines = [...reached].toSorted().map((name) => `${name} ${messages.get(name)?.fields.join(" ") ?? ""}`.trim());
writeFileSync(
  "src/apiserver/protobuf/messages.gen.ts",
  `// Written by build/protobuf-messages.ts from Kubernetes ${version} (Apache-2.0). Do not edit.\n/** One message per line: its name, then \`number:jsonName:type\`; no JSON name: its fields stand in the outer object. */\nexport const messages = \`\n${lines.join("\n")}\n\`;\n`,
);
console.log(`${lines.length} messages`);
