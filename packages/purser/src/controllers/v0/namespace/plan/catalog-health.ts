import type {
  CatalogHealth,
  Subscription,
  SubscriptionCondition,
  SubscriptionStatus,
} from "../../../../apis/v0/subscription.ts";
import { formatTime } from "@purser/kubernetes/clock";
import { setCondition } from "./subscription-condition.ts";
import type { CatalogInScope } from "./world.ts";

/** Shows in a Subscription which catalogs it can see and whether they are healthy. Informational: resolution asks the catalogs itself. */
export function projectCatalogHealth(
  subscription: Subscription,
  status: SubscriptionStatus,
  catalogs: readonly CatalogInScope[],
  now: number,
): SubscriptionStatus {
  const time = formatTime(now);
  const before = status.catalogHealth ?? [];
  const health: readonly CatalogHealth[] = catalogs.map(({ source, healthy }) => {
    const { namespace = "", name = "", uid = "", resourceVersion = "" } = source.metadata;
    const held = before.find(({ catalogSourceRef }) => catalogSourceRef.uid === uid);
    if (held !== undefined && held.healthy === healthy) return held;
    return {
      catalogSourceRef: {
        apiVersion: "operators.coreos.com/v1alpha1",
        kind: "CatalogSource",
        namespace,
        name,
        uid,
        resourceVersion,
      },
      healthy,
      lastUpdated: time,
    };
  });
  const condition = { ...judge(subscription, health, before), lastTransitionTime: time };
  const conditions = setCondition(status.conditions, condition);
  const unchanged = health.length === before.length && health.every((entry) => before.includes(entry));
  return {
    ...status,
    ...(unchanged && conditions === status.conditions ? {} : { catalogHealth: health }),
    ...(conditions === status.conditions ? {} : { conditions }),
  };
}

/**
 * How OLM's `catalogHealthState.UpdateHealth` words it: a change of the list gives the reason, and only a list that was
 * and stays empty has a text of its own.
 */
function judge(
  { spec }: Subscription,
  health: readonly CatalogHealth[],
  before: readonly CatalogHealth[],
): SubscriptionCondition {
  const type = "CatalogSourcesUnhealthy";
  if (health.length === 0 && before.length === 0)
    return {
      type,
      status: "True",
      reason: "NoCatalogSourcesFound",
      message: "dependency resolution requires at least one catalogsource",
    };
  const trouble = troubleOf(spec, health);
  if (trouble === undefined) {
    const message = "all available catalogsources are healthy";
    return { type, status: "False", reason: changeReason(health, before) ?? "AllCatalogSourcesHealthy", message };
  }
  return {
    type,
    status: "True",
    reason: changeReason(health, before) ?? "UnhealthyCatalogSourceFound",
    message: trouble,
  };
}

/** Undefined when every catalog is healthy and the one that the Subscription names, if any, is among them. */
function troubleOf(spec: Subscription["spec"], health: readonly CatalogHealth[]): string | undefined {
  const target = `${spec.sourceNamespace}/${spec.source}`;
  const nameOf = ({ catalogSourceRef: { namespace, name } }: CatalogHealth): string => `${namespace}/${name}`;
  const targeted = health.find((entry) => nameOf(entry) === target);
  if (targeted === undefined && target !== "/") return `targeted catalogsource ${target} missing`;
  if (targeted?.healthy === false) return `targeted catalogsource ${target} unhealthy`;
  const unhealthy = health.filter((entry) => !entry.healthy).map(nameOf);
  if (unhealthy.length > 0) return `catalogsource ${unhealthy.join(", ")} unhealthy`;
  return health.length === 0 ? "dependency resolution requires at least one catalogsource" : undefined;
}

function changeReason(health: readonly CatalogHealth[], before: readonly CatalogHealth[]): string | undefined {
  if (health.length > before.length) return "CatalogSourcesAdded";
  if (health.length < before.length) return "CatalogSourcesDeleted";
  return health.every((entry) => before.includes(entry)) ? undefined : "CatalogSourcesUpdated";
}
