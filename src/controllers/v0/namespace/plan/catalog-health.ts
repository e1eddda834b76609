import type {
  CatalogHealth,
  Subscription,
  SubscriptionCondition,
  SubscriptionStatus,
} from "../../../../apis/v0/subscription.ts";
import { formatTime } from "../../../../clock.ts";
import { conditionOf, setCondition } from "./subscription-condition.ts";
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
  const condition = { ...judge(subscription, status, health, before), lastTransitionTime: time };
  const conditions = setCondition(status.conditions, condition);
  const unchanged = health.length === before.length && health.every((entry) => before.includes(entry));
  return {
    ...status,
    ...(unchanged && conditions === status.conditions ? {} : { catalogHealth: health }),
    ...(conditions === status.conditions ? {} : { conditions }),
  };
}

function judge(
  { spec }: Subscription,
  status: SubscriptionStatus,
  health: readonly CatalogHealth[],
  before: readonly CatalogHealth[],
): SubscriptionCondition {
  const type = "CatalogSourcesUnhealthy";
  if (health.length === 0)
    return {
      type,
      status: "True",
      reason: "NoCatalogSourcesFound",
      message: "dependency resolution requires at least one catalogsource",
    };
  const target = `${spec.sourceNamespace}/${spec.source}`;
  const targeted = health.find(({ catalogSourceRef: { namespace, name } }) => `${namespace}/${name}` === target);
  const unhealthy = health.filter((entry) => !entry.healthy);
  const verdict = ((): { readonly status: "True" | "False"; readonly reason: string; readonly message: string } => {
    if (targeted === undefined && target !== "/")
      return {
        status: "True",
        reason: "UnhealthyCatalogSourceFound",
        message: `targeted catalogsource ${target} missing`,
      };
    if (targeted?.healthy === false)
      return {
        status: "True",
        reason: "UnhealthyCatalogSourceFound",
        message: `targeted catalogsource ${target} unhealthy`,
      };
    if (unhealthy.length > 0) {
      const names = unhealthy.map(({ catalogSourceRef: { namespace, name } }) => `${namespace}/${name}`).join(", ");
      return { status: "True", reason: "UnhealthyCatalogSourceFound", message: `catalogsource ${names} unhealthy` };
    }
    return { status: "False", reason: "AllCatalogSourcesHealthy", message: "all available catalogsources are healthy" };
  })();
  const held = conditionOf(status.conditions, type);
  if (held === undefined || held.status !== verdict.status || before.length === 0)
    return { type, ...verdict, reason: changeReason(health, before) ?? verdict.reason };
  return {
    type,
    ...verdict,
    reason:
      changeReason(health, before) ??
      (held.message === verdict.message ? (held.reason ?? verdict.reason) : verdict.reason),
  };
}

function changeReason(health: readonly CatalogHealth[], before: readonly CatalogHealth[]): string | undefined {
  if (health.length > before.length) return "CatalogSourcesAdded";
  if (health.length < before.length) return "CatalogSourcesDeleted";
  return health.every((entry) => before.includes(entry)) ? undefined : "CatalogSourcesUpdated";
}
