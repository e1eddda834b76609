import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";

function type(group: string, kind: string, plural: string, namespaced: boolean): ResourceType<KubeObject> {
  return { group, version: "v1", kind, plural, namespaced };
}

/** Types that are used only inside the API server. */
export const persistentVolumeClaims = type("", "PersistentVolumeClaim", "persistentvolumeclaims", true);
export const persistentVolumes = type("", "PersistentVolume", "persistentvolumes", false);
export const resourceQuotas = type("", "ResourceQuota", "resourcequotas", true);
export const limitRanges = type("", "LimitRange", "limitranges", true);
export const statefulSets = type("apps", "StatefulSet", "statefulsets", true);
export const controllerRevisions = type("apps", "ControllerRevision", "controllerrevisions", true);
export const daemonSets = type("apps", "DaemonSet", "daemonsets", true);
export const cronJobs = type("batch", "CronJob", "cronjobs", true);
export const endpointSlices = type("discovery.k8s.io", "EndpointSlice", "endpointslices", true);
export const podDisruptionBudgets = type("policy", "PodDisruptionBudget", "poddisruptionbudgets", true);
export const priorityClasses = type("scheduling.k8s.io", "PriorityClass", "priorityclasses", false);

const admission = "admissionregistration.k8s.io";
export const validatingAdmissionPolicies = type(
  admission,
  "ValidatingAdmissionPolicy",
  "validatingadmissionpolicies",
  false,
);
export const validatingAdmissionPolicyBindings = type(
  admission,
  "ValidatingAdmissionPolicyBinding",
  "validatingadmissionpolicybindings",
  false,
);

const authentication = "authentication.k8s.io";
export const tokenReviews = type(authentication, "TokenReview", "tokenreviews", false);
export const selfSubjectReviews = type(authentication, "SelfSubjectReview", "selfsubjectreviews", false);

const authorization = "authorization.k8s.io";
export const subjectAccessReviews = type(authorization, "SubjectAccessReview", "subjectaccessreviews", false);
export const selfSubjectAccessReviews = type(
  authorization,
  "SelfSubjectAccessReview",
  "selfsubjectaccessreviews",
  false,
);
export const selfSubjectRulesReviews = type(authorization, "SelfSubjectRulesReview", "selfsubjectrulesreviews", false);
export const localSubjectAccessReviews = type(
  authorization,
  "LocalSubjectAccessReview",
  "localsubjectaccessreviews",
  true,
);
