import type { CatalogSource } from "../../../src/apis/v0/catalog-source.ts";
import type { InstallPlan } from "../../../src/apis/v0/install-plan.ts";
import type { Subscription, SubscriptionCondition, SubscriptionStatus } from "../../../src/apis/v0/subscription.ts";
import { pointedAt } from "../../../src/controllers/v0/namespace/plan/made-install-plan.ts";
import { subscriptionStatus } from "../../../src/controllers/v0/namespace/plan/shown-status.ts";
import type { CatalogInScope, NamespaceWorld } from "../../../src/controllers/v0/namespace/plan/world.ts";
import { plannedPass } from "../../../src/controllers/v0/namespace/testing/planned-pass.ts";
import { digestOf } from "@purser/kubernetes/digest";
import type { JsonObject } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import type { KnownContent } from "../../../src/resolver/v0/install-plan/known-content.ts";
import type { Suite } from "../../suite.ts";
import { answer } from "../../suite.ts";
import { listAt, objectAt, textAt } from "../bundle-directory.ts";
import { goldenNow } from "./csv-pass.ts";
import { subscriptionDifferences } from "./subscription-differences.ts";
import { worldOf } from "./v0-resolution.ts";

function readWorld(input: JsonObject): NamespaceWorld {
  const resolverWorld = worldOf(input);
  const { namespace, globalNamespace } = resolverWorld;
  const health = objectAt(input, "health");
  const everywhere = resolverWorld.catalogs.map(({ key, priority, content }): CatalogInScope => {
    const said = textAt(health, `${key.namespace}/${key.name}`);
    const source: CatalogSource = {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "CatalogSource",
      metadata: { ...key, uid: `uid-${key.namespace}-${key.name}` },
      spec: { sourceType: "grpc", priority },
    };
    return { source, content, healthy: said === "" ? content.kind === "present" : said === "healthy" };
  });
  const objects = listAt(input, "objects").filter(isJsonObject);
  const plans = objects.filter((object) => object["kind"] === "InstallPlan") as unknown as readonly InstallPlan[];
  const own = <T extends { readonly metadata: { readonly namespace?: string } }>(list: readonly T[]): readonly T[] =>
    list.filter(({ metadata }) => metadata.namespace === namespace);
  const place = ({ source }: CatalogInScope): string => `${source.metadata.namespace}${source.metadata.name}`;
  const isInScope = ({ source }: CatalogInScope): boolean =>
    [namespace, globalNamespace].includes(source.metadata.namespace ?? "");
  return {
    namespace,
    globalNamespace,
    subscriptions: own(resolverWorld.subscriptions),
    csvs: own(resolverWorld.clusterServiceVersions),
    installPlans: own(plans),
    groups: own(resolverWorld.operatorGroups),
    catalogs: everywhere.filter(isInScope).toSorted((a, b) => (place(a) < place(b) ? -1 : 1)),
    catalogsElsewhere: everywhere.filter((catalog) => !isInScope(catalog)),
    reservedGroups: "refused",
    replacedOperators: "orphans",
    missingCatalogs: "block",
    plansPer: "namespace",
    resolution: undefined,
    contents: new Map(),
  };
}

/** One pass of the Subscription controller: InstallPlan, catalog health, deprecations. */
function subscriptionPass(input: JsonObject): JsonObject {
  const world = readWorld(input);
  const name = textAt(input, "subscription");
  const shown = world.subscriptions.map((subscription): Shown => {
    const status = subscription.status ?? { lastUpdated: "" };
    if (subscription.metadata.name !== name) return { subscription, status };
    return { subscription, status: subscriptionStatus(subscription, world, goldenNow) };
  });
  return { error: null, subscriptions: Object.fromEntries(shown.map(showSubscription)) };
}

interface Shown {
  readonly subscription: Subscription;
  readonly status: SubscriptionStatus;
}

/** One pass of the resolution loop. */
function namespacePass(input: JsonObject): JsonObject {
  const unpack = objectAt(input, "unpack");
  const { world, plan } = plannedPass(readWorld(input), goldenNow, ({ bundle }) =>
    contentOf(bundle.name, objectAt(unpack, bundle.name)),
  );
  const { resolution } = world;
  const statuses = new Map(
    world.subscriptions.map((subscription) => [
      subscription.metadata.name ?? "",
      { subscription, status: subscription.status },
    ]),
  );
  let plans = world.installPlans;
  let error: string | null = null;
  for (const action of plan.actions) {
    switch (action.kind) {
      case "installPlans":
        for (const { wanted, subscriptions: targets } of action.plans) {
          const made = { ...wanted.object, status: wanted.status };
          const named = { ...made, metadata: { ...made.metadata, name: "install-xxxxx" } };
          plans = [...plans, named];
          for (const { subscription, status, currentCSV } of targets)
            statuses.set(subscription.metadata.name ?? "", {
              subscription,
              status: pointedAt(status, named, currentCSV, goldenNow),
            });
        }
        break;
      case "write": {
        const { write } = action;
        if (write.verb === "delete") plans = plans.filter(({ metadata }) => metadata.name !== write.key.name);
        if (write.verb === "replace") {
          const { metadata, status } = write.object as Subscription;
          const name = metadata.name ?? "";
          const before = statuses.get(name);
          if (before !== undefined) statuses.set(name, { ...before, status });
        }
        break;
      }
      case "announce":
        break;
    }
  }
  if (resolution?.kind === "error") error = resolution.upstream;
  return {
    error,
    requeueSeconds:
      plan.recheckAfterMs === undefined || resolution?.kind === "error" ? [] : [plan.recheckAfterMs / 1000],
    subscriptions: Object.fromEntries([...statuses.values()].map(ofTheLoop).map(showSubscription)),
    installPlans: plans.map(showPlan).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  };
}

