import type { Condition } from "./values.ts";

/** A permission of Purser's ServiceAccount, with the reason for it. */
export interface Right {
  /** When it is granted; absent: always. */
  readonly condition?: Condition;
  /** `own`: a Role of Purser's namespace; `cluster`: the ClusterRole. */
  readonly scope: "cluster" | "own";
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Restricted to objects of these names. */
  readonly names?: readonly string[];
  readonly why: string;
  /**
   * How the API server asks for it: for a request of ours; when it checks what a request contains; or for requests that
   * depend on what the installed bundles hold; or for requests that no ordinary flow sends.
   */
  readonly asked: "request" | "check" | "content" | "rare";
}

const olm = "operators.coreos.com";
const olmV1 = "olm.operatorframework.io";
const rbac = "rbac.authorization.k8s.io";
const admission = "admissionregistration.k8s.io";
const watched = ["list", "watch"];

type Row = Omit<Right, "scope" | "asked"> & Partial<Pick<Right, "scope" | "asked">>;
const right = (row: Row): Right => ({ scope: "cluster", asked: "request", ...row });
const v0 = (row: Omit<Row, "condition">): Right => right({ condition: "v0", ...row });
const v1 = (row: Omit<Row, "condition">): Right => right({ condition: "v1", ...row });

const process: readonly Right[] = [
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

const updatePolicies: readonly Right[] = [
  right({
    group: "purser.dev",
    resources: ["updatepolicies", "clusterupdatepolicies"],
    verbs: watched,
    why: "which versions installations may get",
  }),
  right({
    group: "purser.dev",
    resources: ["updatepolicies/status", "clusterupdatepolicies/status"],
    verbs: ["update"],
    why: "whether a policy decides, and for how many installations",
  }),
];

const kindsOfV0: readonly Right[] = [
  v0({
    group: olm,
    resources: [
      "catalogsources",
      "subscriptions",
      "installplans",
      "clusterserviceversions",
      "operatorgroups",
      "olmconfigs",
      "operators",
      "operatorconditions",
    ],
    verbs: watched,
    why: "the kinds of OLM v0 are what its controllers work on",
  }),
  v0({
    group: olm,
    resources: [
      "catalogsources/status",
      "subscriptions/status",
      "installplans/status",
      "clusterserviceversions/status",
      "operatorgroups/status",
      "olmconfigs/status",
      "operators/status",
    ],
    verbs: ["update"],
    why: "state and conditions of each object",
  }),
  v0({
    group: olm,
    resources: ["subscriptions", "clusterserviceversions", "operatorgroups", "catalogsources", "installplans"],
    verbs: ["patch"],
    why: "labels, annotations and owner references by which OLM's clients find what belongs together",
  }),
  v0({
    group: olm,
    resources: ["clusterserviceversions"],
    verbs: ["get", "create", "update", "delete"],
    why: "an InstallPlan creates them, an upgrade deletes the replaced one, copies are kept for operators of all namespaces",
  }),
  v0({
    group: olm,
    resources: ["installplans"],
    verbs: ["create"],
    why: "one for each install and upgrade",
  }),
  v0({
    group: olm,
    resources: ["installplans"],
    verbs: ["delete"],
    why: "of more than five that have ended, the oldest are deleted",
    asked: "rare",
  }),
  v0({
    group: olm,
    resources: ["subscriptions"],
    verbs: ["create"],
    why: "a package that another needs gets a Subscription of its own",
  }),
  v0({
    group: olm,
    resources: ["operatorgroups", "olmconfigs"],
    verbs: ["create"],
    why: "the groups of the namespaces operators and olm, and the settings, are made at the first start",
  }),
  v0({
    group: olm,
    resources: ["olmconfigs"],
    verbs: ["get"],
    why: "whether the settings exist already",
  }),
  v0({
    group: olm,
    resources: ["operators"],
    verbs: ["create"],
    why: "each installed package has an Operator that lists its parts",
  }),
  v0({
    group: olm,
    resources: ["operatorconditions"],
    verbs: ["create", "patch"],
    why: "each operator gets one in which it says whether it may be upgraded",
  }),
];

const operatorsOfV0: readonly Right[] = [
  v0({
    group: "",
    resources: ["namespaces"],
    verbs: [...watched, "patch"],
    why: "which namespaces an OperatorGroup selects, and the label by which webhooks of its operators find them",
  }),
  v0({
    group: "apps",
    resources: ["deployments"],
    verbs: [...watched, "create", "update", "patch", "delete"],
    why: "the Deployments of operators are created from their ClusterServiceVersions, repaired, and deleted with them",
  }),
  v0({
    group: "",
    resources: ["services", "serviceaccounts", "secrets", "configmaps"],
    verbs: ["get", ...watched, "create", "update", "patch"],
    why: "parts of bundles, serving certificates of webhooks, pull secrets and catalogs in ConfigMaps",
  }),
  v0({
    group: rbac,
    resources: ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
    verbs: ["get", ...watched, "create", "update", "patch"],
    why: "the permissions that operators ask for in their bundles, and those of users for the APIs of operators",
  }),
  v0({
    group: rbac,
    resources: ["rolebindings", "clusterroles", "clusterrolebindings"],
    verbs: ["delete"],
    why: "the permissions of an operator end with its ClusterServiceVersion",
  }),
  v0({
    group: rbac,
    resources: ["roles"],
    verbs: ["delete"],
    why: "when an OperatorGroup gets fewer namespaces, the permissions of its operators in the others end",
    asked: "rare",
  }),
  v0({
    group: "apiextensions.k8s.io",
    resources: ["customresourcedefinitions"],
    verbs: ["create", "update", "patch"],
    why: "operators bring the definitions of their APIs",
  }),
  v0({
    group: "apiregistration.k8s.io",
    resources: ["apiservices"],
    verbs: ["get", "create", "update", "delete"],
    why: "operators that serve an aggregated API, and the package API, which a new leader takes over",
  }),
  v0({
    group: "apiregistration.k8s.io",
    resources: ["apiservices"],
    verbs: ["patch"],
    why: "an APIService of an operator that somebody changed is repaired, and one that an older OLM made is labelled",
    asked: "rare",
  }),
  v0({
    group: admission,
    resources: ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"],
    verbs: [...watched, "create", "update", "delete"],
    why: "the webhooks that operators describe in their ClusterServiceVersions",
  }),
  right({
    condition: "packageApi",
    group: "",
    resources: ["services"],
    verbs: ["delete"],
    why: "the Service that leads to the package API is made anew when another replica leads",
  }),
  v0({
    group: "",
    resources: ["serviceaccounts/token"],
    verbs: ["create"],
    why: "an OperatorGroup may name a ServiceAccount: then everything is installed as that account, with a token of its own",
  }),
  v0({
    group: "",
    resources: ["events"],
    verbs: watched,
    why: "whether there is a warning on each ClusterServiceVersion whose copies are switched off",
  }),
  v0({
    group: "",
    resources: ["events"],
    verbs: ["delete"],
    why: "the warning about copies that are switched off is taken back when they are switched on",
    asked: "rare",
  }),
];

const kindsOfV1: readonly Right[] = [
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

/** Server-side apply of v1: whether an object exists, its changes, its creation and its end. */
const applied = ["get", ...watched, "create", "patch", "delete"];

const operatorsOfV1: readonly Right[] = [
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

const kindsOfBundles: readonly (readonly [group: string, resources: readonly string[]])[] = [
  ["policy", ["poddisruptionbudgets"]],
  ["networking.k8s.io", ["networkpolicies"]],
  ["scheduling.k8s.io", ["priorityclasses"]],
  ["monitoring.coreos.com", ["prometheusrules", "servicemonitors", "podmonitors"]],
  ["autoscaling.k8s.io", ["verticalpodautoscalers"]],
  [
    "console.openshift.io",
    ["consoleyamlsamples", "consolequickstarts", "consoleclidownloads", "consolelinks", "consoleplugins"],
  ],
];

const content: readonly Right[] = [
  ...kindsOfBundles.flatMap(([group, resources]) => [
    v0({
      group,
      resources,
      verbs: ["get", ...watched, "create", "update", "delete"],
      why: "bundles may hold objects of this kind; an InstallPlan creates and updates them",
      asked: "content",
    }),
    v1({ group, resources, verbs: applied, why: "bundles may hold objects of this kind", asked: "content" }),
  ]),
  v1({
    group: "cert-manager.io",
    resources: ["issuers", "certificates"],
    verbs: applied,
    why: "where cert-manager is installed it issues the certificates of webhooks",
    asked: "content",
  }),
  right({
    group: "*",
    resources: ["*"],
    verbs: ["list"],
    why: "before a new version of a definition is written, the stored objects of any API that operators own are checked against it",
    asked: "content",
  }),
  right({
    group: rbac,
    resources: ["roles", "clusterroles"],
    verbs: ["escalate", "bind"],
    why: "operators get the permissions of their bundles, also those that Purser itself does not have; with this right Purser can give any permission, so protect its namespace like the control plane",
    asked: "check",
  }),
  v1({
    group: olmV1,
    resources: ["clusterextensions/finalizers", "clusterobjectsets/finalizers"],
    verbs: ["update"],
    why: "revisions and their objects keep their owner until they are deleted (blockOwnerDeletion; checked on OpenShift)",
    asked: "check",
  }),
];

const config = "config.openshift.io";
const onOpenShift: readonly Right[] = [
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

/** Everything that Purser's ServiceAccount may do. */
export const rights: readonly Right[] = [
  ...process,
  ...updatePolicies,
  ...kindsOfV0,
  ...operatorsOfV0,
  ...kindsOfV1,
  ...operatorsOfV1,
  ...content,
  ...onOpenShift,
];
