import {
  catalogSources,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  subscriptions,
} from "../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { InstallPlan, Step } from "../../apis/v0/install-plan.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import type { BundleSummary, CatalogIndex } from "../../catalog/catalog-index.ts";
import { bundleKey, type BundleRequest } from "../../catalog/content.ts";
import type { BundleContent } from "../../content/content.ts";
import { ReferencedBundles } from "../../controllers/v0/install-plan/referenced-bundles.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { isJsonObject, type JsonObject, member, plainJson } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { changePlan, type ChangePlan, type ReviewedBundle } from "../../review/change-plan/change-plan.ts";
import { withoutServerFields } from "../../review/change-plan/object-changes.ts";
import type { KeptCatalogs } from "../kept-catalogs.ts";
import type { SnapshotBundles } from "../snapshot/snapshot-bundles.ts";
import { bundleIn, dependenciesAmong } from "./dependencies.ts";
import { liveObjects } from "../../rollout/review/live-objects.ts";
import { operatorOf, operatorOfSteps, type OperatorOptions, staysWithoutCsv } from "./operator-objects.ts";
import { defaultTargets, deprecationsOf, invalid } from "./review-bundle.ts";

export interface InstallPlanReview {
  readonly client: KubeClient;
  readonly kept: KeptCatalogs;
  /** Reads the bundles that steps of a large plan refer to. */
  readonly bundles: Pick<SnapshotBundles, "known">;
}

/** What of a namespace a review of its InstallPlans needs. */
interface NamespaceObjects {
  readonly namespace: string;
  readonly subscriptions: readonly Subscription[];
  readonly csvs: readonly ClusterServiceVersion[];
  readonly installPlans: readonly InstallPlan[];
  /** Of the OperatorGroup; undefined without one. */
  readonly targets: readonly string[] | undefined;
}

/**
 * What approving an InstallPlan changes, one change plan for each of its ClusterServiceVersions. The objects are those of its
 * steps, so what is shown is what is applied; the version before comes from the InstallPlan that installed it, and where that
 * no longer exists from its ClusterServiceVersion.
 */
export async function reviewInstallPlan(
  plan: InstallPlan,
  review: InstallPlanReview,
): Promise<Result<readonly ChangePlan[], Explanation>> {
  const objects = await namespaceObjects(review.client, plan.metadata.namespace ?? "");
  const asked: { readonly isAsked: boolean; readonly bundle: BundleSummary }[] = [];
  const reviewed: Reviewed[] = [];
  for (const csv of plan.spec.clusterServiceVersionNames) {
    const one = await reviewedCsv(csv, plan, objects, review);
    if (!one.ok) return one;
    reviewed.push(one.value);
    const { listed } = one.value;
    if (listed !== undefined) asked.push({ isAsked: one.value.subscription !== undefined, bundle: listed.bundle });
  }
  const needed = dependenciesAmong(asked);
  const plans: ChangePlan[] = [];
  for (const { from, to, subscription, packageName, options } of reviewed) {
    const all = [...(from?.objects ?? []), ...to.objects];
    plans.push(
      changePlan({
        installation:
          subscription === undefined
            ? `dependency/${objects.namespace}/${packageName}`
            : `sub/${objects.namespace}/${subscription.metadata.name ?? ""}`,
        options: plainJson(options) as JsonObject,
        ...(from === undefined ? {} : { from }),
        path: [to],
        ...(await liveObjects(review.client, all)),
        dependencies: needed.filter(({ bundle }) => bundle !== to.name),
      }),
    );
  }
  return done(plans);
}

async function namespaceObjects(client: KubeClient, namespace: string): Promise<NamespaceObjects> {
  const scope = { namespace };
  const [subs, csvs, plans, groups] = await Promise.all([
    client.list(subscriptions, scope),
    client.list(clusterServiceVersions, scope),
    client.list(installPlans, scope),
    client.list(operatorGroups, scope),
  ]);
  const [group] = groups;
  const targets = group?.status?.namespaces ?? group?.spec?.targetNamespaces;
  return { namespace, subscriptions: subs, csvs, installPlans: plans, targets };
}

interface Reviewed {
  readonly from?: ReviewedBundle;
  readonly to: ReviewedBundle;
  /** Undefined for a dependency, whose Subscription is a step of the plan. */
  readonly subscription: Subscription | undefined;
  readonly packageName: string;
  readonly options: Pick<OperatorOptions, "namespace" | "targets" | "config">;
  readonly listed: { readonly index: CatalogIndex; readonly bundle: BundleSummary } | undefined;
}

