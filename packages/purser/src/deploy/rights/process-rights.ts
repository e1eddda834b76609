import { right, watched, type Right } from "./right.ts";

/** What the process needs whatever it serves. */
export const process: readonly Right[] = [
  right({
    scope: "own",
    group: "coordination.k8s.io",
    resources: ["leases"],
    verbs: ["get", "create", "update"],
    why: "one of the replicas leads; the Lease says which",
  }),
  right({
    group: "",
    resources: ["events"],
    verbs: ["create"],
    why: "what happens to an installation is shown as events beside its objects",
  }),
  right({
    group: "",
    resources: ["events"],
    verbs: ["patch"],
    why: "an event that is repeated is counted instead of written again",
    asked: "rare",
  }),
  right({
    group: "",
    resources: ["namespaces"],
    verbs: ["get"],
    why: "at the start, the namespaces of catalogs and revisions are looked for; a bundle is installed into one that exists",
  }),
  right({
    group: "apiextensions.k8s.io",
    resources: ["customresourcedefinitions"],
    verbs: ["get", ...watched],
    why: "whether Purser's own kinds are served, and which APIs operators own and need",
  }),
  right({
    group: "apiregistration.k8s.io",
    resources: ["apiservices"],
    verbs: watched,
    why: "which aggregated APIs are served, so that what was learned of an API group is forgotten when it changes",
  }),
  right({
    condition: "reviews",
    group: "authorization.k8s.io",
    resources: ["subjectaccessreviews"],
    verbs: ["create"],
    why: "whether the caller of an endpoint may see what it asks for, and whether an operator's ServiceAccount has what its bundle needs",
  }),
  right({
    condition: "tls",
    group: "authentication.k8s.io",
    resources: ["tokenreviews"],
    verbs: ["create"],
    why: "who asks for metrics over TLS",
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
    why: "the ClusterOperators that show how operators and catalogs are",
  }),
  right({
    condition: "openshift",
    group: config,
    resources: ["clusteroperators/status"],
    verbs: ["update", "patch"],
    why: "their conditions and versions",
  }),
  right({
    condition: "openshift",
    group: config,
    resources: ["clusterversions", "proxies"],
    verbs: ["get", ...watched],
    why: "which release is next, and the proxy that Deployments of operators get",
  }),
];
