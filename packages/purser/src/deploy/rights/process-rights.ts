import { rbac, right, watched, type Right } from "./right.ts";

/** What the process needs whatever it serves. */
export const process: readonly Right[] = [
  right({
    scope: "own",
    group: "coordination.k8s.io",
    resources: ["leases"],
    verbs: ["get", "create", "update"],
    why: "elect the leader among the replicas",
  }),
  right({
    condition: "shared",
    scope: "own",
    group: "",
    resources: ["secrets"],
    verbs: ["get"],
    why: "read the serving certificate of the package API and of catalogs",
  }),
  right({
    condition: "shared",
    group: rbac,
    resources: ["clusterroles"],
    verbs: ["get"],
    names: ["purser"],
    why: "make this role the owner of that certificate and of the APIService, so that they are deleted with it",
  }),
  right({
    condition: "ownCertificates",
    scope: "own",
    group: "",
    resources: ["secrets"],
    verbs: ["create"],
    why: "store that certificate, which Purser issues unless another issuer is chosen",
  }),
  right({
    condition: "ownCertificates",
    scope: "own",
    group: "",
    resources: ["secrets"],
    verbs: ["update"],
    why: "renew that certificate ten days before it expires",
    asked: "rare",
  }),
  right({
    group: "",
    resources: ["events"],
    verbs: ["create"],
    why: "emit events about installations",
  }),
  right({
    group: "",
    resources: ["events"],
    verbs: ["patch"],
    why: "count a repeated event instead of creating another one",
    asked: "rare",
  }),
  right({
    group: "",
    resources: ["namespaces"],
    verbs: ["get"],
    why: "check that the namespaces of catalogs, revisions and bundles exist",
  }),
  right({
    group: "apiextensions.k8s.io",
    resources: ["customresourcedefinitions"],
    verbs: ["get", ...watched],
    why: "check that Purser's own kinds are served, and find the APIs that operators own and require",
  }),
  right({
    group: "apiregistration.k8s.io",
    resources: ["apiservices"],
    verbs: watched,
    why: "notice changes of aggregated APIs, to discard the cached discovery of their groups",
  }),
  right({
    condition: "reviews",
    group: "authorization.k8s.io",
    resources: ["subjectaccessreviews"],
    verbs: ["create"],
    why: "authorize callers of endpoints, and check that an operator's ServiceAccount has the rights that its bundle requires",
  }),
  right({
    condition: "reviews",
    group: "authentication.k8s.io",
    resources: ["tokenreviews"],
    verbs: ["create"],
    why: "authenticate clients of metrics over TLS, of /explain and of /tenancy",
  }),
];

const config = "config.openshift.io";
/** What it reports to OpenShift and reads of it. */
export const onOpenShift: readonly Right[] = [
  right({
    condition: "openshift",
    group: config,
    resources: ["clusteroperators"],
    verbs: ["get", ...watched, "create"],
    why: "report the health of operators and catalogs as ClusterOperators",
  }),
  right({
    condition: "openshift",
    group: config,
    resources: ["clusteroperators/status"],
    verbs: ["update", "patch"],
    why: "write their conditions and versions",
  }),
  right({
    condition: "openshift",
    group: config,
    resources: ["clusterversions", "proxies"],
    verbs: ["get", ...watched],
    why: "read the next release, and the proxy for the Deployments of operators",
  }),
];