async function reviewedCsv(
  name: string,
  plan: InstallPlan,
  objects: NamespaceObjects,
  review: InstallPlanReview,
): Promise<Result<Reviewed, Explanation>> {
  const steps = await wholeSteps(stepsFor(plan, name), objects.namespace, review);
  if (!steps.ok) return failed(invalid(name, steps.problem));
  if (steps.value.length === 0)
    return failed(invalid(name, `InstallPlan ${plan.metadata.name ?? ""} does not hold its objects yet`));
  const subscription = objects.subscriptions.find(({ status }) => status?.currentCSV === name);
  const config = subscription?.spec.config;
  const base = {
    namespace: objects.namespace,
    targets: objects.targets ?? [],
    ...(config === undefined ? {} : { config }),
  };
  const targets = objects.targets ?? targetsOf(steps.value, base);
  const options = { ...base, targets };
  const made = operatorOfSteps(steps.value, options);
  if (!made.ok) return failed(invalid(name, made.problem));
  const { csv } = made.value;
  const listed = await listedBundle(name, subscription, steps.value, review);
  const to: ReviewedBundle = {
    name,
    version: versionOf(csv),
    ...made.value,
    stays: staysWithoutCsv,
    deprecations: listed === undefined ? [] : deprecationsOf(listed.index, listed.bundle),
  };
  const old = subscription?.status?.installedCSV;
  const before = old === undefined || old === name ? done(undefined) : await installed(old, options, objects, review);
  if (!before.ok) return before;
  return done({
    ...(before.value === undefined ? {} : { from: before.value }),
    to,
    subscription,
    packageName: listed?.bundle.package ?? subscription?.spec.name ?? name,
    options,
    listed,
  });
}

const stepsFor = ({ status }: InstallPlan, csv: string): readonly Step[] =>
  (status?.plan ?? []).filter(({ resolving }) => resolving === csv);

/** The namespaces that install modes give where no OperatorGroup says them. */
function targetsOf(
  steps: readonly Step[],
  options: Pick<OperatorOptions, "namespace" | "targets" | "config">,
): readonly string[] {
  const made = operatorOfSteps(steps, options);
  return defaultTargets(made.ok ? made.value.csv : undefined, options.namespace);
}

/** The steps with their manifests in place of references to bundles. */
async function wholeSteps(
  steps: readonly Step[],
  namespace: string,
  { client, bundles }: InstallPlanReview,
): Promise<Result<readonly Step[], string>> {
  const known = new Map<string, BundleContent>();
  const asked = new Map<string, BundleRequest>();
  const ask = (request: BundleRequest): BundleContent => {
    asked.set(bundleKey(request), request);
    return known.get(bundleKey(request)) ?? { state: { kind: "pending", since: 0 }, objects: undefined };
  };
  const referenced = new ReferencedBundles({ namespace, reader: client, live: client, ask });
  await referenced.pending(steps);
  for (const [key, request] of asked) known.set(key, await bundles.known(request));
  const whole: Step[] = [];
  for (const step of steps) {
    const manifest = await referenced.manifest(step);
    if (!manifest.ok) return manifest;
    whole.push({ ...step, resource: { ...step.resource, manifest: manifest.value } });
  }
  return done(whole);
}

/** The installed version: of the newest InstallPlan that has its steps, else what its ClusterServiceVersion says. */
async function installed(
  name: string,
  options: Reviewed["options"],
  { csvs, installPlans: plans, namespace }: NamespaceObjects,
  review: InstallPlanReview,
): Promise<Result<ReviewedBundle | undefined, Explanation>> {
  const csv = csvs.find(({ metadata }) => metadata.name === name);
  if (csv === undefined) return done(undefined);
  const [newest] = plans
    .filter((plan) => plan.status?.phase === "Complete" && stepsFor(plan, name).length > 0)
    .toSorted((left, right) => (right.spec.generation ?? 0) - (left.spec.generation ?? 0));
  const steps = newest === undefined ? undefined : await wholeSteps(stepsFor(newest, name), namespace, review);
  const live = withoutServerFields({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    ...(csv as unknown as JsonObject),
  });
  const made = steps?.ok === true ? operatorOfSteps(steps.value, options) : operatorOf([live], options);
  if (!made.ok) return failed(invalid(name, made.problem));
  return done({ name, version: versionOf(made.value.csv), ...made.value, stays: staysWithoutCsv, deprecations: [] });
}

function versionOf(csv: JsonObject): string {
  const spec = member(csv, "spec");
  const version = isJsonObject(spec) ? member(spec, "version") : undefined;
  return typeof version === "string" ? version : "";
}

/** The bundle in the catalog that the plan took it from, where its content is kept on this machine. */
async function listedBundle(
  name: string,
  subscription: Subscription | undefined,
  steps: readonly Step[],
  { client, kept }: InstallPlanReview,
): Promise<Reviewed["listed"]> {
  const [step] = steps;
  if (step === undefined) return undefined;
  const { sourceName, sourceNamespace } = step.resource;
  const source = await client.get(catalogSources, { namespace: sourceNamespace, name: sourceName });
  const index = source === undefined ? undefined : kept.ofSource(source);
  const generated = steps.find(({ resource }) => resource.kind === "Subscription");
  const spec = subscription?.spec ?? generatedSpec(generated);
  if (index === undefined || spec === undefined) return undefined;
  const bundle = bundleIn(index, spec.name, name, spec.channel ?? "");
  return bundle === undefined ? undefined : { index, bundle };
}

function generatedSpec(step: Step | undefined): Subscription["spec"] | undefined {
  return step === undefined ? undefined : (JSON.parse(step.resource.manifest ?? "{}") as Subscription).spec;
}
