import { admission, olm, rbac, right, v0, watched, type Right } from "./right.ts";

/** The kinds of OLM v0. */
export const kindsOfV0: readonly Right[] = [
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
    verbs: ["get", "create"],
    why: "one for each install and upgrade; who approved it is read before it begins",
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

/** The objects of operators that OLM v0 installs. */
export const operatorsOfV0: readonly Right[] = [
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
