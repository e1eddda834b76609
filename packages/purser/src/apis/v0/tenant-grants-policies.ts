import { configMaps } from "@purser/kubernetes/apis/resources";
import { operatorGroups, subscriptions } from "../olm-resources.ts";
import { writePolicy } from "../write-policy.ts";

/**
 * Whoever may give any rights to anybody may also install any operator. Everybody else is bounded by the service account of the
 * namespace's OperatorGroup: kube-apiserver judges every write of an installation by its rights.
 */
const mayNotGrantEverything = {
  name: "may-not-grant-everything",
  expression: "!authorizer.group('rbac.authorization.k8s.io').resource('clusterroles').check('escalate').allowed()",
};

const remedy =
  "Ask a cluster administrator to set spec.serviceAccountName of the OperatorGroup to an account with the rights that operators may have in this namespace, or to make this change";

const accountOf = (group: string): string => `${group}.?spec.?serviceAccountName.orValue('')`;

const boundedByAccount = [
  {
    expression: `${accountOf("params")} != ''`,
    message: `operators of this namespace are installed with all rights of the lifecycle manager. ${remedy}`,
    messageExpression: `'OperatorGroup ' + params.metadata.name + ' names no service account, so that operators are installed with more rights than ' + request.userInfo.username + ' may grant. ${remedy}'`,
  },
];

/**
 * Refuses writes that install an operator with more rights than the user holds: specs, and the status of an InstallPlan, which
 * holds its steps. Metadata and other statuses install nothing. In a namespace without an OperatorGroup nothing is
 * refused (`Deny` for missing parameters would refuse administrators too) and nothing is installed, until an administrator
 * adds a group: one without an account then installs what tenants made before with all rights, as none of it says who made it.
 */
const tenantGrantsPolicy = writePolicy("operators-bounded-by-service-account", subscriptions, "Deny", {
  resources: ["subscriptions", "catalogsources", "clusterserviceversions", "installplans/status"],
  params: operatorGroups,
  matchConditions: [
    {
      name: "changes-what-is-installed",
      expression:
        "oldObject == null || (request.?subResource.orValue('') == 'status' ? object.?status != oldObject.?status : object.?spec != oldObject.?spec)",
    },
    mayNotGrantEverything,
  ],
  variables: [],
  validations: boundedByAccount,
});

/** Of one that a CatalogSource names as its content, by the key that every installable catalog has; and of one that OLM unpacked a bundle into. */
const isCatalogContent = (configMap: string): string =>
  `('clusterServiceVersions' in ${configMap}.?data.orValue({}) || ${configMap}.metadata.?ownerReferences.orValue([]).exists(owner, owner.kind == 'CatalogSource'))`;

/**
 * Refuses writes of ConfigMaps that operators are installed from, under the same condition as writes of CatalogSources. Removed
 * owners are accepted: the garbage collector orphans objects, and a ConfigMap that no CatalogSource owns is not a bundle.
 * While OperatorGroups are not served nothing is judged: a policy without its parameters refuses before it looks at the
 * conditions, which would be every ConfigMap of the cluster.
 */
const tenantContentPolicy = writePolicy("catalog-contents-bounded-by-service-account", configMaps, "Deny", {
  params: operatorGroups,
  failurePolicy: "Ignore",
  matchConditions: [
    {
      name: "is-catalog-content",
      expression: `${isCatalogContent("object")} || (oldObject != null && ${isCatalogContent("oldObject")})`,
    },
    {
      name: "changes-the-content",
      expression: `oldObject == null || object.?data != oldObject.?data || object.?binaryData != oldObject.?binaryData || object.metadata.?annotations != oldObject.metadata.?annotations || !${isCatalogContent("oldObject")}`,
    },
    mayNotGrantEverything,
  ],
  variables: [],
  validations: boundedByAccount,
});

/** `verb` on the account that the group names, or on its subresource. */
const mayUse = (subresource: string, verb: string): string =>
  `authorizer.group('').resource('serviceaccounts')${subresource}.namespace(request.namespace).name(object.spec.serviceAccountName).check('${verb}').allowed()`;

/** Refuses an OperatorGroup whose operators get more rights than its user holds: without an account, or with one of others. */
const tenantGroupsPolicy = writePolicy("operatorgroups-name-service-account", operatorGroups, "Deny", {
  matchConditions: [
    { name: "changes-the-group", expression: "oldObject == null || object.?spec != oldObject.?spec" },
    mayNotGrantEverything,
  ],
  variables: [],
  validations: [
    {
      expression: `${accountOf("object")} != ''`,
      message: `operators of this group would be installed with all rights of the lifecycle manager. Set spec.serviceAccountName to an account that you may impersonate, or ask a cluster administrator to make this change`,
    },
    {
      expression: `${accountOf("object")} == '' || ${mayUse("", "impersonate")} || ${mayUse(".subresource('token')", "create")}`,
      message:
        "operators of this group would be installed with the rights of a service account that you may not impersonate",
      messageExpression:
        "'operators of this group would be installed with the rights of service account ' + object.spec.serviceAccountName + ', and ' + request.userInfo.username + ' may neither impersonate it nor create tokens for it'",
    },
  ],
});

/** Refuses a status of an OperatorGroup that no controller writes: it names the account that installs. */
const tenantGroupStatusPolicy = writePolicy("operatorgroups-status", operatorGroups, "Deny", {
  resources: ["operatorgroups/status"],
  matchConditions: [
    { name: "changes-the-status", expression: "object.?status != oldObject.?status" },
    mayNotGrantEverything,
  ],
  variables: [],
  validations: [
    {
      expression: "false",
      message:
        "the status of an OperatorGroup holds its namespaces and the account that installs; only the lifecycle manager writes it",
    },
  ],
});

/** All of them, in the order in which they are applied. */
export const tenantPolicies = [
  tenantGrantsPolicy,
  tenantContentPolicy,
  tenantGroupsPolicy,
  tenantGroupStatusPolicy,
] as const;
