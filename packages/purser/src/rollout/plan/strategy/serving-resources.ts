import type { IntOrString, PodTemplateSpec, ServicePort } from "@purser/kubernetes/apis/core";
import type { KubeObject, OwnerReference } from "@purser/kubernetes/apis/object";
import type { Role, RoleBinding } from "@purser/kubernetes/apis/rbac";
import type { ClusterServiceVersion, StrategyDeployment } from "../../../apis/v0/cluster-service-version.ts";
import { caHashAnnotation } from "../../../apis/v0/labels.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { managed, ownerOf } from "./csv-owner.ts";
import { authReaderNamespace, servingNames } from "./serving-names.ts";

/** A certificate as the Secret of a deployment holds it; PEM texts in base64. */
export interface ServingSecretData {
  readonly "tls.crt": string;
  readonly "tls.key": string;
  readonly olmCAKey: string;
}

export interface ServingResources {
  readonly service: KubeObject;
  /** Without owner reference: whether it gets one depends on the existing Secret. */
  secret(data: ServingSecretData, authorityHash: string, owner: OwnerReference | undefined): KubeObject;
  role(owner: OwnerReference | undefined): Role;
  roleBinding(owner: OwnerReference | undefined): RoleBinding;
  readonly authDelegator: KubeObject;
  readonly authReader: KubeObject;
}

const rbacGroup = "rbac.authorization.k8s.io";
const rbac = `${rbacGroup}/v1`;

/** Whether a deployment serves webhooks or an API, and so needs a certificate. */
export function servesApis(csv: ClusterServiceVersion, deployment: string): boolean {
  const { webhookdefinitions, apiservicedefinitions } = csv.spec;
  return [...(webhookdefinitions ?? []), ...(apiservicedefinitions?.owned ?? [])].some(
    ({ deploymentName }) => deploymentName === deployment,
  );
}

/** The ServiceAccount of a pod template. */
export function podAccount(template: PodTemplateSpec | undefined): string {
  const name = template?.spec?.serviceAccountName ?? "";
  return name === "" ? "default" : name;
}

/** The Service, Secret and RBAC objects with which one Deployment serves webhooks and APIs. */
export function servingResources(csv: ClusterServiceVersion, { name, spec }: StrategyDeployment): ServingResources {
  const owner = ownerOf(csv);
  const names = servingNames(name);
  const subject = {
    kind: "ServiceAccount",
    name: podAccount(spec.template),
    namespace: owner.namespace,
  };
  const metadata = (reference: OwnerReference | undefined) => ({
    name: names.secret,
    namespace: owner.namespace,
    labels: managed,
    ...(reference === undefined ? {} : { ownerReferences: [reference] }),
  });
  return {
    service: asObject({
      apiVersion: "v1",
      kind: "Service",
      metadata: {
        name: names.service,
        namespace: owner.namespace,
        labels: managed,
        ownerReferences: [{ ...owner.reference }],
      },
      spec: {
        ports: servicePorts(csv, name).map((port) => ({ ...port })),
        ...selectorOf(spec.selector?.matchLabels),
      },
    }),
    secret: (data, authorityHash, reference) =>
      ({
        apiVersion: "v1",
        kind: "Secret",
        metadata: {
          ...metadata(reference),
          annotations: {
            [caHashAnnotation]: authorityHash,
            "openshift.io/owning-component": "Operator Framework / operator-lifecycle-manager",
          },
        },
        data,
        type: "kubernetes.io/tls",
      }) as KubeObject,
    role: (reference) => ({
      apiVersion: rbac,
      kind: "Role",
      metadata: metadata(reference),
      rules: [{ verbs: ["get"], apiGroups: [""], resources: ["secrets"], resourceNames: [names.secret] }],
    }),
    roleBinding: (reference) => ({
      apiVersion: rbac,
      kind: "RoleBinding",
      metadata: metadata(reference),
      subjects: [subject],
      roleRef: { apiGroup: rbacGroup, kind: "Role", name: names.secret },
    }),
    authDelegator: asObject({
      apiVersion: rbac,
      kind: "ClusterRoleBinding",
      metadata: { name: names.authDelegator, labels: { ...owner.labels, ...managed } },
      subjects: [{ ...subject, apiGroup: "" }],
      roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: "system:auth-delegator" },
    }),
    authReader: asObject({
      apiVersion: rbac,
      kind: "RoleBinding",
      metadata: { name: names.authReader, namespace: authReaderNamespace, labels: managed },
      subjects: [{ ...subject, apiGroup: "" }],
      roleRef: { apiGroup: rbacGroup, kind: "Role", name: "extension-apiserver-authentication-reader" },
    }),
  };
}

function asObject(object: JsonObject): KubeObject {
  return object as unknown as KubeObject;
}

function selectorOf(labels: Readonly<Record<string, string>> | undefined): { readonly selector?: JsonValue } {
  return labels === undefined ? {} : { selector: labels };
}

function servicePorts(csv: ClusterServiceVersion, deployment: string): readonly ServicePort[] {
  const ports = new Map<string, ServicePort>();
  const add = (containerPort: number | undefined, targetPort: IntOrString | undefined) => {
    const port = containerPort === undefined || containerPort === 0 ? 443 : containerPort;
    const entry = { name: String(port), port, targetPort: targetPort ?? port };
    ports.set(JSON.stringify(entry), entry);
  };
  for (const { deploymentName, containerPort } of csv.spec.apiservicedefinitions?.owned ?? []) {
    if (deploymentName === deployment) add(containerPort, undefined);
  }
  for (const { deploymentName, containerPort, targetPort } of csv.spec.webhookdefinitions ?? []) {
    if (deploymentName === deployment) add(containerPort, targetPort);
  }
  return [...ports.values()];
}
