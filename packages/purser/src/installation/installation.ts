import { findCondition } from "@purser/kubernetes/apis/condition";
import type { KubeObject, ObjectMeta } from "@purser/kubernetes/apis/object";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import type { InstallPlan } from "../apis/v0/install-plan.ts";
import { partsOfConditionText } from "../explanation/condition-text.ts";
import type { CauseCode } from "../explanation/explanation.ts";
import type { Subscription } from "../apis/v0/subscription.ts";
import type { ClusterExtension } from "../apis/v1/cluster-extension.ts";
import { isPaused, shownAsPaused } from "../apis/v1/paused.ts";
import { approvalAskedAnnotation, copiedFromLabel } from "../apis/v0/labels.ts";
import { waitOf } from "./csv-wait.ts";
import { type Stall, stalledOf } from "./stalled.ts";

export type InstallationState =
  | "Ready"
  | "Installing"
  | "Upgrading"
  | "Removing"
  | "Approve"
  | "Degraded"
  | "Blocked"
  | "Failed"
  | "Paused"
  | "Held"
  | "Orphan";

/** A Subscription, a ClusterExtension or a CSV without either, seen as one thing. */
export interface Installation {
  readonly api: "v0" | "v1";
  /** `sub/<namespace>/<name>`, `ext/<name>` or `csv/<namespace>/<name>`. */
  readonly reference: string;
  /** Absent for extensions, which are cluster-scoped. */
  readonly namespace?: string;
  readonly name: string;
  readonly packageName: string;
  /** Installed bundle, when there is one. */
  readonly bundle?: string;
  readonly version?: string;
  /** Version that waits for approval or is on its way. */
  readonly target?: string;
  readonly state: InstallationState;
  /** RFC 3339, when known. */
  readonly since?: string;
  /** What it cannot get past, since when, and when that is tried again. */
  readonly stuck?: Stall;
  /** The cause of `stuck`, as the reason of the condition `Stalled`. */
  readonly stuckReason?: string;
  /** One line; empty when there is nothing to say. */
  readonly why: string;
  readonly deprecated?: string;
  /** Of the Subscription, ClusterExtension or CSV; absent when it has none. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Objects of one cluster, or of one namespace of it. */
export interface InstallationObjects {
  readonly subscriptions: readonly Subscription[];
  readonly csvs: readonly ClusterServiceVersion[];
  readonly installPlans: readonly InstallPlan[];
  readonly extensions: readonly ClusterExtension[];
}

/** Every installation, extensions first, then by namespace and name. */
export function installationsOf(objects: InstallationObjects): readonly Installation[] {
  const csvs = objects.csvs.filter((csv) => csv.metadata.labels?.[copiedFromLabel] === undefined);
  const [csvOf, planOf] = [byKey(csvs), byKey(objects.installPlans)];
  const claimed = new Set<string>();
  const subscribed = objects.subscriptions.map((subscription) => {
    const { namespace = "" } = subscription.metadata;
    for (const name of [subscription.status?.installedCSV, subscription.status?.currentCSV])
      claimed.add(`${namespace}/${name ?? ""}`);
    return fromSubscription(subscription, csvOf, planOf);
  });
  const replaced = new Set(
    csvs
      .filter((csv) => csv.status?.phase === "Replacing" || csv.status?.phase === "Deleting")
      .map((csv) => csv.metadata.uid),
  );
  const orphans = csvs
    .filter((csv) => !claimed.has(`${csv.metadata.namespace}/${csv.metadata.name}`) && !replaced.has(csv.metadata.uid))
    .map(fromOrphan);
  const key = ({ namespace = "", name }: Installation): string => `${namespace}/${name}`;
  return [...objects.extensions.map(fromExtension), ...subscribed, ...orphans].toSorted((a, b) =>
    key(a) < key(b) ? -1 : 1,
  );
}

/** By namespace and name. */
function byKey<Type extends KubeObject>(objects: readonly Type[]): ReadonlyMap<string, Type> {
  return new Map(objects.map((object) => [`${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`, object]));
}

function fromSubscription(
  { metadata, spec, status }: Subscription,
  csvs: ReadonlyMap<string, ClusterServiceVersion>,
  plans: ReadonlyMap<string, InstallPlan>,
): Installation {
  const { namespace = "", name = "" } = metadata;
  const csv = csvs.get(`${namespace}/${status?.installedCSV ?? ""}`);
  const coming = status?.currentCSV === status?.installedCSV ? undefined : status?.currentCSV;
  const plan = plans.get(`${namespace}/${status?.installPlanRef?.name ?? ""}`);
  const verdict = judgeSubscription(status, csv, coming, plan);
  const deprecated = status?.conditions?.find(
    ({ type, status: held }) => type === "Deprecated" && held === "True",
  )?.message;
  return {
    api: "v0",
    reference: `sub/${namespace}/${name}`,
    namespace,
    name,
    packageName: spec.name,
    ...(csv?.metadata.name === undefined ? {} : { bundle: csv.metadata.name }),
    ...(csv?.spec.version === undefined ? {} : { version: csv.spec.version }),
    ...(coming === undefined ? {} : { target: coming }),
    ...withStall(verdict, stalledOf(status?.conditions)),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...labelsIn(metadata),
  };
}

/** The policies that ask for the approval; nothing when the Subscription itself does. */
function askedBy({ metadata }: InstallPlan): string {
  const asked = metadata.annotations?.[approvalAskedAnnotation];
  return asked === undefined ? "" : ` (${asked})`;
}

type Verdict = Pick<Installation, "state" | "why" | "since" | "stuck" | "stuckReason">;

/** What is stuck is so since its first cause, whatever was tried meanwhile. */
function withStall(verdict: Verdict, stalled: (Stall & { readonly reason: string }) | undefined): Verdict {
  if (stalled === undefined) return verdict;
  const { reason, ...stuck } = stalled;
  const isStuck = verdict.state === "Blocked" || verdict.state === "Failed";
  return {
    ...verdict,
    ...(isStuck && verdict.since === undefined ? { since: stuck.stuckSince } : {}),
    stuck,
    stuckReason: reason,
  };
}

function judgeSubscription(
  status: Subscription["status"],
  csv: ClusterServiceVersion | undefined,
  coming: string | undefined,
  plan: InstallPlan | undefined,
): Verdict {
  const condition = (type: string): string | undefined => {
    const held = status?.conditions?.find((candidate) => candidate.type === type && candidate.status === "True");
    return held === undefined ? undefined : (held.message ?? held.reason ?? type);
  };
  const since = (...types: readonly string[]): { readonly since?: string } => {
    const held = types.flatMap(
      (type) => status?.conditions?.filter((one) => one.type === type && one.status === "True") ?? [],
    );
    const at = held.find(({ lastTransitionTime }) => lastTransitionTime !== undefined)?.lastTransitionTime;
    return at === undefined ? {} : { since: at };
  };
  const refused = condition("ResolutionFailed") ?? condition("BundleUnpackFailed");
  if (csv?.status?.phase === "Failed") return { state: "Failed", why: csv.status.message ?? "", ...sinceOf(csv) };
  const planFailed = condition("InstallPlanFailed");
  if (planFailed !== undefined) return { state: "Failed", why: planFailed, ...since("InstallPlanFailed") };
  if (refused !== undefined)
    return { state: "Blocked", why: firstLine(refused), ...since("ResolutionFailed", "BundleUnpackFailed") };
  if (plan?.status?.phase === "RequiresApproval" && !plan.spec.approved)
    return {
      state: "Approve",
      why: `InstallPlan ${plan.metadata.name} is pending approval${askedBy(plan)}${meanwhile(csv)}`,
      ...(plan.metadata.creationTimestamp === undefined ? {} : { since: plan.metadata.creationTimestamp }),
    };
  const stale = plan?.status?.conditions?.find(({ reason }) => reason === "PlanStale")?.message;
  if (plan?.status?.phase === "RequiresApproval" && stale !== undefined) return { state: "Approve", why: stale };
  const planned = plan?.status?.phase === "Installing" ? (plan.status.conditions ?? []) : [];
  const stuck = planned.find(({ type }) => type === "Installed");
  if (stuck?.status === "False") return { state: "Blocked", why: firstLine(stuck.message ?? stuck.reason ?? "") };
  if (coming !== undefined) return { state: csv === undefined ? "Installing" : "Upgrading", why: coming };
  if (csv === undefined)
    return { state: "Installing", why: condition("BundleUnpacking") === undefined ? "" : "the bundle is being read" };
  switch (csv.status?.phase) {
    case "Succeeded": {
      const held = condition("UpdateHeld");
      if (held !== undefined) return { state: "Held", why: firstLine(held), ...sinceOf(csv) };
      return { state: "Ready", why: "", ...sinceOf(csv) };
    }
    case "Replacing":
    case "Deleting":
      return { state: "Upgrading", why: csv.status.message ?? "", ...sinceOf(csv) };
    case undefined:
    case "":
    case "Pending":
    case "InstallReady":
    case "Installing":
    case "Unknown":
      return { state: "Installing", why: csv.status?.message ?? "", ...sinceOf(csv) };
  }
}

/** Appended to a pending approval: a failure of the installed CSV must not be hidden. */
function meanwhile(csv: ClusterServiceVersion | undefined): string {
  const { phase = "", message = "" } = csv?.status ?? {};
  if (csv === undefined || phase === "" || phase === "Succeeded" || phase === "Replacing") return "";
  return `; ${csv.metadata.name} is ${phase}: ${firstLine(message)}`;
}

const sinceOf = (csv: ClusterServiceVersion): { readonly since?: string } =>
  csv.status?.lastTransitionTime === undefined ? {} : { since: csv.status.lastTransitionTime };

const firstLine = (text: string): string => text.split("\n")[0] ?? "";

function fromOrphan(csv: ClusterServiceVersion): Installation {
  const { namespace = "", name = "" } = csv.metadata;
  return {
    api: "v0",
    reference: `csv/${namespace}/${name}`,
    namespace,
    name,
    packageName: "",
    bundle: name,
    ...(csv.spec.version === undefined ? {} : { version: csv.spec.version }),
    ...withStall(
      { state: "Orphan", why: "this ClusterServiceVersion has no Subscription", ...sinceOf(csv) },
      waitOf(csv),
    ),
    ...labelsIn(csv.metadata),
  };
}

const labelsIn = ({ labels = {} }: ObjectMeta): Pick<Installation, "labels"> =>
  Object.keys(labels).length === 0 ? {} : { labels };

function fromExtension(extension: ClusterExtension): Installation {
  const { metadata, spec, status } = extension;
  const name = metadata.name ?? "";
  const bundle = status?.install?.bundle;
  const deprecated = deprecationOf(spec?.source.catalog?.channels ?? [], status);
  return {
    api: "v1",
    reference: `ext/${name}`,
    name,
    packageName: spec?.source.catalog?.packageName ?? "",
    ...(bundle === undefined ? {} : { bundle: bundle.name, version: bundle.version }),
    ...withStall(judgeExtension(extension), stalledOf(status?.conditions)),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...labelsIn(metadata),
  };
}

/** OLM v1 reports every deprecated channel when the spec names none; those are left out here. */
function deprecationOf(channels: readonly string[], status: ClusterExtension["status"]): string | undefined {
  const types = channels.length > 0 ? ["Deprecated"] : ["PackageDeprecated", "BundleDeprecated"];
  const said = types.flatMap((type) => {
    const condition = findCondition(status?.conditions, type);
    return condition?.status === "True" ? [condition.message] : [];
  });
  return said.length === 0 ? undefined : said.join("\n");
}

/** Why the objects of the latest revision are not available; undefined unless its condition Available is False. */
function unavailable(status: ClusterExtension["status"]): string | undefined {
  const latest = status?.activeRevisions?.at(-1);
  const condition = findCondition(latest?.conditions ?? status?.conditions, "Available");
  return condition?.status === "False" ? condition.message : undefined;
}

/** Cause of an extension that a person has to approve. */
const approvalReason: CauseCode = "ApprovalRequired";

function judgeExtension(extension: ClusterExtension): Verdict {
  const { metadata, status } = extension;
  const progressing = findCondition(status?.conditions, "Progressing");
  const available = findCondition(status?.conditions, "Available");
  const installed = status?.install !== undefined;
  const held = findCondition(status?.conditions, "UpdateHeld");
  // Progressing is True before, during and after most states; those of readiness change with them.
  const current = ["Ready", "Reconciling", "Stalled"]
    .map((type) => findCondition(status?.conditions, type))
    .find((condition) => condition?.status === "True");
  const sinceChange = (current ?? progressing)?.lastTransitionTime;
  const at = (state: InstallationState, why: string, since = sinceChange): Verdict => ({
    state,
    why: firstLine(why),
    ...(since === undefined ? {} : { since }),
  });
  if (metadata.deletionTimestamp !== undefined) return at("Removing", "", metadata.deletionTimestamp);
  if (isPaused(extension)) {
    const shown = shownAsPaused(extension);
    return at("Paused", `to continue: purser resume ext/${metadata.name ?? ""}`, shown?.lastTransitionTime);
  }
  if (progressing === undefined) return at("Installing", "");
  if (progressing.status === "False") return at("Failed", progressing.message);
  switch (progressing.reason) {
    case "Succeeded":
      if (available !== undefined && available.status !== "True")
        return at("Degraded", available.message, available.lastTransitionTime);
      if (held?.status === "True")
        return at(held.reason === approvalReason ? "Approve" : "Held", held.message, held.lastTransitionTime);
      return installed ? at("Ready", "") : at("Installing", "");
    case "RollingOut": {
      const why = unavailable(status) ?? progressing.message;
      if (!installed) return at("Installing", why);
      // Only the installed revision is active: it rolls out again to repair its objects.
      const isAlone = (status.activeRevisions ?? []).length === 1;
      return isAlone && available !== undefined && available.status !== "True"
        ? at("Degraded", why, available.lastTransitionTime)
        : at("Upgrading", why);
    }
    default: {
      const { message } = progressing;
      const asks = `${approvalReason}: `;
      // What approves it is said by the state.
      return message.startsWith(asks)
        ? at("Approve", partsOfConditionText(message.slice(asks.length)).sentence)
        : at("Blocked", message);
    }
  }
}

/** Whether the installed version works and nothing is under way: `Ready`, or `Held` with an upgrade that a policy holds back. */
export function isSettled({ state }: Pick<Installation, "state">): boolean {
  return state === "Ready" || state === "Held";
}
