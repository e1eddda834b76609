import type { CatalogSource } from "../../../apis/v0/catalog-source.ts";
import { copiedFromLabel } from "../../../apis/v0/labels.ts";
import {
  catalogSources,
  clusterServiceVersions,
  clusterUpdatePolicies,
  installPlans,
  operatorGroups,
  subscriptions,
  updatePolicies,
} from "../../../apis/olm-resources.ts";
import { namespaceChoices } from "../../../compat.ts";
import { formatPlace } from "@purser/kubernetes/place";
import { failureText } from "../../../catalog/failure-text.ts";
import type { Readings } from "../../../content/bundle/bundle-question.ts";
import { readableCatalog } from "../../../content/readable-catalog.ts";
import type { ObserveContext } from "@purser/kubernetes/kube/controller/controller";
import { turns } from "@purser/kubernetes/system/turns";
import { resolveInSlices } from "../../resolve-in-slices.ts";
import type { KnownContent, WantedContent } from "../../../resolver/v0/install-plan/known-content.ts";
import { contentKey } from "../../../resolver/v0/install-plan/known-content.ts";
import { preparedContent } from "../../../resolver/v0/install-plan/prepare-content.ts";
import { resolveNamespace } from "../../../resolver/v0/resolve-namespace.ts";
import type { UpgradeContents } from "../../../policy/upgrade-contents.ts";
import { upgradeContents } from "../../../review/change-plan/upgrade-contents.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { reviewInstallPlan } from "../install-plan/review-install-plan.ts";
import type { UpgradeToJudge } from "./plan/judged-upgrades.ts";
import type { AskForBundle } from "../../bundle-waiters.ts";
import type { Surroundings } from "../../surroundings.ts";
import { bundleRequest, catalogRequest } from "../catalog-source/plan/catalog-request.ts";
import type { NamespaceNeed } from "./plan/plan-namespace.ts";
import type { CatalogInScope, NamespaceWorld } from "./plan/world.ts";
import { observeRollback } from "./observe-rollback.ts";

/** Reads a namespace; undefined when it has no Subscription. */
export async function observeNamespace(
  namespace: string,
  { reader }: ObserveContext,
  surroundings: Surroundings,
): Promise<NamespaceWorld | undefined> {
  const subs = (await reader.list(subscriptions, { namespace })).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  if (subs.length === 0) return undefined;
  const { globalNamespace, compat } = surroundings;
  const scopes = [...new Set([namespace, globalNamespace])].sort();
  const named = subs.map(({ spec }) => spec.sourceNamespace).filter((scope) => scope !== "" && !scopes.includes(scope));
  const [own, everywhere] = await Promise.all([
    reader.list(updatePolicies, { namespace }),
    reader.list(clusterUpdatePolicies),
  ]);
  const [csvs, plans, groups, ...sources] = await Promise.all([
    reader.list(clusterServiceVersions, { namespace, labelSelector: `!${copiedFromLabel}` }),
    reader.list(installPlans, { namespace }),
    reader.list(operatorGroups, { namespace }),
    ...[...scopes, ...new Set(named)].map((scope) => reader.list(catalogSources, { namespace: scope })),
  ]);
  const catalogs = sources.flat().map((source) => catalogInScope(source, surroundings));
  const isInScope = ({ source }: CatalogInScope): boolean => scopes.includes(source.metadata.namespace ?? "");
  return {
    namespace,
    globalNamespace,
    subscriptions: subs,
    csvs,
    installPlans: plans,
    groups,
    catalogs: catalogs.filter(isInScope),
    catalogsElsewhere: catalogs.filter((catalog) => !isInScope(catalog)),
    ...namespaceChoices(compat),
    policies: { updatePolicies: own, clusterUpdatePolicies: everywhere },
    resolution: undefined,
    contents: new Map(),
  };
}

