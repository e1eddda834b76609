import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { causedBy } from "@purser/kubernetes/kube/controller/caused-key";
import { type Controller, defineController, type Watch } from "@purser/kubernetes/kube/controller/controller";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import type { ApiFamily } from "../../apis/api-family.ts";
import {
  catalogSources,
  clusterCatalogs,
  clusterExtensions,
  clusterUpdatePolicies,
  subscriptions,
  updatePolicies,
} from "../../apis/olm-resources.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { extensionSubject, subscriptionSubject } from "../../policy/installation-holds.ts";
import type { Surroundings } from "../surroundings.ts";
import { beyondStatus } from "../beyond-status.ts";
import { watching } from "../watching.ts";
import { extensionOffer, subscriptionOffer } from "./observe-offers.ts";
import { type PoliciesWorld, planPolicyStatuses } from "./plan/policy-statuses.ts";

const all: readonly ObjectKey[] = [{ name: "all" }];

/**
 * Shows on every update policy whether and for how many installations it decides, and records for those with `soak` since when
 * versions are known: one key, as policies compete with one another.
 */
export function updatePolicyController(surroundings: Surroundings, families: readonly ApiFamily[]): Controller {
  const watched: Readonly<Record<ApiFamily, readonly Watch[]>> = {
    v0: [
      watching<Subscription>({
        type: subscriptions,
        when: beyondStatus(({ status }) => [status?.installedCSV]),
        map: () => all,
      }),
      watching({ type: catalogSources, map: () => all }),
    ],
    v1: [
      watching<ClusterExtension>({
        type: clusterExtensions,
        when: beyondStatus(({ status }) => [status?.install?.bundle.name]),
        map: () => all,
      }),
      watching({ type: clusterCatalogs, map: () => all }),
    ],
  };
  return defineController<PoliciesWorld, ObjectWrite, KubeObject[]>({
    name: "update-policy",
    watches: [
      watching({ type: updatePolicies, map: () => all }),
      watching({ type: clusterUpdatePolicies, map: () => all }),
      ...families.flatMap((family) => watched[family]),
    ],
    wakes: [
      async function* (signal) {
        for await (const { kind, onlyTimes, cause } of surroundings.content.notices(signal))
          if (kind === "catalog" && onlyTimes !== true) yield* causedBy(cause, all);
      },
    ],
    steps: {
      observe: (_key, { reader }) => observePolicies(reader, families, surroundings),
      plan: (world, { now }) => planPolicyStatuses(world, now),
      async apply(_key, action, { writer, signal }) {
        writtenUnlessDeleted(await writer.write(action, signal));
      },
    },
  });
}

async function observePolicies(
  reader: ObjectReader,
  families: readonly ApiFamily[],
  { content, globalNamespace }: Surroundings,
): Promise<PoliciesWorld> {
  const [own, everywhere] = await Promise.all([reader.list(updatePolicies), reader.list(clusterUpdatePolicies)]);
  const policies = { updatePolicies: own, clusterUpdatePolicies: everywhere };
  if (own.length + everywhere.length === 0) return { ...policies, subjects: [] };
  const isSoaking = [...own, ...everywhere].some(({ spec }) => spec.soak !== undefined);
  const [subs, sources] = families.includes("v0")
    ? await Promise.all([reader.list(subscriptions), reader.list(catalogSources)])
    : [[], []];
  const [extensions, catalogs] = families.includes("v1")
    ? await Promise.all([reader.list(clusterExtensions), reader.list(clusterCatalogs)])
    : [[], []];
  // The content of a catalog that is being deleted is given up already; asking for it would read it again.
  const isKept = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp === undefined;
  const [keptSources, keptCatalogs] = [sources.filter(isKept), catalogs.filter(isKept)];
  return {
    ...policies,
    subjects: [
      ...subs.map((one) => ({
        ...subscriptionSubject(one),
        ...(isSoaking ? { offer: subscriptionOffer(one, keptSources, globalNamespace, content) } : {}),
      })),
      ...extensions.map((one) => ({
        ...extensionSubject(one),
        ...(isSoaking ? { offer: extensionOffer(one, keptCatalogs, content) } : {}),
      })),
    ],
  };
}
