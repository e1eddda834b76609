import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions } from "../../../../apis/olm-resources.ts";
import { reservedClaimsProblem } from "../../../../bundle/reserved-claims.ts";
import { remainingMs } from "@purser/kubernetes/clock";
import type { Plan } from "@purser/kubernetes/kube/plan";
import type { CsvAction } from "./csv-action.ts";
import type { Health } from "./health.ts";
import { evaluateHealth } from "./health.ts";
import { checkApiServiceResources } from "../../../../rollout/plan/strategy/api-service-resources.ts";
import { isComputable } from "../../../../rollout/plan/strategy/serving-authority.ts";
import { certificatesDue } from "./certificates-due.ts";
import type { PhaseChange, PhaseReason } from "./phase-status.ts";
import { isAt, isShown, withPhase } from "./phase-status.ts";
import { returnPauseMs } from "./return-pause.ts";
import { leftFor } from "../../plan/left-versions.ts";
import { finalSuccessor, predecessor, replacementChain, successor } from "./relations.ts";
import type { RequirementEvaluation } from "./requirement.ts";
import { evaluateRequirements } from "./requirement.ts";
import { notUpgradeableCause } from "./upgradeable.ts";
import { webhookProblem } from "./webhook-rule.ts";
import type { CsvWorld } from "./world.ts";

/** One step of the phase machine; the gate has passed. */
export function transition(world: CsvWorld, group: OperatorGroup, now: number): Plan<CsvAction> {
  const pass = new Pass(world, group, now);
  const former = leftFor(world.csv, world.siblings);
  if (former !== undefined) return pass.left(former);
  switch (world.csv.status?.phase) {
    case undefined:
    case "":
    case "Unknown":
      return pass.enter("Pending", "RequirementsUnknown", "requirements not yet checked");
    case "Pending":
      return pass.pending();
    case "InstallReady":
      return pass.installReady();
    case "Installing":
      return pass.installing();
    case "Succeeded":
      return pass.succeeded();
    case "Failed":
      return pass.failed();
    case "Replacing":
      return pass.replacing();
    case "Deleting":
      return { actions: [removal(world.csv)] };
  }
}

const removal = (csv: ClusterServiceVersion): CsvAction => ({
  kind: "write",
  write: {
    verb: "delete",
    type: clusterServiceVersions,
    key: { namespace: csv.metadata.namespace ?? "", name: csv.metadata.name ?? "" },
    ...(csv.metadata.uid === undefined ? {} : { preconditions: { uid: csv.metadata.uid } }),
  },
});

/** Phases of a CSV that has installed its Deployments. */
const tookOver: ReadonlySet<string> = new Set(["Installing", "Succeeded", "Failed"]);

const installTimeoutMs = 300_000;

/** How long a Deployment that was just created may be missing in what is observed. */
const appearsWithinMs = 5_000;
const shortestRecheckMs = 5_000;
const longestRecheckMs = 300_000;

class Pass {
  readonly #world: CsvWorld;
  readonly #csv: ClusterServiceVersion;
  readonly #failsForward: boolean;
  readonly #now: number;

  constructor(world: CsvWorld, group: OperatorGroup, now: number) {
    this.#world = world;
    this.#csv = world.csv;
    this.#failsForward = group.spec?.upgradeStrategy === "TechPreviewUnsafeFailForward";
    this.#now = now;
  }

