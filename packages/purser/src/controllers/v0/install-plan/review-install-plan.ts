import { clusterServiceVersions, installPlans, operatorGroups, subscriptions } from "../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan, Step } from "../../../apis/v0/install-plan.ts";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import type { BundleRequest } from "../../../catalog/content.ts";
import type { BundleContent } from "../../../content/content.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { isJsonObject, type JsonObject, member, plainJson } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ChangePlan, ReviewedBundle } from "../../../review/change-plan/change-plan.ts";
import { withoutServerFields } from "../../../review/change-plan/object-changes.ts";
import { liveObjects } from "../../../rollout/review/live-objects.ts";
import {
  defaultTargets,
  type OperatorObjects,
  operatorOf,
  operatorOfSteps,
  type OperatorOptions,
  staysWithoutCsv,
} from "../../../rollout/review/operator-objects.ts";
import { ReferencedBundles } from "./referenced-bundles.ts";
import { reviewChanges } from "../../../rollout/review/review-changes.ts";

export interface InstallPlanPorts {
  readonly client: KubeClient;
  /** Reads the bundles that steps of a large plan refer to; of one that is not read yet the state is `pending`. */
  readonly bundlesFor: (requests: readonly BundleRequest[]) => Promise<(request: BundleRequest) => BundleContent>;
}

/** What of a namespace a review of its InstallPlans needs. */
interface NamespaceObjects {
  readonly namespace: string;
  readonly subscriptions: readonly Subscription[];
  readonly csvs: readonly ClusterServiceVersion[];
  readonly installPlans: readonly InstallPlan[];
  /** Of the OperatorGroup; undefined without one. */
  readonly targets: readonly string[] | undefined;
  /** The ServiceAccount that the OperatorGroup names, whose rights bound what is applied. */
  readonly account: string | undefined;
}

/** What one ClusterServiceVersion of an InstallPlan changes. */
export interface ReviewedCsv {
  /** Without dependencies and deprecations, which its catalog knows. */
  readonly plan: ChangePlan;
  readonly csv: string;
  readonly packageName: string;
  /** Undefined for a dependency, whose Subscription is a step of the plan. */
  readonly subscription: Subscription | undefined;
  /** Channel of the Subscription, also of the one that is a step. */
  readonly channel: string;
  readonly steps: readonly Step[];
}

/** Why the changes of a ClusterServiceVersion are not known. */
export interface ReviewProblem {
  readonly csv: string;
  readonly message: string;
}

/**
 * What an InstallPlan changes, one change plan for each of its ClusterServiceVersions. The objects are those of its steps, so what
 * is shown is what is applied; the version before comes from the InstallPlan that installed it, and where that no longer exists
 * from its ClusterServiceVersion. Who approves the plan and who carries it out both make it here, so that equal digests mean equal
 * changes.
 * @param moving the Subscriptions of an InstallPlan that they do not point at yet, by ClusterServiceVersion
 */
export async function reviewInstallPlan(
  plan: InstallPlan,
  ports: InstallPlanPorts,
  moving: ReadonlyMap<string, Subscription> = new Map(),
): Promise<Result<readonly ReviewedCsv[], ReviewProblem>> {
  const objects = await namespaceObjects(ports.client, plan.metadata.namespace ?? "");
  const reviewed: ReviewedCsv[] = [];
  for (const csv of plan.spec.clusterServiceVersionNames) {
    const subscription = moving.get(csv) ?? objects.subscriptions.find(({ status }) => status?.currentCSV === csv);
    const one = await reviewedCsv(csv, subscription, plan, objects, ports);
    if (!one.ok) return failed({ csv, message: one.problem });
    reviewed.push(one.value);
  }
  return done(reviewed);
}

/** A version as the objects that the steps of an InstallPlan make; the problem is why they are not known. */
export async function revisionOfPlan(
  plan: InstallPlan,
  csv: string,
  { spec }: Subscription,
  ports: InstallPlanPorts,
): Promise<Result<ReviewedBundle, string>> {
  const { namespace = "" } = plan.metadata;
  const groups = await ports.client.list(operatorGroups, { namespace });
  const steps = await wholeSteps(stepsFor(plan, csv), namespace, ports);
  if (!steps.ok) return steps;
  const made = operatorOfSteps(
    steps.value,
    optionsOf(steps.value, { namespace, targets: targetsOfGroup(groups) }, spec.config),
  );
  return made.ok ? done(reviewedVersion(csv, made.value)) : made;
}

/** Deprecations are those of a catalog, which is not asked. */
function reviewedVersion(name: string, made: OperatorObjects): ReviewedBundle {
  return { name, version: versionOf(made.csv), ...made, stays: staysWithoutCsv, deprecations: [] };
}

async function namespaceObjects(client: KubeClient, namespace: string): Promise<NamespaceObjects> {
  const scope = { namespace };
  const [subs, csvs, plans, groups] = await Promise.all([
    client.list(subscriptions, scope),
    client.list(clusterServiceVersions, scope),
    client.list(installPlans, scope),
    client.list(operatorGroups, scope),
  ]);
  return {
    namespace,
    subscriptions: subs,
    csvs,
    installPlans: plans,
    targets: targetsOfGroup(groups),
    account: groups[0]?.spec?.serviceAccountName,
  };
}

