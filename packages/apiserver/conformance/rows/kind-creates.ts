import type { JsonObject } from "@purser/kubernetes/json";
import type { Row } from "../row.ts";

const core = "/api/v1/namespaces/{ns}";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const hooks = "/apis/admissionregistration.k8s.io/v1";
const named = { metadata: { name: "x" } };
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const role = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "none" };
const volume = { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } };
const webhook = {
  name: "a.b.c",
  clientConfig: { url: "https://127.0.0.1:1/x" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};
const rule = { operations: ["CREATE"], apiGroups: ["none.example"], apiVersions: ["v1"], resources: ["foos"] };

/** Invalid objects: name, collection, body, and the message after the object's name. */
const refusals: readonly (readonly [what: string, where: string, body: JsonObject, fault: string])[] = [
  [
    "Docker configuration that is not JSON",
    `${core}/secrets`,
    { ...named, type: "kubernetes.io/dockercfg", stringData: { ".dockercfg": "x" } },
    'Secret "x" is invalid: data[.dockercfg]: Invalid value: "<secret contents redacted>": invalid character \'x\' looking for beginning of value',
  ],
  [
    "Docker configuration that is not an object",
    `${core}/secrets`,
    { ...named, type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "[]" } },
    'Secret "x" is invalid: data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}',
  ],
  [
    "an empty private key",
    `${core}/secrets`,
    { ...named, type: "kubernetes.io/ssh-auth", stringData: { "ssh-privatekey": "" } },
    'Secret "x" is invalid: data[ssh-privatekey]: Required value',
  ],
  [
    "an empty aggregation selector",
    `${rbac}/clusterroles`,
    { ...named, aggregationRule: {} },
    'ClusterRole.rbac.authorization.k8s.io "x" is invalid: aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
  ],
  [
    "an invalid aggregation selector",
    `${rbac}/clusterroles`,
    { ...named, aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: "a", operator: "X" }] }] } },
    'ClusterRole.rbac.authorization.k8s.io "x" is invalid: [aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: "X": not a valid selector operator, aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.]',
  ],
  [
    "a role name with a slash",
    `${rbac}/namespaces/{ns}/rolebindings`,
    { ...named, roleRef: { ...role, name: "a/b" } },
    'RoleBinding.rbac.authorization.k8s.io "x" is invalid: roleRef.name: Invalid value: "a/b": may not contain \'/\'',
  ],
  [
    "a service account name that is not a subdomain",
    `${rbac}/namespaces/{ns}/rolebindings`,
    { ...named, roleRef: role, subjects: [{ kind: "ServiceAccount", name: "A", namespace: "n" }] },
    `RoleBinding.rbac.authorization.k8s.io "x" is invalid: subjects[0].name: Invalid value: "A": ${subdomain}`,
  ],
  [
    "a claim source without name",
    `${core}/persistentvolumeclaims`,
    { ...named, spec: { ...claim, dataSourceRef: { kind: "PersistentVolumeClaim" } } },
    'PersistentVolumeClaim "x" is invalid: [spec.dataSource.name: Required value, spec.dataSourceRef.name: Required value]',
  ],
  [
    "a CSI volume without driver and handle",
    "/api/v1/persistentvolumes",
    { ...named, spec: { ...volume, csi: {} } },
    'PersistentVolume "x" is invalid: [spec.csi.driver: Required value, spec.csi.volumeHandle: Required value]',
  ],
  [
    "a CSI secret without namespace",
    "/api/v1/persistentvolumes",
    { ...named, spec: { ...volume, csi: { driver: "d.x", volumeHandle: "h", nodePublishSecretRef: { name: "s" } } } },
    'PersistentVolume "x" is invalid: spec.csi.nodePublishSecretRef.namespace: Required value',
  ],
  [
    "a local volume without node affinity",
    "/api/v1/persistentvolumes",
    { ...named, spec: { ...volume, local: { path: "/x" } } },
    'PersistentVolume "x" is invalid: spec.nodeAffinity: Required value: Local volume requires node affinity',
  ],
  [
    "a taint without effect",
    "/api/v1/nodes",
    { ...named, spec: { taints: [{ key: "k" }] } },
    'Node "x" is invalid: metadata.taints[0].effect: Required value',
  ],
  [
    "a node with two address ranges of a family",
    "/api/v1/nodes",
    { ...named, spec: { podCIDRs: ["10.1.0.0/24", "10.2.0.0/24"], podCIDR: "10.1.0.0/24" } },
    'Node "x" is invalid: spec.podCIDRs: Invalid value: ["10.1.0.0/24","10.2.0.0/24"]: may specify no more than one CIDR for each IP family',
  ],
  [
    "an empty scope of a webhook rule",
    `${hooks}/validatingwebhookconfigurations`,
    { ...named, webhooks: [{ ...webhook, rules: [{ ...rule, scope: "" }] }] },
    'ValidatingWebhookConfiguration.admissionregistration.k8s.io "x" is invalid: webhooks[0].rules[0].scope: Unsupported value: "": supported values: "*", "Cluster", "Namespaced"',
  ],
  [
    "an unknown reinvocationPolicy",
    `${hooks}/mutatingwebhookconfigurations`,
    { ...named, webhooks: [{ ...webhook, reinvocationPolicy: "X" }] },
    'MutatingWebhookConfiguration.admissionregistration.k8s.io "x" is invalid: webhooks[0].reinvocationPolicy: Unsupported value: "X": supported values: "IfNeeded", "Never"',
  ],
  [
    "an empty eviction policy",
    "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
    { ...named, spec: { minAvailable: 1, unhealthyPodEvictionPolicy: "" } },
    'PodDisruptionBudget.policy "x" is invalid: spec.unhealthyPodEvictionPolicy: Unsupported value: "": supported values: "AlwaysAllow", "IfHealthyBudget"',
  ],
  [
    "a repeated zone hint",
    "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices",
    {
      ...named,
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.1.2.3"], hints: { forZones: [{ name: "z" }, { name: "z" }] } }],
    },
    'EndpointSlice.discovery.k8s.io "x" is invalid: endpoints[0].hints.forZones[1].name: Duplicate value: "z"',
  ],
  [
    "an invalid port of an APIService",
    "/apis/apiregistration.k8s.io/v1/apiservices",
    {
      metadata: { name: "v1.none.example" },
      spec: {
        group: "none.example",
        version: "v1",
        groupPriorityMinimum: 20_000,
        versionPriority: 1000,
        service: { namespace: "n", name: "s", port: 0 },
      },
    },
    'APIService.apiregistration.k8s.io "v1.none.example" is invalid: spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
  ],
  [
    "an empty port name",
    `${core}/pods`,
    { ...named, spec: { containers: [{ name: "c", image: "i", livenessProbe: { tcpSocket: { port: "" } } }] } },
    'Pod "x" is invalid: [spec.containers[0].livenessProbe.tcpSocket.port: Invalid value: "": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-), spec.containers[0].livenessProbe.tcpSocket.port: Invalid value: "": must contain at least one letter (a-z)]',
  ],
  [
    "an empty Windows user name",
    `${core}/pods`,
    {
      ...named,
      spec: { containers: [{ name: "c", image: "i" }], securityContext: { windowsOptions: { runAsUserName: "" } } },
    },
    'Pod "x" is invalid: spec.securityContext.windowsOptions.runAsUserName: Invalid value: "": runAsUserName cannot be an empty string',
  ],
  [
    "empty labels are not missing labels",
    "/apis/apps/v1/namespaces/{ns}/deployments",
    {
      ...named,
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: {} }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    },
    'Deployment.apps "x" is invalid: spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`',
  ],
];

