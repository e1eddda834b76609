import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { type Controller, defineController } from "@purser/kubernetes/kube/controller/controller";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { written } from "@purser/kubernetes/kube/refusal";
import type { ApiFamily } from "../../apis/api-family.ts";
import { clusterExtensions, clusterUpdatePolicies, subscriptions, updatePolicies } from "../../apis/olm-resources.ts";
import { extensionSubject, subscriptionSubject } from "../../policy/installation-holds.ts";
import { watching } from "../watching.ts";
import { type PoliciesWorld, planPolicyStatuses } from "./plan/policy-statuses.ts";

const all: readonly ObjectKey[] = [{ name: "all" }];

/** Shows on every update policy whether and for how many installations it decides: one key, as policies compete with one another. */
export function updatePolicyController(families: readonly ApiFamily[]): Controller {
  const installed = { v0: subscriptions, v1: clusterExtensions } as const;
  return defineController<PoliciesWorld, ObjectWrite, KubeObject[]>({
    name: "update-policy",
    watches: [
      watching({ type: updatePolicies, map: () => all }),
      watching({ type: clusterUpdatePolicies, map: () => all }),
      ...families.map((family) => watching<KubeObject>({ type: installed[family] as ResourceType, map: () => all })),
    ],
    steps: {
      observe: (_key, { reader }) => observePolicies(reader, families),
      plan: (world, { now }) => planPolicyStatuses(world, now),
      async apply(_key, action, { writer, signal }) {
        const result = await writer.write(action, signal);
        if (!result.ok && result.problem.kind !== "notFound") written(result);
      },
    },
  });
}

async function observePolicies(reader: ObjectReader, families: readonly ApiFamily[]): Promise<PoliciesWorld> {
  const [own, everywhere] = await Promise.all([reader.list(updatePolicies), reader.list(clusterUpdatePolicies)]);
  const policies = { updatePolicies: own, clusterUpdatePolicies: everywhere };
  if (own.length + everywhere.length === 0) return { ...policies, subjects: [] };
  const subs = families.includes("v0") ? await reader.list(subscriptions) : [];
  const extensions = families.includes("v1") ? await reader.list(clusterExtensions) : [];
  return { ...policies, subjects: [...subs.map(subscriptionSubject), ...extensions.map(extensionSubject)] };
}