function targetsOfGroup([group]: readonly OperatorGroup[]): readonly string[] | undefined {
  return group?.status?.namespaces ?? group?.spec?.targetNamespaces;
}

async function reviewedCsv(
  name: string,
  subscription: Subscription | undefined,
  plan: InstallPlan,
  objects: NamespaceObjects,
  ports: InstallPlanPorts,
): Promise<Result<ReviewedCsv, string>> {
  const { namespace, account } = objects;
  const steps = await wholeSteps(stepsFor(plan, name), namespace, ports);
  if (!steps.ok) return steps;
  if (steps.value.length === 0) return failed(`InstallPlan ${plan.metadata.name ?? ""} has no steps yet`);
  const spec = subscription?.spec ?? generatedSpec(steps.value);
  const options = optionsOf(steps.value, objects, subscription?.spec.config);
  const made = operatorOfSteps(steps.value, options);
  if (!made.ok) return made;
  const to = reviewedVersion(name, made.value);
  const old = subscription?.status?.installedCSV;
  const before = old === undefined || old === name ? done(undefined) : await installed(old, options, objects, ports);
  if (!before.ok) return before;
  const from = before.value;
  const packageName = spec?.name ?? name;
  return done({
    csv: name,
    packageName,
    subscription,
    channel: spec?.channel ?? "",
    steps: steps.value,
    plan: reviewChanges({
      installation:
        subscription === undefined
          ? `dependency/${namespace}/${packageName}`
          : `sub/${namespace}/${subscription.metadata.name ?? ""}`,
      options: plainJson({ ...options, ...(account === undefined ? {} : { account }) }) as JsonObject,
      ...(from === undefined ? {} : { from }),
      path: [to],
      ...(await liveObjects(ports.client, [...(from?.objects ?? []), ...to.objects])),
      dependencies: [],
    }),
  });
}

/** Where no OperatorGroup says which namespaces are watched, the install modes do. */
function optionsOf(
  steps: readonly Step[],
  { namespace, targets }: Pick<NamespaceObjects, "namespace" | "targets">,
  config: Subscription["spec"]["config"],
): Pick<OperatorOptions, "namespace" | "targets" | "config"> {
  const base = { namespace, targets: targets ?? [], ...(config === undefined ? {} : { config }) };
  if (targets !== undefined) return base;
  const made = operatorOfSteps(steps, base);
  return { ...base, targets: defaultTargets(made.ok ? made.value.csv : undefined, namespace) };
}

const stepsFor = ({ status }: InstallPlan, csv: string): readonly Step[] =>
  (status?.plan ?? []).filter(({ resolving }) => resolving === csv);

/** The steps with their manifests in place of references to bundles. */
async function wholeSteps(
  steps: readonly Step[],
  namespace: string,
  { client, bundlesFor }: InstallPlanPorts,
): Promise<Result<readonly Step[], string>> {
  const asked: BundleRequest[] = [];
  const ports = { namespace, reader: client, live: client };
  const note = (request: BundleRequest): BundleContent => {
    asked.push(request);
    return { state: { kind: "pending", since: 0 }, objects: undefined };
  };
  await new ReferencedBundles({ ...ports, ask: note }).pending(steps);
  const referenced = new ReferencedBundles({ ...ports, ask: await bundlesFor(asked) });
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
  options: Pick<OperatorOptions, "namespace" | "targets" | "config">,
  { csvs, installPlans: plans, namespace }: NamespaceObjects,
  ports: InstallPlanPorts,
): Promise<Result<ReviewedBundle | undefined, string>> {
  const csv = csvs.find(({ metadata }) => metadata.name === name);
  if (csv === undefined) return done(undefined);
  const [newest] = plans
    .filter((plan) => hasBegun(plan) && stepsFor(plan, name).length > 0)
    .toSorted((left, right) => (right.spec.generation ?? 0) - (left.spec.generation ?? 0));
  const steps = newest === undefined ? undefined : await wholeSteps(stepsFor(newest, name), namespace, ports);
  const live = withoutServerFields({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    ...(csv as unknown as JsonObject),
  });
  const made = steps?.ok === true ? operatorOfSteps(steps.value, options) : operatorOf([live], options);
  if (!made.ok) return made;
  return done(reviewedVersion(name, made.value));
}

/** An operator may have succeeded, and its upgrade wait, before the last status of its InstallPlan is written. */
const hasBegun = ({ status }: InstallPlan): boolean => status?.phase === "Installing" || status?.phase === "Complete";

function versionOf(csv: JsonObject): string {
  const spec = member(csv, "spec");
  const version = isJsonObject(spec) ? member(spec, "version") : undefined;
  return typeof version === "string" ? version : "";
}

/** Of the Subscription that the steps make for a dependency. */
function generatedSpec(steps: readonly Step[]): Subscription["spec"] | undefined {
  const step = steps.find(({ resource }) => resource.kind === "Subscription");
  return step === undefined ? undefined : (JSON.parse(step.resource.manifest ?? "{}") as Subscription).spec;
}
