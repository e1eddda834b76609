import type { CatalogSource } from "../../../src/apis/v0/catalog-source.ts";
import type { InstallPlan } from "../../../src/apis/v0/install-plan.ts";
import type { Subscription, SubscriptionStatus } from "../../../src/apis/v0/subscription.ts";
import type { BundleStep } from "../../../src/bundle/install-plan-steps.ts";
import { projectCatalogHealth } from "../../../src/controllers/v0/namespace/plan/catalog-health.ts";
import { projectDeprecation } from "../../../src/controllers/v0/namespace/plan/deprecation.ts";
import { projectInstallPlan } from "../../../src/controllers/v0/namespace/plan/install-plan-projection.ts";
import { decide, pointedAt, statesMoved } from "../../../src/controllers/v0/namespace/plan/plan-namespace.ts";
import { judgeState, wantsResolution } from "../../../src/controllers/v0/namespace/plan/subscription-state.ts";
import type {
  CatalogInScope,
  ChosenContent,
  NamespaceWorld,
} from "../../../src/controllers/v0/namespace/plan/world.ts";
import { digestOf } from "@purser/kubernetes/digest";
import type { JsonObject } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import { resolveNow } from "../../../src/resolver/resolution.ts";
import { resolveNamespace } from "../../../src/resolver/v0/resolve-namespace.ts";
import { done, failed } from "@purser/kubernetes/result";
import type { Suite } from "../../suite.ts";
import { answer } from "../../suite.ts";
import { listAt, objectAt, textAt } from "../bundle-directory.ts";
import { goldenNow } from "./csv-pass.ts";
import { subscriptionDifferences } from "./subscription-differences.ts";
import { worldOf } from "./v0-resolution.ts";

function readWorld(input: JsonObject): {
  readonly world: NamespaceWorld;
  readonly everywhere: readonly CatalogInScope[];
} {
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
    const index = content.kind === "present" ? content.index : undefined;
    return { source, index, healthy: said === "" ? index !== undefined : said === "healthy" };
  });
  const objects = listAt(input, "objects").filter(isJsonObject);
  const plans = objects.filter((object) => object["kind"] === "InstallPlan") as unknown as readonly InstallPlan[];
  const own = <T extends { readonly metadata: { readonly namespace?: string } }>(list: readonly T[]): readonly T[] =>
    list.filter(({ metadata }) => metadata.namespace === namespace);
  const place = ({ source }: CatalogInScope): string => `${source.metadata.namespace}${source.metadata.name}`;
  return {
    everywhere,
    world: {
      namespace,
      subscriptions: own(resolverWorld.subscriptions),
      csvs: own(resolverWorld.clusterServiceVersions),
      installPlans: own(plans),
      groups: own(resolverWorld.operatorGroups),
      catalogs: everywhere
        .filter(({ source }) => [namespace, globalNamespace].includes(source.metadata.namespace ?? ""))
        .toSorted((a, b) => (place(a) < place(b) ? -1 : 1)),
      reading: false,
      resolution: undefined,
      contents: new Map(),
    },
  };
}

/** One pass of the Subscription controller: InstallPlan, catalog health, deprecations. */
function subscriptionPass(input: JsonObject): JsonObject {
  const { world, everywhere } = readWorld(input);
  const name = textAt(input, "subscription");
  const shown = world.subscriptions.map((subscription): Shown => {
    const status = subscription.status ?? { lastUpdated: "" };
    if (subscription.metadata.name !== name) return { subscription, status };
    const planned = projectInstallPlan(status, world.installPlans, goldenNow);
    const healthy = projectCatalogHealth(subscription, planned, world.catalogs, goldenNow);
    return { subscription, status: projectDeprecation(subscription, healthy, everywhere, goldenNow) };
  });
  return { error: null, subscriptions: Object.fromEntries(shown.map(showSubscription)) };
}

interface Shown {
  readonly subscription: Subscription;
  readonly status: SubscriptionStatus;
}

/** One pass of the resolution loop. */
function namespacePass(input: JsonObject): JsonObject {
  const { world } = readWorld(input);
  const judged = world.subscriptions.map((subscription) => ({
    subscription,
    status: judgeState(subscription, world),
  }));
  const resolves = !statesMoved(judged) && judged.some(({ status }) => wantsResolution(status));
  const resolution = resolves
    ? resolveNow(
        resolveNamespace({
          ...worldOf(input),
          subscriptions: judged.map(({ subscription, status }) => ({ ...subscription, status })),
        }),
      )
    : undefined;
  const chosen = resolution?.kind === "resolved" ? resolution.operators.map(({ bundle }) => bundle.name) : [];
  const unpack = objectAt(input, "unpack");
  const plan = decide(
    { ...world, resolution, contents: new Map(chosen.map((name) => [name, contentOf(name, objectAt(unpack, name))])) },
    judged,
    goldenNow,
  );
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
      case "installPlan": {
        const made = { ...action.wanted.object, status: action.wanted.status };
        const named = { ...made, metadata: { ...made.metadata, name: "install-xxxxx" } };
        plans = [...plans, named];
        for (const { subscription, status, currentCSV } of action.subscriptions)
          statuses.set(subscription.metadata.name ?? "", {
            subscription,
            status: pointedAt(status, named, currentCSV, goldenNow),
          });
        break;
      }
      case "write": {
        const { write } = action;
        if (write.verb === "delete") plans = plans.filter(({ metadata }) => metadata.name !== write.key.name);
        if (write.verb === "replace") {
          const subscription = write.object as Subscription;
          statuses.set(subscription.metadata.name ?? "", { subscription, status: subscription.status });
        }
        break;
      }
      case "retry":
        error = action.message;
        break;
      case "announce":
        break;
    }
  }
  if (resolution?.kind === "error") error = resolution.upstream;
  return {
    error,
    requeueSeconds:
      plan.recheckAfterMs === undefined || resolution?.kind === "error" ? [] : [plan.recheckAfterMs / 1000],
    subscriptions: Object.fromEntries([...statuses.values()].map(showSubscription)),
    installPlans: plans.map(showPlan).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  };
}

/** How the content store tells what upstream's unpacking says. */
function contentOf(name: string, unpack: JsonObject): ChosenContent {
  const digest = digestOf(name);
  const present = { state: { kind: "present", digest } as const, digest };
  switch (textAt(unpack, "state")) {
    case "done":
      return { ...present, steps: done([csvStep(name)]) };
    case "pending":
      return { state: { kind: "pulling", since: goldenNow } };
    case "failed":
      return { state: { kind: "failed", cause: `${textAt(unpack, "reason")}: ${textAt(unpack, "message")}` } };
    case "error":
      return { state: { kind: "failed", cause: textAt(unpack, "message") } };
    case "fatal":
      return {
        ...present,
        steps: failed({ stage: "steps", fatal: true, message: `bundle CSV ${name} missing Kind` }),
      };
    default:
      return { ...present, steps: failed({ stage: "steps", fatal: false, message: "unrecognized install strategy" }) };
  }
}

function csvStep(name: string): BundleStep {
  return {
    resolving: name,
    resource: {
      name,
      kind: "ClusterServiceVersion",
      group: "operators.coreos.com",
      version: "v1alpha1",
      manifest: "{}",
      sourceName: "",
      sourceNamespace: "",
    },
    status: "Unknown",
  };
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
