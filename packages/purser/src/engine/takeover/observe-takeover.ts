import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { PolicyRule, RoleBinding } from "@purser/kubernetes/apis/rbac";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  apiServices,
  clusterRoleBindings,
  clusterRoles,
  deployments,
  leases,
  mutatingWebhookConfigurations,
  pods,
  roleBindings,
  roles,
  validatingWebhookConfigurations,
} from "@purser/kubernetes/apis/resources";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { ListScope, ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { rulesCover } from "@purser/kubernetes/object/rbac";
import type { ApiFamily } from "../../apis/api-family.ts";
import {
  catalogSources,
  clusterServiceVersions,
  installPlans,
  olmConfigs,
  operatorGroups,
  subscriptions,
} from "../../apis/olm-resources.ts";
import { proxies } from "../../apis/openshift.ts";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../apis/v0/operator-group.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import { copiedFromLabel, ownerKindLabel } from "../../apis/v0/labels.ts";
import type { Compat } from "../../compat.ts";
import { observeCsv } from "../../controllers/v0/cluster-service-version/observe-csv.ts";
import type { CsvWorld } from "../../controllers/v0/cluster-service-version/plan/world.ts";
import { ReferencedBundles } from "../../controllers/v0/install-plan/referenced-bundles.ts";
import { packageApiService } from "../../controllers/package-api/plan/plan-package-api.ts";
import { referenceIn } from "../../resolver/v0/install-plan/bundle-reference.ts";
import { missingCrds } from "../own-manifests.ts";
import { catalogPodLabel } from "./plan/catalog-findings.ts";
import { leaseNames, managerNames, ownLease } from "./plan/manager-findings.ts";
import type { InstallingUsers, OpenInstallPlan, TakeoverWorld } from "./plan/takeover-world.ts";

export interface TakeoverOptions {
  readonly client: KubeClient;
  readonly compat: Compat;
  /** Those that would be served: managers of others may go on. */
  readonly families: readonly ApiFamily[];
  /** The namespace of global CatalogSources. */
  readonly globalNamespace: string;
}

/** CSVs that are observed at the same time. */
const together = 8;

/** Reads all that the takeover of a cluster depends on. Writes nothing. */
export async function observeTakeover(options: TakeoverOptions, signal: AbortSignal): Promise<TakeoverWorld> {
  const { client, compat, families } = options;
  const byName = async <Type extends KubeObject>(
    type: ResourceType<Type>,
    names: readonly string[],
  ): Promise<readonly Type[]> =>
    (await Promise.all(names.map((name) => client.list(type, { fieldSelector: `metadata.name=${name}` })))).flat();
  const csvs = await client.list(clusterServiceVersions, { labelSelector: `!${copiedFromLabel}` });
  const groups = await client.list(operatorGroups);
  const plans = await client.list(installPlans);
  const owned: readonly ResourceType[] = [validatingWebhookConfigurations, mutatingWebhookConfigurations, apiServices];
  const labelSelector = `${ownerKindLabel}=ClusterServiceVersion`;
  return {
    compat,
    missingDefinitions: await missingCrds(client, families),
    managers: await byName(
      deployments,
      families.flatMap((family) => managerNames[family]),
    ),
    leases: await byName(leases, [...families.flatMap((family) => leaseNames[family]), ownLease]),
    catalogSources: await client.list(catalogSources),
    catalogPods: await metadataOf(client, pods, catalogPodLabel, signal),
    installPlans: await openPlans(plans, options),
    subscriptions: await client.list(subscriptions),
    csvs,
    csvWorlds: await csvWorlds(csvs, options, signal),
    copies: await metadataOf(client, clusterServiceVersions, copiedFromLabel, signal),
    olmConfig: await client.get(olmConfigs, { name: "cluster" }),
    groups,
    installingUsers: await Promise.all(
      [...new Set(groups.map(({ metadata }) => metadata.namespace ?? ""))].map((namespace) =>
        installingUsers(namespace, client),
      ),
    ),
    withoutDefinitions: await accountsWithoutDefinitions(groups, client),
    packageApi: await client.get(apiServices, { name: packageApiService }),
    owned: (
      await Promise.all(
        owned.map(async (type) =>
          (await client.list(type, { labelSelector })).map((object) => ({ ...object, kind: type.kind })),
        ),
      )
    ).flat(),
  };
}

/** Metadata of the objects with a label: their content may be large. */
async function metadataOf(
  client: KubeClient,
  type: ResourceType,
  labelSelector: string,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  let continueToken: string | undefined;
  do {
    const paging = { limit: 500, metadataOnly: true, ...(continueToken === undefined ? {} : { continueToken }) };
    const page = await client.page(type, { labelSelector }, paging, signal);
    found.push(...page.items);
    continueToken = page.continueToken;
  } while (continueToken !== undefined);
  return found;
}

async function csvWorlds(
  csvs: readonly ClusterServiceVersion[],
  { client, compat }: TakeoverOptions,
  signal: AbortSignal,
): Promise<readonly CsvWorld[]> {
  const discovery = createDiscovery(client);
  const reader = listingOnce(client);
  const proxy = await client.get(proxies, { name: "cluster" });
  const worlds: CsvWorld[] = [];
  for (let from = 0; from < csvs.length; from += together) {
    const observed = await Promise.all(
      csvs
        .slice(from, from + together)
        .map(({ metadata: { namespace = "", name = "" } }) =>
          observeCsv({ namespace, name }, { reader, signal, proxy }, { client, discovery, compat }),
        ),
    );
    worlds.push(...observed.filter((world) => world !== undefined));
  }
  return worlds;
}

/** Lists are the same for many CSVs: each is read once. */
function listingOnce(client: KubeClient): ObjectReader {
  const lists = new Map<string, Promise<readonly KubeObject[]>>();
  return {
    get: (type, key) => client.get(type, key),
    list<Type extends KubeObject>(type: ResourceType<Type>, scope: ListScope = {}): Promise<readonly Type[]> {
      const key = `${type.group}/${type.plural} ${JSON.stringify(scope)}`;
      const known = lists.get(key);
      const list = known ?? client.list(type, scope);
      if (known === undefined) lists.set(key, list);
      return list as Promise<readonly Type[]>;
    },
  };
}

/** Those under way, with what keeps OLM's references from being read; bundles that Purser refers to are read by the controllers. */
async function openPlans(
  plans: readonly InstallPlan[],
  { client, globalNamespace, compat }: TakeoverOptions,
): Promise<readonly OpenInstallPlan[]> {
  const open = plans.filter(({ status }) => status?.phase !== "Complete" && status?.phase !== "Failed");
  return Promise.all(
    open.map(async (plan) => {
      const bundles = new ReferencedBundles({
        namespace: plan.metadata.namespace ?? "",
        reader: client,
        live: client,
        ...(compat.keepsUpstream("tenant-grants") ? {} : { globalNamespace }),
        ask: () => ({ state: { kind: "pending", since: 0 }, objects: undefined }),
      });
      for (const step of plan.status?.plan ?? []) {
        const reference = referenceIn(step.resource.manifest ?? "");
        if (reference.ok && reference.value?.kind !== "configMap") continue;
        const manifest = await bundles.manifest(step);
        if (!manifest.ok) return { plan, unreadable: manifest.problem };
      }
      return { plan };
    }),
  );
}

/** What writes an installation; whoever may do one of these in a namespace could install operators with OLM. */
const installing: readonly PolicyRule[] = ["subscriptions", "catalogsources", "clusterserviceversions"].map(
  (resource) => ({ apiGroups: ["operators.coreos.com"], resources: [resource], verbs: ["create"] }),
);

async function installingUsers(namespace: string, client: KubeClient): Promise<InstallingUsers> {
  const bindings = await client.list(roleBindings, { namespace });
  const subjects = await Promise.all(
    bindings.map(async (binding) => {
      const rules = await rulesOf(binding, namespace, client);
      return installing.some((rule) => rulesCover(rules, [rule])) ? (binding.subjects ?? []) : [];
    }),
  );
  const named = subjects
    .flat()
    .map(({ kind, name, namespace: where }) =>
      kind === "ServiceAccount" ? `${kind} ${where ?? namespace}/${name}` : `${kind} ${name}`,
    );
  return { namespace, subjects: [...new Set(named)].sort() };
}

const writingDefinitions: readonly PolicyRule[] = [
  { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["create", "update"] },
];

/** Judged by ClusterRoleBindings that name the account itself. */
async function accountsWithoutDefinitions(
  groups: readonly OperatorGroup[],
  client: KubeClient,
): Promise<ReadonlySet<string>> {
  const accounts = groups.flatMap(({ metadata: { namespace = "" }, spec }) =>
    (spec?.serviceAccountName ?? "") === "" ? [] : [{ namespace, name: spec?.serviceAccountName }],
  );
  const bindings = accounts.length === 0 ? [] : await client.list(clusterRoleBindings);
  const without = await Promise.all(
    accounts.map(async ({ namespace, name }) => {
      const own = bindings.filter(({ subjects = [] }) =>
        subjects.some(
          (subject) => subject.kind === "ServiceAccount" && subject.namespace === namespace && subject.name === name,
        ),
      );
      const rules = (await Promise.all(own.map((binding) => rulesOf(binding, "", client)))).flat();
      return rulesCover(rules, writingDefinitions) ? [] : [`${namespace}/${name}`];
    }),
  );
  return new Set(without.flat());
}

async function rulesOf(
  { roleRef }: Pick<RoleBinding, "roleRef">,
  namespace: string,
  client: KubeClient,
): Promise<readonly PolicyRule[]> {
  const { kind, name } = roleRef;
  const role =
    kind === "ClusterRole" ? await client.get(clusterRoles, { name }) : await client.get(roles, { namespace, name });
  return role?.rules ?? [];
}
