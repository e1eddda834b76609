import type { KubeObject } from "./object.ts";
import type { LabelSelector } from "./selector.ts";

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

export interface Subject {
  /** `ServiceAccount`, `User` or `Group`. */
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly apiGroup?: string;
}

export interface Role extends KubeObject {
  readonly rules?: readonly PolicyRule[];
}

export interface ClusterRole extends KubeObject {
  readonly rules?: readonly PolicyRule[];
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}

export interface RoleBinding extends KubeObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
}

export interface ClusterRoleBinding extends KubeObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
}
