import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import type { Installation } from "../../installation/installation.ts";
import type { PolicySubject } from "../../policy/effective-policy.ts";
import { extensionSubject, subscriptionSubject } from "../../policy/installation-holds.ts";

/** An installation as policies select it; undefined for a ClusterServiceVersion without a Subscription. */
export function policySubjectOf(
  { snapshot }: Pick<DecisionWorld, "snapshot">,
  { api, name, namespace }: Pick<Installation, "api" | "name" | "namespace">,
): PolicySubject | undefined {
  if (api === "v1") {
    const extension = snapshot.clusterExtensions.find(({ metadata }) => metadata.name === name);
    return extension === undefined ? undefined : extensionSubject(extension);
  }
  const own = snapshot.subscriptions.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  return own === undefined ? undefined : subscriptionSubject(own);
}
