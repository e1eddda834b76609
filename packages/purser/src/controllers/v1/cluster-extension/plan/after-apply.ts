import { goQuote } from "@purser/kubernetes/go-quote";
import type { Plan } from "@purser/kubernetes/kube/plan";
import type { ClusterExtension } from "../../../../apis/v1/cluster-extension.ts";
import { conditionText } from "../../../../explanation/condition-text.ts";
import { explainCrdUpgrade, formatCrdUpgradeRefusals } from "../../../../review/crd-upgrade-safety.ts";
import type { RevisionOutcome } from "../../../../rollout/plan/revision-outcome.ts";
import { rollingOutText } from "../../cluster-object-set/plan/object-set-status.ts";
import { quickMs } from "../../cluster-object-set/plan/quick-rollout.ts";
import { type ExtensionAction, type Progress, statusActions, told } from "./plan-extension.ts";
import type { ExtensionWorld } from "./world.ts";

/** The status of an extension after its revision was applied or refused; a refused one is retried. */
export function afterApply(world: ExtensionWorld, outcome: RevisionOutcome, now: number): Plan<ExtensionAction> {
  if (world.decision.kind !== "want") return { actions: [] };
  if (outcome.kind === "applied")
    // The created revision is part of the next world: its creation wakes the extension.
    return outcome.created
      ? { actions: [], recheckAfterMs: quickMs }
      : { actions: statusActions(world, progressOfSilent(world), now) };
  const { name, version } = world.decision.wanted.bundle;
  const { cause, upstream } = textsOf(outcome, world.extension, name);
  const text = `error for resolved bundle ${goQuote(name)} with version ${goQuote(version)}: ${upstream}`;
  const message = told(world, cause, text);
  return { actions: statusActions(world, { status: "True", reason: "Retrying", message }, now), retry: message };
}

/** What the newest revision does not report itself until `quickMs` after its creation; undefined when it reports. */
function progressOfSilent({ states }: ExtensionWorld): Progress | undefined {
  const latest = states.rollingOut.at(-1);
  return latest === undefined || latest.status?.conditions !== undefined
    ? undefined
    : { status: "True", reason: "RollingOut", message: rollingOutText(latest) };
}

/** Cause code, summary and remedy, then OLM's text. */
function textsOf(
  outcome: Exclude<RevisionOutcome, { readonly kind: "applied" }>,
  { metadata: { name: extension = "" }, status }: ClusterExtension,
  bundle: string,
): { readonly cause: string; readonly upstream: string } {
  switch (outcome.kind) {
    case "invalid":
      return { cause: `BundleInvalid: ${bundle}: ${outcome.message}`, upstream: outcome.message };
    case "unsafe": {
      const explanation = explainCrdUpgrade(outcome.refusals, extension, status?.install?.bundle.version);
      return {
        cause: `${explanation.code}: ${conditionText(explanation)}`,
        upstream: formatCrdUpgradeRefusals(outcome.refusals),
      };
    }
    case "terminating": {
      const names = outcome.crds.map((name) => goQuote(name)).join(", ");
      const text = `CustomResourceDefinition ${names} is still being deleted`;
      return { cause: `RolloutFailed: ${extension}: ${text}; the roll-out begins when it is gone`, upstream: text };
    }
    case "refused":
      return { cause: `RolloutFailed: ${extension}: ${outcome.message}`, upstream: outcome.message };
  }
}