/**
 * What OLM's resolution loop alone writes: the rest of a status is the Subscription controller's, which the cases of
 * `op: subscription` are about. Our pass does the work of both.
 */
function ofTheLoop<
  Each extends { readonly subscription: Subscription; readonly status: SubscriptionStatus | undefined },
>(each: Each): Each {
  const { subscription, status } = each;
  const isLoops = ({ type }: SubscriptionCondition): boolean => loopConditions.includes(type);
  const { catalogHealth: _ours, ...rest } = status ?? { lastUpdated: "" };
  const { catalogHealth, conditions: held = [] } = subscription.status ?? {};
  return {
    ...each,
    status: {
      ...rest,
      ...(catalogHealth === undefined ? {} : { catalogHealth }),
      conditions: [...(rest.conditions ?? []).filter(isLoops), ...held.filter((condition) => !isLoops(condition))],
    },
  };
}

const loopConditions: readonly string[] = ["ResolutionFailed", "BundleUnpacking", "BundleUnpackFailed"];

/** How the content of a bundle shows what OLM's unpacking says in the case. */
function contentOf(name: string, unpack: JsonObject): KnownContent {
  const csv = (change: JsonObject): KnownContent => {
    const object = {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "ClusterServiceVersion",
      metadata: { name },
      spec: { install: { strategy: "deployment", spec: { deployments: [] } } },
      ...change,
    };
    return { kind: "present", digest: digestOf(name), bundle: { objects: [object], csv: object }, diagnosis: "" };
  };
  switch (textAt(unpack, "state")) {
    case "done":
      return csv({});
    case "pending":
      return { kind: "pending" };
    case "failed":
      return { kind: "unavailable", message: `${textAt(unpack, "reason")}: ${textAt(unpack, "message")}` };
    case "error":
      return { kind: "unavailable", message: textAt(unpack, "message") };
    case "fatal":
      return csv({ kind: "" });
    default:
      return csv({ spec: {} });
  }
}

function showSubscription({
  subscription,
  status,
}: {
  readonly subscription: Subscription;
  readonly status: SubscriptionStatus | undefined;
}): readonly [string, JsonObject] {
  const given = (value: string | undefined): boolean => value !== undefined && value !== "";
  const { currentCSV, installedCSV, state, installPlanGeneration, installPlanRef, catalogHealth } = status ?? {};
  const conditions = (status?.conditions ?? [])
    .map(({ type, status: truth, reason = "", message = "" }) => ({ message, reason, status: truth, type }))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return [
    subscription.metadata.name ?? "",
    {
      conditions,
      ...(given(currentCSV) ? { currentCSV: currentCSV ?? "" } : {}),
      ...(given(installedCSV) ? { installedCSV: installedCSV ?? "" } : {}),
      ...(given(state) ? { state: state ?? "" } : {}),
      ...(installPlanGeneration === undefined || installPlanGeneration === 0 ? {} : { installPlanGeneration }),
      ...(installPlanRef === undefined ? {} : { installPlan: installPlanRef.name ?? "" }),
      ...(catalogHealth === undefined || catalogHealth.length === 0
        ? {}
        : {
            catalogHealth: catalogHealth.map(({ catalogSourceRef: { namespace, name }, healthy }) => ({
              catalog: `${namespace}/${name}`,
              healthy,
            })),
          }),
    },
  ];
}

function showPlan({ metadata, spec, status }: InstallPlan): JsonObject {
  return {
    name: metadata.name ?? "",
    approval: spec.approval,
    approved: spec.approved,
    generation: spec.generation ?? 0,
    csvNames: spec.clusterServiceVersionNames,
    phase: status?.phase ?? "",
    steps: (status?.plan ?? []).map(({ resource }) => `${resource.kind} ${resource.name}`).toSorted(),
    lookups: (status?.bundleLookups ?? []).map(({ identifier }) => `${identifier} []`),
    owners: (metadata.ownerReferences ?? []).map(({ name }) => name).toSorted(),
  };
}

function answerOf(input: JsonObject): JsonObject {
  return textAt(input, "op") === "subscription" ? subscriptionPass(input) : namespacePass(input);
}

export const suite: Suite = {
  name: "v0-subscription-conditions",
  differences: subscriptionDifferences,
  run: ({ input }) => answer(answerOf(input)),
};
