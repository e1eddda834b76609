// What tenants and operators may do, as `kubectl auth can-i` tells it: by the targets of an OperatorGroup, which change, and
// by the roles that Purser writes for the APIs of an operator.
import assert from "node:assert/strict";
import { isJsonObject } from "@purser/kubernetes/json";
import { clusterRoles, configMaps } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { clusterServiceVersions, installPlans, operatorGroups, subscriptions } from "../src/apis/olm-resources.ts";
import type { Driver } from "./driver.ts";
import { eventually } from "./eventually.ts";
import { csvSucceeded, namespace } from "./flow-steps.ts";
import type { Flow } from "./flows.ts";
import { patient } from "./surroundings.ts";
import { takeoverCatalog } from "./takeover-catalog.ts";

const [ops, a, b, bounded] = ["tenancy-ops", "tenancy-a", "tenancy-b", "tenancy-bounded"] as const;
const crd = "ledgers.takeover.example.com";

interface Question {
  readonly user: string;
  readonly verb: string;
  /** `RESOURCE.GROUP` or `RESOURCE`, with `/NAME` behind it for one object. */
  readonly resource: string;
  readonly namespace: string | undefined;
}

/** The request of `kubectl auth can-i VERB RESOURCE -n NAMESPACE --as USER`. */
async function mayDo(client: KubeClient, { user, verb, resource, namespace: where }: Question): Promise<boolean> {
  const [plural = "", name] = resource.split("/");
  const [kind = "", ...group] = plural.split(".");
  const resourceAttributes = {
    verb,
    resource: kind,
    ...(group.length === 0 ? {} : { group: group.join(".") }),
    ...(where === undefined ? {} : { namespace: where }),
    ...(name === undefined ? {} : { name }),
  };
  const value = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes },
  };
  const answer = await client.asUser({ name: user, groups: [] }).requestJson(
    {
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      headers: { "content-type": "application/json" },
      body: { kind: "object", value },
    },
    patient,
  );
  const status = isJsonObject(answer) ? answer["status"] : undefined;
  return isJsonObject(status) && status["allowed"] === true;
}

const operator = (where: string): string => `system:serviceaccount:${where}:ledger`;

/**
 * Waits until the API server answers a whole table.
 * @param table lines of `yes|no USER VERBS RESOURCE NAMESPACE`; verbs are separated by commas, the namespace `*` is all of them
 */
async function answers(driver: Driver, what: string, table: string): Promise<void> {
  const rows = table
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => {
      const [answer = "", who = "", verbs = "", resource = "", where = ""] = line.trim().split(/\s+/);
      const user = who === "operator" ? operator(ops) : who;
      return verbs
        .split(",")
        .map((verb) => ({ answer, user, verb, resource, namespace: where === "*" ? undefined : where }));
    });
  await eventually(what, async () => {
    const wrong: string[] = [];
    for (const { answer, ...question } of rows) {
      const allowed = await mayDo(driver.client, question);
      if (allowed !== (answer === "yes"))
        wrong.push(`${question.user} ${question.verb} ${question.resource} ${question.namespace ?? "*"} is ${allowed}`);
    }
    return wrong.length === 0 ? undefined : wrong.join("\n");
  });
}

const bind = (where: string | undefined, role: string, user: string): string => {
  const kind = where === undefined ? "ClusterRoleBinding" : "RoleBinding";
  return `---\n${JSON.stringify({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind,
    metadata: {
      name: `tenancy-${user}`,
      ...(where === undefined ? { labels: { "olm.owner.namespace": ops } } : { namespace: where }),
    },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
  })}\n`;
};

export const subscribed = (where: string, group: object): string =>
  [
    { apiVersion: "operators.coreos.com/v1", kind: "OperatorGroup", metadata: { name: "group" }, spec: group },
    takeoverCatalog(where, { ledger: 1 }),
    {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "CatalogSource",
      metadata: { name: "catalog" },
      spec: { sourceType: "internal", configMap: "catalog" },
    },
    {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "Subscription",
      metadata: { name: "ledger" },
      spec: { name: "ledger", channel: "stable", source: "catalog", sourceNamespace: where },
    },
  ]
    .map((object) => ({ ...object, metadata: { ...object.metadata, namespace: where } }))
    .map((object) => `---\n${JSON.stringify(object)}\n`)
    .join("");

