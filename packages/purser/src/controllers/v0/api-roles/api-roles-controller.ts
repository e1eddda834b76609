import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import type { ClusterRole } from "@purser/kubernetes/apis/rbac";
import { apiServices, clusterRoles, customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import type { ApplyContext, Controller, ObserveContext } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { written, writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { clusterServiceVersions } from "../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel, managedLabel } from "../../../apis/v0/labels.ts";
import type { Surroundings } from "../../surroundings.ts";
import { watching } from "../../watching.ts";
import type { DescribedRole } from "./plan/described-roles.ts";
import { contestedBy, describedRoles, serversOf } from "./plan/described-roles.ts";
import type { ApiRolesAction, ApiRolesWorld } from "./plan/plan-api-roles.ts";
import { correctedRole, isInstalled, placeOf, planApiRoles } from "./plan/plan-api-roles.ts";

const serving = (name: string, cache: CacheView): readonly ClusterServiceVersion[] =>
  cache.byIndex(clusterServiceVersions, "serves", name);

const ofServer = (server: KubeObject, cache: CacheView): readonly ObjectKey[] =>
  serving(server.metadata.name ?? "", cache).map(keyOf);

/** Whether a CSV no longer decides about all roles that it decided about. */
const leaves = (before: ClusterServiceVersion, after: ClusterServiceVersion | undefined): boolean =>
  isInstalled(before) &&
  (after === undefined || !isInstalled(after) || before.metadata.generation !== after.metadata.generation);

/** The installed CSVs that decide next about the roles of one that leaves: the first one for each name. */
function heirs(csv: ClusterServiceVersion, cache: CacheView): readonly ObjectKey[] {
  return contestedBy(csv).flatMap((name) => {
    const left = serving(name, cache).filter((other) => isInstalled(other) && placeOf(other) !== placeOf(csv));
    if (left.length === 0) return [];
    return [keyOf(left.reduce((first, other) => (placeOf(other) < placeOf(first) ? other : first)))];
  });
}

/** Keeps the ClusterRoles for the APIs of installed operators. */
export function apiRolesController({ compat }: Pick<Surroundings, "compat">): Controller {
  return defineController<ApiRolesWorld, ApiRolesAction, KubeObject[]>({
    name: "api-roles",
    watches: [
      watching({
        type: clusterServiceVersions,
        scope: { labelSelector: `!${copiedFromLabel}` },
        indexes: { serves: contestedBy },
        concerned: ({ before, after }, cache) => [
          ...[before, after].flatMap((csv) => (csv === undefined ? [] : [keyOf(csv)])),
          ...(before !== undefined && leaves(before, after) ? heirs(before, cache) : []),
        ],
      }),
      watching({
        type: customResourceDefinitions,
        projection: "metadata",
        when: ({ before, after }) => before?.metadata.uid !== after?.metadata.uid,
        map: ofServer,
      }),
      watching<APIService>({ type: apiServices, map: ofServer }),
      watching<ClusterRole>({
        type: clusterRoles,
        scope: { labelSelector: `${managedLabel}=true` },
        map: ({ metadata: { ownerReferences = [] } }, cache) =>
          ownerReferences.flatMap((owner) => serving(owner.name, cache).map(keyOf)),
      }),
    ],
    steps: {
      observe: async (key, context) => ({ compat, ...(await observe(key, context)) }),
      plan: (world) => planApiRoles(world),
      apply: (_key, action, context) => applyRole(action, compat, context),
    },
  });
}

async function observe(key: ObjectKey, { reader, cache }: ObserveContext): Promise<Omit<ApiRolesWorld, "compat">> {
  // Never a request: a CSV that the cache does not hold has nothing to be given.
  const held = cache.cached(clusterServiceVersions, key);
  const csv = held?.metadata.labels?.[copiedFromLabel] === undefined ? held : undefined;
  const nothing = { csv, rivals: [], crds: new Map(), apiServices: [], clusterRoles: new Map() };
  if (csv?.status?.phase !== "Succeeded") return nothing;
  const roles = describedRoles(csv);
  const rivals = contestedBy(csv).flatMap((name) => serving(name, cache).filter((rival) => rival !== csv));
  const crds = serversOf(csv).flatMap((name) => {
    const crd = cache.cached(customResourceDefinitions, { name });
    return crd?.metadata.uid === undefined ? [] : [[name, crd.metadata.uid] as const];
  });
  const groups = new Set(roles.flatMap(({ server }) => (server.kind === "APIService" ? [server.group] : [])));
  const services = groups.size === 0 ? [] : await reader.list(apiServices);
  const served = services.filter(({ spec }) => groups.has(spec?.group ?? ""));
  const exists = new Set([...crds.map(([name]) => name), ...served.map(({ metadata }) => metadata.name)]);
  return {
    csv,
    rivals,
    crds: new Map(crds),
    apiServices: served,
    clusterRoles: existing(
      roles.filter(({ server }) => exists.has(server.name)),
      cache,
    ),
  };
}

/** The managed ones: others of these names are met when they are created. */
function existing(roles: readonly DescribedRole[], cache: CacheView): ReadonlyMap<string, ClusterRole> {
  return new Map(
    roles.flatMap(({ name }) => {
      const role = cache.cached(clusterRoles, { name });
      return role === undefined ? [] : [[name, role] as const];
    }),
  );
}

/** A role that exists and is not managed is judged as it is. */
async function applyRole(
  { write }: ApiRolesAction,
  compat: Surroundings["compat"],
  { reader, writer, signal }: ApplyContext,
): Promise<void> {
  const result = await writer.write(write, signal);
  if (result.ok || result.problem.kind === "notFound") return;
  if (write.verb !== "create" || result.problem.kind !== "alreadyExists") {
    written(result);
    return;
  }
  const live = await reader.get(clusterRoles, { name: write.object.metadata.name ?? "" });
  if (live === undefined) written(result);
  else
    for (const { write: repair } of correctedRole(write.object as ClusterRole, live, compat)) {
      const repaired = await writer.write(repair, signal);
      writtenUnlessDeleted(repaired);
    }
}
