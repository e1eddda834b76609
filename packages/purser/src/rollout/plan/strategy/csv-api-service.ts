import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import type { APIServiceDescription } from "../../../apis/v0/cluster-service-version.ts";
import { ownerKindLabel, ownerLabel, ownerNamespaceLabel } from "../../../apis/v0/labels.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { subscriptionConfigOf } from "./csv-deployment.ts";
import { managed, ownerOf } from "./csv-owner.ts";
import { servingNames } from "./serving-names.ts";
import type { StrategyWorld } from "./strategy-world.ts";

/**
 * Whether this CSV owns an APIService or may adopt it (OLM's `IsAPIServiceAdoptable`): from the CSV that it replaces, or from
 * one in phase Replacing or Deleting. An APIService without owner labels is not adopted.
 */
export function isAdoptable({ csv, siblings }: StrategyWorld, live: KubeObject): boolean {
  const labels = live.metadata.labels ?? {};
  const [name, namespace, kind] = [labels[ownerLabel], labels[ownerNamespaceLabel], labels[ownerKindLabel]];
  if (name === undefined || namespace === undefined || kind !== "ClusterServiceVersion") return false;
  if (namespace !== csv.metadata.namespace) return false;
  if (name === csv.metadata.name) return true;
  const owner = siblings.find(({ metadata }) => metadata.name === name);
  if (owner === undefined) return false;
  const { phase } = owner.status ?? {};
  return name === csv.spec.replaces || phase === "Replacing" || phase === "Deleting";
}

/** The APIService that a description wants; priorities and annotations are only set at creation. */
export function desiredApiService(
  world: StrategyWorld,
  { version, group, deploymentName = "", containerPort }: APIServiceDescription,
  authority: string | undefined,
  live: KubeObject | undefined,
): Result<JsonObject, string> {
  const name = `${version}.${group}`;
  if (live !== undefined && !isAdoptable(world, live)) {
    return failed(`pre-existing APIService ${name} is not adoptable`);
  }
  const owner = ownerOf(world.csv);
  const port = containerPort === undefined || containerPort === 0 ? 443 : containerPort;
  const annotations = subscriptionConfigOf(world)?.annotations;
  const held = live as APIService | undefined;
  const metadata =
    live === undefined
      ? { name, ...(annotations === undefined ? {} : { annotations }) }
      : (live.metadata as unknown as JsonObject);
  return done({
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { ...metadata, labels: { ...live?.metadata.labels, ...owner.labels, ...managed } },
    spec: {
      ...(held?.spec as unknown as JsonObject | undefined),
      group,
      version,
      groupPriorityMinimum: held?.spec?.groupPriorityMinimum ?? 2000,
      versionPriority: held?.spec?.versionPriority ?? 15,
      service: { namespace: owner.namespace, name: servingNames(deploymentName).service, port },
      ...(authority === undefined ? {} : { caBundle: authority }),
    },
    ...(held?.status === undefined ? {} : { status: held.status as unknown as JsonValue }),
  });
}
