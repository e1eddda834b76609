import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  mutatingWebhookConfigurationKind,
  validatingAdmissionPolicyBindingKind,
  validatingAdmissionPolicyKind,
  validatingWebhookConfigurationKind,
} from "./admission/admission-kinds.ts";
import { apiServiceKind } from "./extensions/api-service-kind.ts";
import type { BuiltInKind } from "./built-in-kind.ts";
import { configMapKind, secretKind, serviceAccountKind } from "./config-kinds.ts";
import { defineKind } from "./define-kind.ts";
import { eventKind, newerEventKind } from "./event-kinds.ts";
import { customResourceDefinitionKind } from "./extensions/extension-kinds.ts";
import { cronJobKind, jobKind } from "./jobs/job-kinds.ts";
import { namespaceKind } from "./namespace-kind.ts";
import { nodeKind } from "./node-kind.ts";
import { podDisruptionBudgetKind } from "./workloads/disruption-budget-kind.ts";
import { endpointSliceKind, endpointsKind } from "./services/endpoints-kinds.ts";
import { leaseKind } from "./lease-kind.ts";
import { networkPolicyKind } from "./network-policy-kind.ts";
import { priorityClassKind } from "./quotas/priority-class-kind.ts";
import { limitRangeKind, resourceQuotaKind } from "./quotas/quota-kinds.ts";
import { persistentVolumeClaimKind, persistentVolumeKind } from "./storage/volume-kinds.ts";
import { podKind } from "./pods/pod-kind.ts";
import { clusterRoleBindingKind, clusterRoleKind, roleBindingKind, roleKind } from "./rbac-kinds.ts";
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
  tokenReviews,
} from "./resource-types.ts";
import { serviceKind } from "./services/service-kind.ts";
import {
  controllerRevisionKind,
  daemonSetKind,
  deploymentKind,
  replicaSetKind,
  statefulSetKind,
} from "./workloads/workload-kinds.ts";

/** A review: create returns the answer and nothing is stored. */
function reviewKind(type: ResourceType): BuiltInKind {
  return defineKind(type, { stored: false, verbs: ["create"], nameRule: "any" });
}

/**
 * All built-in kinds. kube-apiserver has more, which nothing here needs; `ControllerRevision` is included because
 * StatefulSets cannot roll back without it.
 */
export const builtInKinds: readonly BuiltInKind[] = [
  namespaceKind,
  configMapKind,
  secretKind,
  serviceAccountKind,
  serviceKind,
  endpointsKind,
  eventKind,
  podKind,
  nodeKind,
  persistentVolumeClaimKind,
  persistentVolumeKind,
  resourceQuotaKind,
  limitRangeKind,
  deploymentKind,
  replicaSetKind,
  statefulSetKind,
  daemonSetKind,
  controllerRevisionKind,
  jobKind,
  cronJobKind,
  roleKind,
  roleBindingKind,
  clusterRoleKind,
  clusterRoleBindingKind,
  customResourceDefinitionKind,
  apiServiceKind,
  validatingWebhookConfigurationKind,
  mutatingWebhookConfigurationKind,
  validatingAdmissionPolicyKind,
  validatingAdmissionPolicyBindingKind,
  leaseKind,
  newerEventKind,
  endpointSliceKind,
  networkPolicyKind,
  podDisruptionBudgetKind,
  priorityClassKind,
  reviewKind(tokenReviews),
  reviewKind(selfSubjectReviews),
  reviewKind(subjectAccessReviews),
  reviewKind(selfSubjectAccessReviews),
  reviewKind(selfSubjectRulesReviews),
  reviewKind(localSubjectAccessReviews),
];
