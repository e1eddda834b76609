import type { Subscription } from "../../../apis/v0/subscription.ts";
import type { Remedy } from "../../../explanation/explanation.ts";
import { setCommand } from "../../../explanation/set-command.ts";
import { shellWord } from "../../../explanation/summary.ts";
import type { JsonValue } from "@purser/kubernetes/json";

const nameOf = (subscription: Subscription): string => subscription.metadata.name ?? "";
const namespaceOf = (subscription: Subscription): string => subscription.metadata.namespace ?? "default";

/** A merge patch of a Subscription's spec, as a command and as data. */
export function patchSubscription(
  subscription: Subscription,
  summary: string,
  spec: Readonly<Record<string, JsonValue>>,
): Remedy {
  const patch = { spec };
  return {
    summary,
    command:
      setCommand(`sub/${namespaceOf(subscription)}/${nameOf(subscription)}`, spec) ??
      `kubectl patch subscriptions.operators.coreos.com ${shellWord(nameOf(subscription))} -n ${shellWord(namespaceOf(subscription))} --type merge -p ${shellWord(JSON.stringify(patch))}`,
    patch,
  };
}

export function deleteSubscription(subscription: Subscription): Remedy {
  const name = nameOf(subscription);
  return {
    summary: `Delete Subscription ${name}`,
    command: `kubectl delete subscriptions.operators.coreos.com ${shellWord(name)} -n ${shellWord(namespaceOf(subscription))}`,
    deletes: "objects",
  };
}

export function deleteCsv(namespace: string, name: string): Remedy {
  return {
    summary: `Delete ClusterServiceVersion ${name}`,
    command: `kubectl delete clusterserviceversions.operators.coreos.com ${shellWord(name)} -n ${shellWord(namespace)}`,
    deletes: "objects",
  };
}

/** Lets a Subscription for its package own a CSV that has none. */
export function adoptCsv(namespace: string, name: string, summary: string): Remedy {
  return { summary, command: `purser adopt csv/${shellWord(namespace)}/${shellWord(name)}` };
}