const targets = (driver: Driver, targetNamespaces: readonly string[] | null): Promise<void> =>
  driver.merge(operatorGroups, { namespace: ops, name: "group" }, { spec: { targetNamespaces } });

/** The ClusterRole that Purser writes for the users of an OperatorGroup. */
async function groupRole(driver: Driver, suffix: string): Promise<string> {
  const all = (await driver.list(clusterRoles)).filter(
    ({ metadata: { name, labels } }) =>
      name?.startsWith(`olm.og.group.${suffix}-`) === true && labels?.["olm.owner.namespace"] === ops,
  );
  assert.equal(all.length, 1, `one ClusterRole ${suffix} of the group`);
  return all[0]?.metadata.name ?? "";
}

/** Of the users that the namespace `a` has by the built-in roles; the auditor has `view` of the whole cluster. */
const usersOfTheApi = `
yes viewer   get,list,watch             ${crd}  ${a}
no  viewer   create,update,patch,delete ${crd}  ${a}
yes editor   create,update,patch,delete ${crd}  ${a}
yes editor   get,list,watch             ${crd}  ${a}
no  editor   deletecollection           ${crd}  ${a}
yes owner    deletecollection,create    ${crd}  ${a}
no  viewer   get                        ${crd}  ${b}
no  editor   create                     ${crd}  ${b}
no  owner    create                     ${crd}  *
no  stranger get,create                 ${crd}  ${a}
yes auditor  get                        customresourcedefinitions.apiextensions.k8s.io/${crd}  *
no  auditor  get                        customresourcedefinitions.apiextensions.k8s.io/other.example.com  *
no  auditor  list,update                customresourcedefinitions.apiextensions.k8s.io  *
no  viewer   get                        customresourcedefinitions.apiextensions.k8s.io/${crd}  *
`;

/** The roles that Purser brings for its own kinds. */
const usersOfOlm = `
yes viewer get,list,watch             subscriptions.operators.coreos.com          ${a}
yes viewer get                        clusterserviceversions.operators.coreos.com ${a}
yes viewer get                        installplans.operators.coreos.com           ${a}
yes viewer list                       operatorgroups.operators.coreos.com         ${a}
yes viewer list                       packagemanifests.packages.operators.coreos.com ${a}
no  viewer create,delete              subscriptions.operators.coreos.com          ${a}
yes editor create,update,patch,delete subscriptions.operators.coreos.com          ${a}
yes editor delete                     clusterserviceversions.operators.coreos.com ${a}
yes editor delete                     catalogsources.operators.coreos.com         ${a}
no  editor create,update,patch        clusterserviceversions.operators.coreos.com ${a}
no  editor create,update              catalogsources.operators.coreos.com         ${a}
no  editor create,update,delete       operatorgroups.operators.coreos.com         ${a}
no  owner  create,update              operatorgroups.operators.coreos.com         ${a}
no  editor create                     subscriptions.operators.coreos.com          ${b}
no  stranger get                      subscriptions.operators.coreos.com          ${a}
`;

/** Its clusterPermissions hold everywhere, whatever the group targets. */
const ownRights = `
yes operator create,get    configmaps ${ops}
no  operator delete,list   configmaps ${ops}
yes operator create,delete ${crd}     ${a}
yes operator create        ${crd}     *
no  operator get           secrets    ${ops}
`;

