import type { BundleSummary, CatalogIndex } from "../../catalog/catalog-index.ts";
import type { CatalogSource } from "../../apis/v0/catalog-source.ts";
import { bundleIn, dependenciesAmong } from "../../engine/review/dependencies.ts";
import { reviewBundle, type ReviewedInstallation } from "../../engine/review/review-bundle.ts";
import type { ChosenBundle, Decision } from "../../engine/snapshot/snapshot-decision.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { type JsonObject, plainJson } from "@purser/kubernetes/json";
import { done, type Result } from "@purser/kubernetes/result";
import type { ChangePlan, Dependency, ReviewInput } from "../../review/change-plan/change-plan.ts";
import type { Subject } from "../decision/decision-subject.ts";
import type { OpenedWorld } from "../decision/decision-world.ts";
import { sizedPlan } from "./image-sizes.ts";
import { reviewChanges } from "../../rollout/review/review-changes.ts";

/** What one chosen bundle changes, or why that is not known. */
export type DecidedChange = Result<ChangePlan, Explanation>;

/** A change plan with the live objects that it was compared with, by `referenceText`; none without a cluster. */
export interface ComparedChange {
  readonly plan: ChangePlan;
  readonly live: ReadonlyMap<string, JsonObject>;
}

/** The plans of {@link comparedChanges}. */
export async function decidedChanges(
  opened: OpenedWorld,
  subject: Subject,
  decision: Decision,
): Promise<readonly DecidedChange[]> {
  const compared = await comparedChanges(opened, subject, decision);
  return compared.map((change) => (change.ok ? done(change.value.plan) : change));
}

/**
 * The change plans of the bundles that a decision installs, one each. Live objects count when the world is a cluster; empty
 * when no bundles are read (neither `--bundles` nor `--pull`).
 */
export async function comparedChanges(
  opened: OpenedWorld,
  subject: Subject,
  decision: Decision,
): Promise<readonly Result<ComparedChange, Explanation>[]> {
  if (opened.bundles === undefined) return [];
  const fresh = decision.chosen.filter(({ upToDate }) => !upToDate);
  const changes: Result<ComparedChange, Explanation>[] = [];
  for (const chosen of fresh) {
    const change = await comparedChange(opened, subject, chosen, decision);
    if (change !== undefined) changes.push(change);
  }
  return changes;
}

/** A bundle of a decision as its catalog has it. */
export interface ToReview {
  readonly bundle: BundleSummary;
  /** For pull secrets. */
  readonly source: CatalogSource | undefined;
}

/** The bundles that a decision installs anew. */
export function freshBundles(subject: Subject, chosen: readonly ChosenBundle[]): readonly ToReview[] {
  return chosen.flatMap((one) => {
    const content = one.upToDate ? undefined : contentOf(subject, one);
    const bundle = content === undefined ? undefined : bundleIn(content, one.package, one.name, one.channel);
    return bundle === undefined ? [] : [{ bundle, source: sourceOf(subject, one) }];
  });
}

/** The change plan of one chosen bundle; undefined when its catalog cannot be read or does not have it. */
export async function comparedChange(
  { bundles, present }: OpenedWorld,
  subject: Subject,
  chosen: ChosenBundle,
  decision: Pick<Decision, "chosen">,
): Promise<Result<ComparedChange, Explanation> | undefined> {
  const source = sourceOf(subject, chosen);
  const content = contentOf(subject, chosen);
  const to = content === undefined ? undefined : bundleIn(content, chosen.package, chosen.name, chosen.channel);
  if (content === undefined || to === undefined) return undefined;
  const installation = installationOf(subject, chosen);
  const old = installedName(subject, chosen);
  const from = old === undefined ? undefined : bundleIn(content, chosen.package, old, chosen.channel);
  const given = { index: content, ...(source === undefined ? {} : { source }) };
  const before =
    from === undefined
      ? undefined
      : await reviewBundle({ ...given, bundle: from, replaces: "" }, installation, bundles);
  if (before?.ok === false) return before;
  const after = await reviewBundle({ ...given, bundle: to, replaces: old ?? "" }, installation, bundles);
  if (!after.ok) return after;
  const onCluster = await present?.(before?.value.objects ?? [], after.value.objects);
  const [name] = chosen.subscriptions;
  const plan = reviewChanges({
    installation:
      subject.kind === "extension"
        ? `ext/${subject.extension.metadata.name}`
        : `${name === undefined ? "dependency" : "sub"}/${subject.namespace}/${name ?? chosen.package}`,
    options: plainJson(installation) as ReviewInput["options"],
    ...(before === undefined ? {} : { from: before.value }),
    path: [after.value],
    ...onCluster,
    dependencies: dependenciesOf(subject, decision).filter((needed) => needed.bundle !== chosen.name),
  });
  return done({
    live: onCluster?.live ?? new Map(),
    plan: bundles === undefined ? plan : await sizedPlan(plan, bundles),
  });
}

