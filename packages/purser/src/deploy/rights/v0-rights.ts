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
    why: "reconcile the kinds of OLM v0",
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
    why: "write state and conditions",
  }),
  v0({
    group: olm,
    resources: ["subscriptions", "clusterserviceversions", "operatorgroups", "catalogsources", "installplans"],
    verbs: ["patch"],
    why: "write the labels, annotations and owner references that OLM's clients rely on",
  }),
  v0({
    group: olm,
    resources: ["clusterserviceversions"],
    verbs: ["get", "create", "update", "delete"],
    why: "create them from InstallPlans, delete replaced ones, and maintain the copies of operators of all namespaces",
  }),
  v0({
    group: olm,
    resources: ["installplans"],
    verbs: ["get", "create"],
    why: "create one for each installation and upgrade, and read who approved it",
  }),
  v0({
    group: olm,
    resources: ["installplans"],
    verbs: ["delete"],
    why: "delete the oldest when more than five have ended",
    asked: "rare",
  }),
  v0({
    group: olm,
    resources: ["subscriptions"],
    verbs: ["create"],
    why: "create Subscriptions for dependencies",
  }),
  v0({
    group: olm,
    resources: ["operatorgroups", "olmconfigs"],
    verbs: ["create"],
    why: "create OLMConfig and the OperatorGroups of the namespaces operators and olm at the first start",
  }),
  v0({
    group: olm,
    resources: ["olmconfigs"],
    verbs: ["get"],
    why: "check whether OLMConfig exists",
  }),
  v0({
    group: olm,
    resources: ["operators"],
    verbs: ["create"],
    why: "create an Operator for each installed package, which lists its components",
  }),
  v0({
    group: olm,
    resources: ["operatorconditions"],
    verbs: ["create", "patch"],
    why: "create one for each operator, in which it reports whether it may be upgraded",
  }),
];

/** The objects of operators that OLM v0 installs. */
export const operatorsOfV0: readonly Right[] = [
  v0({
    group: "",
    resources: ["namespaces"],
    verbs: [...watched, "patch"],
    why: "evaluate the selectors of OperatorGroups, and label the selected namespaces for the webhooks of operators",
  }),
  v0({
    group: "apps",
    resources: ["deployments"],
    verbs: [...watched, "create", "update", "patch", "delete"],
    why: "create, repair and delete the Deployments of operators",
  }),
  v0({
    group: "",
    resources: ["services", "serviceaccounts", "secrets", "configmaps"],
    verbs: ["get", ...watched, "create", "update", "patch"],
    why: "create the objects of bundles and serving certificates of webhooks; read pull Secrets and catalogs in ConfigMaps",
  }),
  v0({
    group: rbac,
    resources: ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
    verbs: ["get", ...watched, "create", "update", "patch"],
    why: "grant the permissions that bundles require, and users' permissions for the APIs of operators",
  }),
  v0({
    group: rbac,
    resources: ["rolebindings", "clusterroles", "clusterrolebindings"],
    verbs: ["delete"],
    why: "revoke the permissions of an operator whose ClusterServiceVersion is deleted",
  }),
  v0({
    group: rbac,
    resources: ["roles"],
    verbs: ["delete"],
    why: "revoke the permissions of operators in namespaces that their OperatorGroup no longer targets",
    asked: "rare",
  }),
  v0({
    group: "apiextensions.k8s.io",
    resources: ["customresourcedefinitions"],
    verbs: ["create", "update", "patch"],
    why: "create and update the definitions of operators' APIs",
  }),
  v0({
    group: "apiregistration.k8s.io",
    resources: ["apiservices"],
    verbs: ["get", "create", "update", "delete"],
    why: "register aggregated APIs of operators, and the package API, which a new leader takes over",
  }),
  v0({
    group: "apiregistration.k8s.io",
    resources: ["apiservices"],
    verbs: ["patch"],
    why: "repair a changed APIService of an operator, and label one that an older OLM created",
    asked: "rare",
  }),
  v0({
    group: admission,
    resources: ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"],
    verbs: [...watched, "create", "update", "delete"],
    why: "configure the webhooks of ClusterServiceVersions",
  }),
  right({
    condition: "packageApi",
    group: "",
    resources: ["services"],
    verbs: ["delete"],
    why: "delete the Service that an earlier version of Purser created for its leader",
    asked: "rare",
  }),
  v0({
    group: "",
    resources: ["serviceaccounts/token"],
    verbs: ["create"],
    why: "install as the ServiceAccount that an OperatorGroup names",
  }),
  v0({
    group: "",
    resources: ["events"],
    verbs: watched,
    why: "find the warnings on ClusterServiceVersions whose copies are disabled",
  }),
  v0({
    group: "",
    resources: ["events"],
    verbs: ["delete"],
    why: "delete that warning when copies are enabled",
    asked: "rare",
  }),
];