/** Bodies of wrong types: Go names the type of the field. */
const misfits: readonly (readonly [where: string, body: JsonObject, fault: string])[] = [
  [`${core}/secrets`, { ...named, type: 5 }, "number into Go struct field Secret.type of type v1.SecretType"],
  [
    `${core}/configmaps`,
    { metadata: { name: "x", uid: 5 } },
    "number into Go struct field ObjectMeta.metadata.uid of type types.UID",
  ],
  [
    `${core}/persistentvolumeclaims`,
    { ...named, spec: { accessModes: "x" } },
    "string into Go struct field PersistentVolumeClaimSpec.spec.accessModes of type []v1.PersistentVolumeAccessMode",
  ],
  [
    `${core}/pods`,
    { ...named, spec: { restartPolicy: 5 } },
    "number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy",
  ],
];

export const kindCreateRows: readonly Row[] = [
  ...refusals.map(([what, path, body, message]): Row => ({
    row: 301,
    name: what,
    ask: { method: "POST", path: `${path}?dryRun=All`, body },
    code: 422,
    message,
  })),
  ...misfits.map(([path, body, fault]): Row => ({
    row: 301,
    name: `a body with ${fault.replace(/^.*struct field (\S+) .*$/u, "$1")} of another type is refused`,
    ask: { method: "POST", path: `${path}?dryRun=All`, body },
    code: 400,
    message: placedKind(path, `json: cannot unmarshal ${fault}`),
  })),
  {
    row: 301,
    name: "a ServiceAccount keeps only the names of its secrets",
    ask: {
      method: "POST",
      path: `${core}/serviceaccounts?dryRun=All`,
      body: { ...named, secrets: [{ name: "s", namespace: "n", kind: "Secret" }] },
    },
    code: 201,
    contains: { secrets: [{ name: "s" }] },
  },
  {
    row: 301,
    name: "managed fields are dropped when a ServiceAccount's secrets have no names",
    ask: { method: "POST", path: `${core}/serviceaccounts?dryRun=All`, body: { ...named, secrets: [{}] } },
    code: 201,
    contains: { metadata: { managedFields: undefined }, secrets: [{}] },
  },
  {
    row: 301,
    name: "an invalid certificate causes a warning",
    ask: {
      method: "POST",
      path: `${core}/secrets?dryRun=All`,
      body: { ...named, type: "kubernetes.io/tls", stringData: { "tls.crt": "", "tls.key": "" } },
    },
    code: 201,
    warnings: ["tls: failed to find any PEM data in certificate input"],
  },
];

function placedKind(path: string, text: string): string {
  const kinds: ReadonlyMap<string, string> = new Map([
    ["secrets", "Secret"],
    ["configmaps", "ConfigMap"],
    ["persistentvolumeclaims", "PersistentVolumeClaim"],
    ["pods", "Pod"],
  ]);
  const kind = kinds.get(path.slice(path.lastIndexOf("/") + 1)) ?? "";
  return `${kind} in version "v1" cannot be handled as a ${kind}: ${text}`;
}
