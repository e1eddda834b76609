import { admission, applied, olmV1, rbac, type Right, v1, watched } from "./right.ts";

/** The kinds of OLM v1. */
export const kindsOfV1: readonly Right[] = [
  v1({
    group: olmV1,
    resources: ["clustercatalogs", "clusterextensions"],
    verbs: [...watched, "patch"],
    why: "what is asked for; finalizers are written there",
  }),
  v1({
    group: olmV1,
    resources: ["clusterobjectsets"],
    verbs: ["get", ...watched, "create", "patch"],
    why: "each version of an extension is a revision of its own",
  }),
  v1({
    group: olmV1,
    resources: ["clusterobjectsets"],
    verbs: ["delete"],
    why: "of the archived revisions the oldest are deleted",
    asked: "rare",
  }),
  v1({
    group: olmV1,
    resources: ["clustercatalogs/status", "clusterextensions/status", "clusterobjectsets/status"],
    verbs: ["update"],
    why: "state and conditions of each object",
  }),
];

/** The objects of extensions. */
export const operatorsOfV1: readonly Right[] = [
  v1({
    group: "",
    resources: ["secrets"],
    verbs: ["get", "create", "patch"],
    why: "the objects of a revision are stored in Secrets of olmv1-system, which its revision owns",
  }),
  v1({
    group: "",
    resources: ["secrets"],
    verbs: applied,
    why: "bundles may hold Secrets, and certificates of webhooks are kept in some",
    asked: "content",
  }),
  v1({
    group: "",
    resources: ["services", "serviceaccounts", "configmaps"],
    verbs: applied,
    why: "parts of bundles",
    asked: "content",
  }),
  v1({
    group: "apps",
    resources: ["deployments"],
    verbs: applied,
    why: "the Deployments of operators",
    asked: "content",
  }),
  v1({
    group: rbac,
    resources: ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
    verbs: applied,
    why: "the permissions that operators ask for in their bundles",
    asked: "content",
  }),
  v1({
    group: "apiextensions.k8s.io",
    resources: ["customresourcedefinitions"],
    verbs: ["create", "patch", "delete"],
    why: "operators bring the definitions of their APIs",
    asked: "content",
  }),
  v1({
    group: admission,
    resources: ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"],
    verbs: applied,
    why: "the webhooks that operators describe in their ClusterServiceVersions",
    asked: "content",
  }),
];
