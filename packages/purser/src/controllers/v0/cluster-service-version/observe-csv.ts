import { remainingMs } from "@purser/kubernetes/clock";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import { copiedFromLabel, ownerKindLabel, ownerLabel, ownerNamespaceLabel } from "../../../apis/v0/labels.ts";
import {
  apiServices,
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinitions,
  roleBindings,
  roles,
  serviceAccounts,
} from "@purser/kubernetes/apis/resources";
import {
  clusterServiceVersions,
  installPlans,
  operatorConditions,
  operatorGroups,
} from "../../../apis/olm-resources.ts";
import type { Proxy } from "../../../apis/openshift.ts";
import { reservedClaims } from "../../../bundle/reserved-claims.ts";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { readOrRefusal } from "@purser/kubernetes/kube/refusal";
import { observeStrategy } from "../../../rollout/install-strategy.ts";
import type { Surroundings } from "../../surroundings.ts";
import { ownedBy } from "./owned-by.ts";
import { turns, workPerTurn } from "@purser/kubernetes/system/turns";
import { permissionRequirements } from "./plan/permission.ts";
import { predecessor } from "./plan/relations.ts";
import type { CsvWorld, RbacWorld, RequirementWorld } from "./plan/world.ts";

/** The API server's version and served APIs, which requirements are checked against. */
export interface CsvSurroundings {
  readonly client: Pick<Surroundings["client"], "version">;
  readonly discovery: Pick<Surroundings["discovery"], "typeOfLately">;
  readonly compat: Surroundings["compat"];
}

/** Reads the input of one pass over the CSV; undefined when it does not exist. */
export async function observeCsv(
  key: ObjectKey,
  {
    reader,
    signal,
    proxy,
    now,
    groups,
  }: {
    readonly reader: ObjectReader;
    readonly signal: AbortSignal;
    readonly proxy?: Proxy | undefined;
    /** Wall time in ms. Absent: what others grant is read also while the objects of the CSV are being created. */
    readonly now?: number;
    /** The groups of the namespace and all whose targets meet theirs. Absent: all of the cluster are read. */
    readonly groups?: readonly OperatorGroup[] | undefined;
  },
  surroundings: CsvSurroundings,
): Promise<CsvWorld | undefined> {
  const csv = await reader.get(clusterServiceVersions, key);
  if (csv === undefined) return undefined;
  const namespace = key.namespace ?? "";
  const [siblings, allGroups, strategy, version] = await Promise.all([
    reader.list(clusterServiceVersions, { namespace, labelSelector: `!${copiedFromLabel}` }),
    groups ?? reader.list(operatorGroups),
    observeStrategy(reader, csv, proxy),
    (csv.spec.minKubeVersion ?? "") === "" ? undefined : readOrRefusal(surroundings.client.version(signal)),
  ]);
  const before = predecessor(csv, siblings);
  const accounts = [
    ...(csv.spec.install.spec?.permissions ?? []),
    ...(csv.spec.install.spec?.clusterPermissions ?? []),
  ].map(({ serviceAccountName }) => serviceAccountName);
  const { owned = [], required = [] } = csv.spec.customresourcedefinitions ?? {};
  const requirements: RequirementWorld = {
    csv,
    siblings,
    crds: await byName(
      reader,
      customResourceDefinitions,
      [...owned, ...required].map(({ name }) => name),
    ),
    apiServices: await byName(
      reader,
      apiServices,
      (csv.spec.apiservicedefinitions?.required ?? []).map((api) => `${api.version}.${api.group}`),
    ),
    servedApis: await servedApis(csv, surroundings, signal),
    serviceAccounts: await byName(reader, serviceAccounts, accounts, namespace),
    rbac: await ownedRbac(reader, csv),
    kubeVersion: version?.ok === true ? version.value.gitVersion : undefined,
  };
  const isNew = now !== undefined && (await isBeingCreated(csv, reader, now));
  return {
    // Its rights are about to exist: what others grant is read only when they do not come.
    ...(isNew ? requirements : await withAllRbacWhenNeeded(reader, requirements)),
    ...(isNew ? { isBeingCreated: true } : {}),
    compat: surroundings.compat,
    groups: allGroups.filter((group) => group.metadata.namespace === namespace),
    allGroups,
    strategy,
    predecessorCondition:
      before === undefined
        ? undefined
        : await reader.get(operatorConditions, { namespace, name: before.metadata.name ?? "" }),
    reservedApis: surroundings.compat.keepsUpstream("reserved-groups") ? [] : reservedClaims(csv),
    unadoptableApiServices: unadoptable(csv, siblings, strategy.apiServices),
  };
}

async function byName<Type extends KubeObject>(
  reader: ObjectReader,
  type: ResourceType<Type>,
  names: readonly string[],
  namespace?: string,
): Promise<ReadonlyMap<string, Type>> {
  const found = new Map<string, Type>();
  await readInTurns([...new Set(names)], async (name) => {
    const object = await reader.get(type, namespace === undefined ? { name } : { namespace, name });
    if (object !== undefined) found.set(name, object);
  });
  return found;
}