/** The CatalogSource of a chosen bundle; undefined for a ClusterExtension. */
export function sourceOf({ world, kind }: Subject, { catalog }: ChosenBundle): CatalogSource | undefined {
  if (kind === "extension") return undefined;
  return world.snapshot.catalogSources.find(
    ({ metadata }) => metadata.name === catalog.name && metadata.namespace === catalog.namespace,
  );
}

/** The content of the catalog that a chosen bundle is from; undefined while it cannot be read. */
export function contentOf(subject: Subject, chosen: ChosenBundle): CatalogIndex | undefined {
  const { world } = subject;
  const source = sourceOf(subject, chosen);
  const catalog = world.snapshot.clusterCatalogs.find(({ metadata }) => metadata.name === chosen.catalog.name);
  const content =
    subject.kind === "namespace" ? source && world.contentOfSource(source) : catalog && world.contentOfCatalog(catalog);
  return content?.kind === "present" ? content.index : undefined;
}

/** The installed bundle that the chosen one replaces; a catalog names one for a fresh installation as well. */
export function installedName({ world, ...subject }: Subject, { replaces }: ChosenBundle): string | undefined {
  if (subject.kind === "extension") return replaces;
  const isInstalled = world.snapshot.clusterServiceVersions.some(
    ({ metadata }) => metadata.name === replaces && metadata.namespace === subject.namespace,
  );
  return isInstalled ? replaces : undefined;
}

/** The installation that a chosen bundle is looked at for. */
export function installationOf(
  subject: Subject,
  { catalog, subscriptions }: Pick<ChosenBundle, "catalog" | "subscriptions">,
): ReviewedInstallation {
  if (subject.kind === "extension") {
    const { metadata, spec } = subject.extension;
    const config = spec?.config?.inline;
    return {
      api: "v1",
      name: metadata.name ?? "",
      namespace: spec?.namespace ?? "",
      ...(config === undefined ? {} : { config }),
    };
  }
  const { world, namespace } = subject;
  const own = world.snapshot.subscriptions.find(
    ({ metadata }) => metadata.namespace === namespace && subscriptions.includes(metadata.name ?? ""),
  );
  const [group] = world.snapshot.operatorGroups.filter(({ metadata }) => metadata.namespace === namespace);
  const config = own?.spec.config;
  const targets = group?.status?.namespaces ?? group?.spec?.targetNamespaces;
  return {
    api: "v0",
    namespace,
    catalog: { namespace: catalog.namespace ?? "", name: catalog.name },
    ...(targets === undefined ? {} : { targets }),
    ...(config === undefined ? {} : { config }),
  };
}

/** The chosen bundles that no Subscription asks for, with the chosen bundles that require them. */
function dependenciesOf(subject: Subject, { chosen }: Pick<Decision, "chosen">): readonly Dependency[] {
  const bundles = chosen.flatMap((one) => {
    const content = contentOf(subject, one);
    const bundle = content === undefined ? undefined : bundleIn(content, one.package, one.name, one.channel);
    return bundle === undefined
      ? []
      : [{ isAsked: one.subscriptions.length > 0 || subject.kind === "extension", bundle }];
  });
  return dependenciesAmong(bundles);
}