  /** Writes a phase; no action when the CSV already has it. */
  enter(
    phase: PhaseChange["phase"],
    reason: PhaseReason,
    message: string,
    evaluation?: RequirementEvaluation,
  ): Plan<CsvAction> {
    const change: PhaseChange = { phase, reason, message };
    const { status } = this.#csv;
    if (isAt(status, change)) return { actions: this.#requirementsOnly(evaluation) };
    return {
      actions: [
        {
          kind: "status",
          csv: this.#csv,
          status: withPhase(status, change, this.#now, evaluation?.statuses),
          announce: change,
        },
      ],
    };
  }

  /** Writes changed requirement details even when the phase stays. */
  #requirementsOnly(evaluation: RequirementEvaluation | undefined): readonly CsvAction[] {
    const { status } = this.#csv;
    if (evaluation === undefined || isShown(status?.requirementStatus, evaluation.statuses)) return [];
    return [{ kind: "status", csv: this.#csv, status: { ...status, requirementStatus: evaluation.statuses } }];
  }

  /**
   * Left in an automatic rollback: deleted once the former version has taken its Deployments over, so that their pods go on. Until
   * then `Replacing`, in which its APIServices may be adopted.
   */
  left(former: ClusterServiceVersion): Plan<CsvAction> {
    const text = `rolled back to csv: ${former.metadata.name}`;
    if (this.#csv.status?.phase === "Deleting") return { actions: [removal(this.#csv)] };
    const hasTakenOver = former.status?.phase !== undefined && tookOver.has(former.status.phase);
    return hasTakenOver ? this.enter("Deleting", "Replaced", text) : this.enter("Replacing", "BeingReplaced", text);
  }

  pending(): Plan<CsvAction> {
    const { siblings, predecessorCondition } = this.#world;
    const reserved = this.#reserved();
    if (reserved !== undefined) return reserved;
    const before = predecessor(this.#csv, siblings);
    const held = before === undefined ? undefined : notUpgradeableCause(predecessorCondition);
    if (held !== undefined)
      return this.enter("Pending", "OperatorConditionNotUpgradeable", `operator is not upgradeable: ${held}`);
    const requirements = evaluateRequirements(this.#world);
    if (!requirements.ok)
      return this.enter("Failed", "InvalidInstallStrategy", `install strategy invalid: ${requirements.problem}`);
    const evaluation = requirements.value;
    if (!evaluation.met && this.#world.isBeingCreated === true)
      return { actions: [], recheckAfterMs: shortestRecheckMs };
    if (!evaluation.met) {
      const waiting = this.enter(
        "Pending",
        "RequirementsNotMet",
        "one or more requirements couldn't be found",
        evaluation,
      );
      return { ...waiting, ...this.#untilRequirements(evaluation) };
    }
    const webhooks = webhookProblem(this.#csv.spec.webhookdefinitions ?? [], this.#world.compat);
    if (webhooks !== undefined) return this.enter("Failed", "InvalidWebhookDescription", webhooks, evaluation);
    const rivalry = this.#rivalry();
    if (rivalry !== undefined)
      return { ...this.enter("Failed", "OwnerConflict", rivalry, evaluation), recheckAfterMs: 5_000 };
    if (before !== undefined && before.status?.phase !== "Replacing") return this.#behind(before, evaluation);
    return this.enter("InstallReady", "AllRequirementsMet", "all requirements found, attempting install", evaluation);
  }

  /** A predecessor that has succeeded steps aside in its next pass, which is not worth a message. */
  #behind({ metadata, status }: ClusterServiceVersion, evaluation: RequirementEvaluation): Plan<CsvAction> {
    if (status?.phase === "Succeeded") return { actions: this.#requirementsOnly(evaluation) };
    const message = `all requirements found, waiting until ${metadata.name} has succeeded and can be replaced`;
    return this.enter("Pending", "AllRequirementsMet", message, evaluation);
  }

  /**
   * When unmet requirements are checked again. All CustomResourceDefinitions are watched, but only managed objects of the other
   * kinds, so those are polled, less often the longer the CSV has waited.
   */
  #untilRequirements({ statuses }: RequirementEvaluation): { readonly recheckAfterMs?: number } {
    const unwatched = statuses.some(({ kind, status }) => status !== "Present" && kind !== "CustomResourceDefinition");
    if (!unwatched) return {};
    const { phase, reason, lastTransitionTime = "" } = this.#csv.status ?? {};
    const isNew = phase !== "Pending" || reason !== "RequirementsNotMet";
    const waited = isNew ? 0 : this.#now - Date.parse(lastTransitionTime);
    return {
      recheckAfterMs: Math.min(longestRecheckMs, Math.max(shortestRecheckMs, Number.isNaN(waited) ? 0 : waited)),
    };
  }

  /** A CSV that claims an API of the lifecycle manager fails until its spec changes; its running Deployments are kept. */
  #reserved(): Plan<CsvAction> | undefined {
    const problem = reservedClaimsProblem(this.#world.reservedApis);
    return problem === undefined ? undefined : this.enter("Failed", "OwnerConflict", problem);
  }

  /** OLM's text when another CSV of the namespace owns a CRD of this CSV, or an APIService cannot be adopted. */
  #rivalry(): string | undefined {
    if (this.#hasCrdRival()) return "conflicting CRD owner in namespace";
    return this.#world.unadoptableApiServices.length > 0 ? "unable to adopt APIService" : undefined;
  }

  #hasCrdRival(): boolean {
    const chain = replacementChain(this.#csv, this.#world.siblings);
    const own = new Set((this.#csv.spec.customresourcedefinitions?.owned ?? []).map(({ name }) => name));
    return this.#world.siblings.some(
      (sibling) =>
        !chain.has(sibling.metadata.name ?? "") &&
        sibling.spec.customresourcedefinitions?.owned?.some(({ name }) => own.has(name)) === true,
    );
  }

  /** The first check of every phase from InstallReady on, as OLM's `parseStrategiesAndUpdateStatus`. */
  #unknownStrategy(): Plan<CsvAction> | undefined {
    return this.#csv.spec.install.strategy === "deployment"
      ? undefined
      : this.enter("Failed", "InvalidInstallStrategy", "install strategy invalid: unrecognized install strategy");
  }

  /** The install is attempted again when the Deployments that it should have made cannot be determined. */
  #incomputable(): Plan<CsvAction> | undefined {
    return isComputable(this.#world.strategy)
      ? undefined
      : this.#returnTo("Pending", "NeedsReinstall", "calculated deployment install is bad");
  }

  installReady(): Plan<CsvAction> {
    const { strategy, groups } = this.#world;
    return this.#unknownStrategy() ?? { actions: [{ kind: "install", strategy, groups }] };
  }

  installing(): Plan<CsvAction> {
    const unknown = this.#unknownStrategy();
    if (unknown !== undefined) return unknown;
    const bad = this.#incomputable();
    if (bad !== undefined) return bad;
    const health = evaluateHealth(this.#world, { phase: "Installing", reason: "InstallWaiting" });
    const started = Date.parse(this.#csv.status?.lastTransitionTime ?? "");
    const remaining = started + installTimeoutMs - this.#now;
    if (!health.healthy && health.change.phase === "Installing" && remaining <= 0)
      return this.enter("Failed", "InstallCheckFailed", "install timeout");
    const plan = this.#deployedAgain(health) ?? this.#after(health);
    return health.healthy || Number.isNaN(remaining) ? plan : sooner(plan, timerMs(remaining));
  }

  /** A Deployment that somebody deletes while it rolls out is created again; with OLM the install times out first. */
  #deployedAgain({ isMissing = false, change }: Health): Plan<CsvAction> | undefined {
    if (!isMissing || this.#world.compat.keepsUpstream("deployment-edits")) return undefined;
    const left = remainingMs(this.#csv.status?.lastTransitionTime, appearsWithinMs, this.#now);
    if (left > 0) return { ...this.enter(change.phase, change.reason, change.message), recheckAfterMs: timerMs(left) };
    return this.#returnTo("InstallReady", "InstallWaiting", change.message);
  }

  succeeded(): Plan<CsvAction> {
    const next = successor(this.#csv, this.#world.siblings);
    if (next !== undefined)
      return this.enter("Replacing", "BeingReplaced", `being replaced by csv: ${next.metadata.name}`);
    const unknown = this.#unknownStrategy();
    if (unknown !== undefined) return unknown;
    const resources = checkApiServiceResources(this.#world.strategy);
    if (resources.kind !== "consistent") return this.enter("Failed", "APIServiceResourceIssue", resources.message);
    const certificates = certificatesDue(this.#world.strategy, this.#now);
    if (certificates.due)
      return this.enter("Pending", "NeedsCertRotation", "CSV owns resources that require a cert refresh");
    const requirements = evaluateRequirements(this.#world);
    if (!requirements.ok)
      return this.enter("Failed", "InvalidInstallStrategy", `install strategy invalid: ${requirements.problem}`);
    if (!requirements.value.met)
      return this.enter("Failed", "RequirementsNotMet", "requirements no longer met", requirements.value);
    const bad = this.#incomputable();
    if (bad !== undefined) return bad;
    const plan = this.#after(evaluateHealth(this.#world, { phase: "Failed", reason: "ComponentUnhealthy" }));
    return certificates.next === undefined ? plan : sooner(plan, timerMs(certificates.next - this.#now));
  }

  failed(): Plan<CsvAction> {
    const next = successor(this.#csv, this.#world.siblings);
    if (this.#failsForward && next !== undefined)
      return this.enter(
        "Replacing",
        "BeingReplaced",
        `Fail Forward is enabled, allowing Failed csv to be replaced by csv: ${next.metadata.name}`,
      );
    const reserved = this.#reserved();
    if (reserved !== undefined) return reserved;
    const unknown = this.#unknownStrategy();
    if (unknown !== undefined) return unknown;
    const reason = this.#csv.status?.reason;
    if (
      reason === "NoTargetNamespaces" ||
      reason === "NoOperatorGroup" ||
      reason === "TooManyOperatorGroups" ||
      reason === "UnsupportedOperatorGroup"
    )
      return this.enter("Pending", "RequirementsUnknown", "InstallModes now support target namespaces");
    if (reason === "InterOperatorGroupOwnerConflict")
      return this.enter(
        "Pending",
        "RequirementsUnknown",
        "OperatorGroup no longer intersecting with conflicting owner",
      );
    if (reason === "CannotModifyStaticOperatorGroupProvidedAPIs")
      return this.enter(
        "Pending",
        "RequirementsUnknown",
        "static OperatorGroup and intersecting groups now support providedAPIs",
      );
    const requirements = evaluateRequirements(this.#world);
    if (!requirements.ok)
      return this.enter("Failed", "InvalidInstallStrategy", `install strategy invalid: ${requirements.problem}`);
    if (!requirements.value.met)
      return this.enter("Pending", "RequirementsNotMet", "requirements not met", requirements.value);
    // Owner conflicts and webhook faults are detected in Pending: entering it before they are fixed would loop between the phases.
    if (reason === "OwnerConflict" && this.#rivalry() !== undefined) return { actions: [], recheckAfterMs: 5_000 };
    if (
      reason === "InvalidWebhookDescription" &&
      webhookProblem(this.#csv.spec.webhookdefinitions ?? [], this.#world.compat) !== undefined
    )
      return { actions: [] };
    const resources = checkApiServiceResources(this.#world.strategy);
    switch (resources.kind) {
      case "repairable":
        return this.#returnTo("Pending", "APIServiceResourcesNeedReinstall", resources.message);
      case "unadoptable":
        return { actions: [] };
      case "consistent":
        break;
    }
    if (certificatesDue(this.#world.strategy, this.#now).due)
      return this.#returnTo("Pending", "NeedsCertRotation", "owned APIServices need cert refresh");
    const bad = this.#incomputable();
    if (bad !== undefined) return bad;
    return this.#after(evaluateHealth(this.#world, { phase: "Pending", reason: "NeedsReinstall" }));
  }

  replacing(): Plan<CsvAction> {
    const { siblings } = this.#world;
    if (predecessor(this.#csv, siblings) !== undefined) return { actions: [] };
    const next = successor(this.#csv, siblings);
    const left = siblings.find((sibling) => leftFor(sibling, siblings)?.metadata.name === this.#csv.metadata.name);
    if (next === undefined && left !== undefined)
      return this.enter("Pending", "RequirementsUnknown", `rolled back from csv: ${left.metadata.name}`);
    if (next === undefined)
      return this.#world.compat.keepsUpstream("lost-replacement") ? this.#stranded() : this.#adrift();
    const last = this.#failsForward ? finalSuccessor(next, siblings) : next;
    if (last === undefined)
      return {
        actions: [],
        retry: "fail forward upgrades enabled, unable to identify last CSV in replacement chain",
      };
    if (last.status?.phase !== "Succeeded") return { actions: [] };
    return this.enter(
      "Deleting",
      "Replaced",
      "has been replaced by a newer ClusterServiceVersion that has successfully installed.",
    );
  }

  /** As OLM: the CSV stays in Replacing and is retried with an error. */
  #stranded(): Plan<CsvAction> {
    return { actions: [], retry: "marked as replacement, but no replacement CSV found in cluster" };
  }

  /** The replacement was deleted before it succeeded: the CSV returns to Pending and is installed again. */
  #adrift(): Plan<CsvAction> {
    return this.enter(
      "Pending",
      "RequirementsUnknown",
      "marked as replacement, but no replacement CSV found in cluster",
    );
  }

  #after(health: Health): Plan<CsvAction> {
    const cleanup = health.stale.map(({ kind, name }): CsvAction => ({
      kind: "write",
      write: {
        verb: "delete",
        type: kind === "validating" ? validatingWebhookConfigurations : mutatingWebhookConfigurations,
        key: { name },
      },
    }));
    const { phase, reason, message } = health.change;
    const returns = phase === "Pending" || phase === "InstallReady";
    const plan = returns ? this.#returnTo(phase, reason, message, health.repeats) : this.enter(phase, reason, message);
    return { ...plan, actions: [...cleanup, ...plan.actions] };
  }

  /** Enters an earlier phase, at once or after a pause when it did not help before. */
  #returnTo(
    phase: PhaseChange["phase"],
    reason: PhaseReason,
    message: string,
    repeats: "reason" | "message" = "reason",
  ): Plan<CsvAction> {
    const pause = returnPauseMs(this.#csv.status, { phase, reason, message }, repeats, this.#now);
    return pause > 0 ? { actions: [], recheckAfterMs: timerMs(pause) } : this.enter(phase, reason, message);
  }
}

/** The plan with the earlier of two times at which it is looked at again. */
function sooner(plan: Plan<CsvAction>, recheckAfterMs: number): Plan<CsvAction> {
  return { ...plan, recheckAfterMs: Math.min(plan.recheckAfterMs ?? recheckAfterMs, recheckAfterMs) };
}

/** The delay plus 1 ms, limited to between 1 ms and one day. */
function timerMs(wanted: number): number {
  return Math.min(Math.max(wanted, 0) + 1, 24 * 3_600_000);
}