async function ownedRbac(reader: ObjectReader, csv: ClusterServiceVersion): Promise<RbacWorld> {
  const namespace = csv.metadata.namespace ?? "";
  const labelSelector = ownedBy(csv.metadata);
  const [ownRoles, ownBindings, ownClusterRoles, ownClusterBindings] = await Promise.all([
    reader.list(roles, { namespace, labelSelector }),
    reader.list(roleBindings, { namespace, labelSelector }),
    reader.list(clusterRoles, { labelSelector }),
    reader.list(clusterRoleBindings, { labelSelector }),
  ]);
  return {
    roles: ownRoles,
    roleBindings: ownBindings,
    clusterRoles: ownClusterRoles,
    clusterRoleBindings: ownClusterBindings,
  };
}

/** The CSV's own RBAC nearly always suffices; only when it does not, everything that the cluster grants is read. */
async function withAllRbacWhenNeeded(reader: ObjectReader, world: RequirementWorld): Promise<RequirementWorld> {
  const judged = permissionRequirements(world);
  if (
    !judged.ok ||
    judged.value.every(([status, met]) => met || status.message !== "Policy rule not satisfied for service account")
  )
    return world;
  const namespace = world.csv.metadata.namespace ?? "";
  const [allRoles, allBindings, allClusterRoles, allClusterBindings] = await Promise.all([
    reader.list(roles, { namespace }),
    reader.list(roleBindings, { namespace }),
    reader.list(clusterRoles),
    reader.list(clusterRoleBindings),
  ]);
  return {
    ...world,
    rbac: {
      roles: allRoles,
      roleBindings: allBindings,
      clusterRoles: allClusterRoles,
      clusterRoleBindings: allClusterBindings,
    },
  };
}

/** Whether an InstallPlan created the CSV moments ago and creates its other objects without an error. A later pass counts what is missing then. */
async function isBeingCreated(
  { metadata, status: shown }: ClusterServiceVersion,
  reader: ObjectReader,
  now: number,
): Promise<boolean> {
  const { namespace = "", name = "" } = metadata;
  // By our own clock: that of the API server may show another time.
  const isYoung = remainingMs(shown?.lastTransitionTime, creationMs, now) > 0;
  if (shown?.reason !== "RequirementsUnknown" || !isYoung) return false;
  const plans = await reader.list(installPlans, { namespace });
  return plans.some(
    ({ spec, status }) =>
      status?.phase === "Installing" && status.message === undefined && spec.clusterServiceVersionNames.includes(name),
  );
}

/** How long the other objects of an InstallPlan may follow the CSV before what is missing counts. */
const creationMs = 30_000;

async function servedApis(
  csv: ClusterServiceVersion,
  { discovery }: CsvSurroundings,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const { owned = [], required = [] } = csv.spec.apiservicedefinitions ?? {};
  const wanted = new Map(
    [...owned, ...required, ...(csv.spec.nativeAPIs ?? [])].map((api) => [
      `${api.group}/${api.version}/${api.kind}`,
      api,
    ]),
  );
  const served = new Set<string>();
  await readInTurns([...wanted], async ([name, api]) => {
    if ((await discovery.typeOfLately(api, signal)) !== undefined) served.add(name);
  });
  return served;
}

/** Reads for each item, some together in one turn: a CSV may name thousands of objects and APIs. */
async function readInTurns<Item>(items: readonly Item[], read: (item: Item) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += readTogether) {
    if (from > 0) await turns.before(workPerTurn);
    await Promise.all(items.slice(from, from + readTogether).map(read));
  }
}

/** So many objects are read in one turn. */
const readTogether = 256;

/** Owned APIServices that exist and belong neither to this CSV, nor to the one it replaces, nor to one that is leaving. */
function unadoptable(
  csv: ClusterServiceVersion,
  siblings: readonly ClusterServiceVersion[],
  existing: CsvWorld["strategy"]["apiServices"],
): readonly string[] {
  return (csv.spec.apiservicedefinitions?.owned ?? [])
    .map(({ version, group }) => `${version}.${group}`)
    .filter((name) => {
      const service = existing.get(name);
      if (service === undefined) return false;
      const {
        [ownerLabel]: owner,
        [ownerNamespaceLabel]: where,
        [ownerKindLabel]: kind,
      } = service.metadata.labels ?? {};
      if (kind !== "ClusterServiceVersion" || where !== csv.metadata.namespace || owner === undefined) return true;
      if (owner === csv.metadata.name) return false;
      const holder = siblings.find((sibling) => sibling.metadata.name === owner);
      if (holder !== undefined && owner === csv.spec.replaces) return false;
      return holder?.status?.phase !== "Replacing" && holder?.status?.phase !== "Deleting";
    });
}
