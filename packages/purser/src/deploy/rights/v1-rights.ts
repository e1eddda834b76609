import { admission, applied, olmV1, rbac, type Right, v1, watched } from "./right.ts";

/** The kinds of OLM v1. */
export const kindsOfV1: readonly Right[] = [
  v1({
    group: olmV1,
    resources: ["clustercatalogs", "clusterextensions"],
    verbs: [...watched, "patch"],
    why: "reconcile the kinds of OLM v1, and write their finalizers",
  }),
  v1({
    group: olmV1,
    resources: ["clusterobjectsets"],
    verbs: ["get", ...watched, "create", "patch"],
    why: "create and reconcile the revisions of extensions",
  }),
  v1({
    group: olmV1,
    resources: ["clusterobjectsets"],
    verbs: ["delete"],
    why: "delete the oldest archived revisions",
    asked: "rare",
  }),
  v1({
    group: olmV1,
    resources: ["clustercatalogs/status", "clusterextensions/status", "clusterobjectsets/status"],
    verbs: ["update"],
    why: "write state and conditions",
  }),
];

/** The objects of extensions. */
export const operatorsOfV1: readonly Right[] = [
  v1({
    group: "",
    resources: ["secrets"],
    verbs: ["get", "create", "patch"],
    why: "store the objects of a revision in Secrets of the system namespace (olmv1-system)",
  }),
  v1({
    group: "",
    resources: ["secrets"],
    verbs: applied,
    why: "create Secrets of bundles, and the certificates of webhooks",
    asked: "content",
  }),
  v1({
    group: "",
    resources: ["services", "serviceaccounts", "configmaps"],
    verbs: applied,
    why: "create the objects of bundles",
    asked: "content",
  }),
  v1({
    group: "apps",
    resources: ["deployments"],
    verbs: applied,
    why: "create the Deployments of operators",
    asked: "content",
  }),
  v1({
    group: rbac,
    resources: ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
    verbs: applied,
    why: "grant the permissions that bundles require",
    asked: "content",
  }),
  v1({
    group: "apiextensions.k8s.io",
    resources: ["customresourcedefinitions"],
    verbs: ["create", "patch", "delete"],
    why: "create and update the definitions of operators' APIs",
    asked: "content",
  }),
  v1({
    group: admission,
    resources: ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"],
    verbs: applied,
    why: "configure the webhooks of ClusterServiceVersions",
    asked: "content",
  }),
];