export const tenantRights: Flow = {
  name: "v0: users and operators may do what the targets of the OperatorGroup and the roles of the APIs give them, and no more",
  namespaces: [ops, a, b, bounded],
  crds: [crd],
  catalogs: "none",
  async run(driver) {
    await driver.apply([ops, a, b, bounded].map(namespace).join("---\n"));
    await driver.apply(
      subscribed(ops, { targetNamespaces: [ops] }) +
        bind(a, "view", "viewer") +
        bind(a, "edit", "editor") +
        bind(a, "admin", "owner") +
        bind(undefined, "view", "auditor"),
    );
    await csvSucceeded(driver, ops, "ledger.v1");
    const none = `no operator create,get configmaps ${a}\nno operator create,get configmaps ${b}`;
    await answers(driver, "a group for its own namespace", `${usersOfTheApi}${usersOfOlm}${ownRights}${none}`);

    await driver.apply(bind(a, await groupRole(driver, "view"), "group-viewer"));
    await driver.apply(bind(a, await groupRole(driver, "edit"), "group-editor"));
    const groupUsers = `
      yes group-viewer get    ${crd}    ${a}
      no  group-viewer create ${crd}    ${a}
      no  group-viewer get    configmaps ${a}
      yes group-editor create ${crd}    ${a}
      no  group-editor get    ${crd}    ${a}
      no  group-editor create ${crd}    ${b}`;
    await answers(driver, "the roles of the group", groupUsers);

    await targets(driver, [ops, a]);
    const inA = `yes operator create,get configmaps ${a}\nno operator delete configmaps ${a}\nno operator create,get configmaps ${b}`;
    await answers(driver, "a group for two namespaces", `${ownRights}${inA}`);
    await targets(driver, [ops, b]);
    const inB = `no operator create,get configmaps ${a}\nyes operator create,get configmaps ${b}`;
    await answers(driver, "a group that left a namespace", `${ownRights}${inB}`);
    await targets(driver, null);
    const everywhere = `
      yes operator create,get     configmaps *
      yes operator get,list,watch namespaces *
      no  operator delete         configmaps *
      no  operator create         namespaces *`;
    await answers(driver, "a group for all namespaces", `${ownRights}${everywhere}`);
    await targets(driver, [ops]);
    const revoked = `${none}\nno operator create configmaps *\nno operator list namespaces *`;
    await answers(driver, "a group for its own namespace again", `${ownRights}${revoked}${usersOfTheApi}`);

    await boundedByAccount(driver);
    await boundedContent(driver);

    await driver.remove(subscriptions, { namespace: ops, name: "ledger" });
    await driver.remove(clusterServiceVersions, { namespace: ops, name: "ledger.v1" });
    const uninstalled = `
      no operator create,get configmaps ${ops}
      no operator get ${crd} ${a}
      no group-viewer get ${crd} ${a}
      no group-editor create ${crd} ${a}`;
    await answers(driver, "an operator that was deleted", `${uninstalled}${usersOfTheApi}`);
  },
};

/** An operator gets nothing that the account of its group does not hold, until the account is granted it. */
async function boundedByAccount(driver: Driver): Promise<void> {
  await driver.apply(
    `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: installer, namespace: ${bounded}}\n` +
      subscribed(bounded, { targetNamespaces: [bounded], serviceAccountName: "installer" }),
  );
  await eventually("the plan names what the account lacks", async () => {
    const [plan] = await driver.list(installPlans, bounded);
    const message = plan?.status?.message ?? "";
    return message.includes(`system:serviceaccount:${bounded}:installer`) && message.includes("forbidden")
      ? undefined
      : `it is ${plan?.status?.phase}: ${message}`;
  });
  const user = operator(bounded);
  await answers(
    driver,
    "an operator whose installer holds nothing",
    `no ${user} create,get configmaps ${bounded}\nno ${user} get ${crd} ${bounded}\nno ${user} get ${crd} *`,
  );
}

/** The role `edit` is not enough to change what an administrator's catalog installs with all rights. */
async function boundedContent(driver: Driver): Promise<void> {
  await driver.apply(bind(ops, "edit", "author"));
  const author = driver.client.asUser({ name: "author", groups: [] });
  const key = { namespace: ops, name: "catalog" };
  const change = async (data: Readonly<Record<string, string>>): Promise<string> => {
    const patch = { data };
    const changed = await author.write({ verb: "patch", type: configMaps, key, patchType: "merge", patch }, patient);
    return changed.ok ? "changed" : changed.problem.status.message;
  };
  await answers(driver, "an editor of ConfigMaps", `yes author patch,update,create configmaps ${ops}`);
  assert.match(await change({ clusterServiceVersions: "[]" }), /OperatorGroup group names no service account/);
  assert.match(await change({ customResourceDefinitions: "[]" }), /OperatorGroup group names no service account/);
}