/** The world with what the plan asked for: it resolves, or reads bundles. */
export async function supplyNamespace(
  world: NamespaceWorld,
  need: NamespaceNeed,
  signal: AbortSignal,
  { ask, client }: { readonly ask: AskForBundle; readonly client: KubeClient },
): Promise<NamespaceWorld> {
  switch (need.kind) {
    case "resolution":
      return { ...world, resolution: await resolveInSlices(resolveNamespace(need.input), signal) };
    case "contents": {
      const read = await Promise.all(
        need.bundles.map(
          async (wanted) =>
            [
              contentKey(wanted.bundle),
              await prepared(await bundleContent(wanted, sourceOf(world, wanted), ask), wanted, world),
            ] as const,
        ),
      );
      return { ...world, contents: new Map([...world.contents, ...read]) };
    }
    case "rollbacks": {
      const ports = { client, bundlesFor: () => Promise.resolve(ask) };
      const judged = await Promise.all(
        need.upgrades.map(
          async (upgrade) => [upgrade.subscription.metadata.name ?? "", await observeRollback(upgrade, ports)] as const,
        ),
      );
      return { ...world, rollbacks: new Map([...(world.rollbacks ?? []), ...judged]) };
    }
    case "upgrades": {
      const judged = await Promise.all(
        need.upgrades.map(async (upgrade) => [upgrade.csv, await contentsOf(upgrade, { ask, client })] as const),
      );
      return { ...world, upgrades: new Map([...(world.upgrades ?? []), ...judged]) };
    }
  }
}

/** What an upgrade holds, compared with the live objects. What cannot be compared is not let through: the pass is tried again. */
async function contentsOf(
  { csv, subscription, plan }: UpgradeToJudge,
  { ask, client }: { readonly ask: AskForBundle; readonly client: KubeClient },
): Promise<UpgradeContents> {
  const ports = { client, bundlesFor: () => Promise.resolve(ask) };
  const reviewed = await reviewInstallPlan(plan, ports, new Map([[csv, subscription]]));
  if (!reviewed.ok)
    throw new Error(`the changes of ${csv} cannot be computed, and a policy judges them: ${reviewed.problem.message}`);
  const found = reviewed.value.find((one) => one.csv === csv);
  return found === undefined ? { permissions: [], crds: [] } : upgradeContents(found.plan);
}

/** Each part in a turn of the event loop of its own. One plan of a whole namespace is made anew with each bundle that arrives. */
function prepared(
  content: KnownContent,
  { install }: WantedContent,
  { plansPer }: NamespaceWorld,
): Promise<KnownContent> {
  return turns.through(preparedContent(content, install, plansPer === "set"));
}

function catalogInScope(source: CatalogSource, { content }: Surroundings): CatalogInScope {
  const request = catalogRequest(source);
  if (!request.ok) return { source, content: { kind: "unavailable", cause: request.problem }, healthy: false };
  const asked = content.catalog(request.value);
  const known = readableCatalog(asked);
  const isFirst = asked.state.kind === "pending" && asked.index === undefined;
  return {
    source,
    content: known,
    healthy: known.kind === "present",
    ...(isFirst ? { readingSince: asked.state.since } : {}),
  };
}

function sourceOf({ catalogs }: NamespaceWorld, { catalog }: WantedContent): CatalogSource | undefined {
  return catalogs.find(
    ({ source: { metadata } }) => metadata.name === catalog.name && metadata.namespace === catalog.namespace,
  )?.source;
}

/** The content of a bundle that a plan needs, as far as it is known now. */
export async function bundleContent(
  { bundle, reading }: WantedContent,
  source: CatalogSource | undefined,
  ask: AskForBundle,
): Promise<KnownContent> {
  const { state, objects } = ask(bundleRequest(bundle, source));
  if (state.kind === "failing" || state.kind === "refused") {
    const rejected = state.code === "SignatureRejected" ? { isRejected: true as const } : {};
    return { kind: "unavailable", message: failureText(state), ...rejected };
  }
  if (state.kind !== "ready" || objects === undefined) return { kind: "pending" };
  const unpacked = await objects.unpacked();
  if (!unpacked.ok) return { kind: "unreadable", message: unpacked.problem.message };
  const { digest, accepted } = state;
  const verdict = accepted === undefined ? {} : { accepted };
  const present = { kind: "present", digest, bundle: unpacked.value, ...verdict } as const;
  return reading === "objects" ? present : { ...present, diagnosis: firstProblem(await objects.registry()) };
}

/** OLM's loader skips files that it cannot read; the strict reader reports the file and the place. */
function firstProblem(read: Readings["registry"]): string {
  const [first] = read.ok ? [] : read.problem;
  if (first === undefined) return "";
  return `${first.place === undefined ? "" : `${formatPlace(first.place)}: `}${first.message}`;
}
