import { isDeepStrictEqual } from "node:util";
// Passes over a namespace in shorthand, for tests.
import { digestOf } from "@purser/kubernetes/digest";
import type { JsonObject } from "@purser/kubernetes/json";
import type { CatalogSource } from "../../../../apis/v0/catalog-source.ts";
import type { InstallPlan } from "../../../../apis/v0/install-plan.ts";
import type { Subscription, SubscriptionStatus } from "../../../../apis/v0/subscription.ts";
import { smallCsv } from "../../../../bundle/testing/small-bundle.ts";
import type { CatalogIndex } from "../../../../catalog/catalog-index.ts";
import type { KnownContent, WantedContent } from "../../../../resolver/v0/install-plan/known-content.ts";
import { type ShortCatalog, shortCatalog } from "../../../../resolver/testing/short-catalog.ts";
import { shortNamespace } from "../../../../resolver/testing/short-world.ts";
import { plannedPass } from "./planned-pass.ts";
import { projectCatalogHealth } from "../plan/catalog-health.ts";
import type { NamespaceAction } from "../plan/namespace-action.ts";
import type { CatalogInScope, NamespaceWorld } from "../plan/world.ts";

export const now = Date.parse("2026-01-01T00:00:00Z");

export interface Given {
  /** Content of `olm/cat`, or why there is none. */
  readonly catalog?: ShortCatalog | CatalogIndex | string;
  /** Milliseconds for which its first content is being read. */
  readonly readingFor?: number;
  readonly subscriptions?: readonly string[];
  readonly installed?: readonly string[];
  readonly groups?: readonly string[];
  readonly plans?: readonly InstallPlan[];
  readonly status?: Partial<SubscriptionStatus>;
  readonly plansPer?: NamespaceWorld["plansPer"];
  /** With `--compat=replaced-operators`. */
  readonly orphans?: boolean;
}

/** A namespace at rest: its Subscriptions show the health of the catalog already. */
export function worldOf({
  catalog = one,
  readingFor,
  plans = [],
  status,
  plansPer = "set",
  orphans = false,
  ...short
}: Given): NamespaceWorld {
  const input = shortNamespace({ catalogs: {}, subscriptions: ["a a/stable"], ...short });
  const source: CatalogSource = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "CatalogSource",
    metadata: { namespace: "olm", name: "cat", uid: "uid-cat" },
    spec: { sourceType: "grpc" },
  };
  const catalogs: readonly CatalogInScope[] = [
    {
      source,
      content:
        typeof catalog === "string"
          ? { kind: "unavailable", cause: catalog }
          : { kind: "present", index: isIndex(catalog) ? catalog : shortCatalog(catalog) },
      healthy: typeof catalog !== "string",
      ...(readingFor === undefined ? {} : { readingSince: now - readingFor }),
    },
  ];
  return {
    namespace: "ns",
    globalNamespace: "olm",
    subscriptions: input.subscriptions.map((subscription): Subscription => {
      const held = { lastUpdated: "", ...subscription.status, ...status };
      // A change of the list is a reason of its own for one pass.
      const added = projectCatalogHealth(subscription, held, catalogs, now);
      const healthy = projectCatalogHealth(subscription, added, catalogs, now);
      return {
        ...subscription,
        metadata: { ...subscription.metadata, uid: `uid-${subscription.metadata.name}` },
        status: healthy,
      };
    }),
    csvs: input.clusterServiceVersions,
    installPlans: plans,
    groups: input.operatorGroups,
    catalogs,
    catalogsElsewhere: [],
    reservedGroups: "refused",
    replacedOperators: orphans ? "orphans" : "passedOver",
    missingCatalogs: "skip",
    plansPer,
    resolution: undefined,
    contents: new Map(),
  };
}

const isIndex = (catalog: ShortCatalog | CatalogIndex): catalog is CatalogIndex => "packagesProviding" in catalog;

export const one: ShortCatalog = { "a/stable": ["a.v1 1.0.0"] };

export function present(csv: JsonObject): KnownContent {
  return { kind: "present", digest: digestOf("b"), bundle: { objects: [csv], csv }, diagnosis: "" };
}

export const unpacked = ({ bundle }: WantedContent): KnownContent => present(smallCsv({}, { name: bundle.name }));

/**
 * What a pass asks for and does, in shorthand; a condition without its message. Left out: `Stalled` and `Reconciling`, which
 * follow from the rest of a status, and writes of nothing else.
 */
export function passOf(given: Given, contentOf: (wanted: WantedContent) => KnownContent = unpacked) {
  const { plan, asked, world } = plannedPass(worldOf(given), now, contentOf);
  const actions = plan.actions.filter((action) => !showsReadinessOnly(action, world.subscriptions)).flatMap(inShort);
  return { asked, actions, recheckAfterMs: plan.recheckAfterMs };
}

const ofReadiness: readonly string[] = ["Stalled", "Reconciling"];

function showsReadinessOnly(action: NamespaceAction, held: readonly Subscription[]): boolean {
  if (action.kind !== "write" || action.write.verb !== "replace") return false;
  const { metadata, status } = action.write.object as Subscription;
  const rest = (shown: SubscriptionStatus | undefined) => ({
    ...shown,
    lastUpdated: "",
    conditions: (shown?.conditions ?? []).filter(({ type }) => !ofReadiness.includes(type)),
  });
  const before = held.find(({ metadata: { name } }) => name === metadata.name)?.status;
  return isDeepStrictEqual(rest(before), rest(status));
}

function inShort(action: NamespaceAction): string | readonly string[] {
  switch (action.kind) {
    case "announce":
      return `announce ${action.reason}${action.subscription === undefined ? "" : ` of ${action.subscription.metadata.name}`}`;
    case "installPlans":
      return action.plans.map(
        ({ existing, wanted, subscriptions }) =>
          `${existing === undefined ? "make" : "take"} ${wanted.object.spec.clusterServiceVersionNames.join(" ")} for ${subscriptions.map(({ subscription, currentCSV }) => `${subscription.metadata.name}=${currentCSV}`).join(" ")}`,
      );
    case "write": {
      const { write } = action;
      if (write.verb === "delete") return `delete ${write.key.name}`;
      if (write.verb !== "replace") return write.verb;
      const { metadata, status } = write.object as Subscription;
      return `show ${[metadata.name, status?.state ?? "", ...conditionsOf(status)].join(" ")}`.trimEnd();
    }
  }
}

const conditionsOf = (status: SubscriptionStatus | undefined): readonly string[] =>
  (status?.conditions ?? [])
    .filter(({ type }) => type !== "CatalogSourcesUnhealthy" && !ofReadiness.includes(type))
    .map(({ type, reason }) => `${type}=${reason}`);

/** A plan of every Subscription that is given, for `a.v1`. */
export function planOf(name: string, generation: number, change: Partial<InstallPlan["spec"]> = {}): InstallPlan {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "InstallPlan",
    metadata: {
      namespace: "ns",
      name,
      ownerReferences: [{ apiVersion: "operators.coreos.com/v1alpha1", kind: "Subscription", name: "a", uid: "uid-a" }],
    },
    spec: { approval: "Automatic", approved: true, clusterServiceVersionNames: ["a.v1"], generation, ...change },
    status: { phase: "Installing", catalogSources: [] },
  };
}
