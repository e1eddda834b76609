import { type JsonObject, plainJson } from "@purser/kubernetes/json";
import type { ChangePlan } from "../../review/change-plan/change-plan.ts";
import type { Result } from "@purser/kubernetes/result";
import type { Explanation } from "../../explanation/explanation.ts";
import type { PlanSet } from "../../review/change-plan/plan-set.ts";
import { planMarkdown } from "../../review/change-plan/plan-markdown.ts";
import { type PlanLine, planLines } from "../../review/change-plan/plan-text.ts";
import type { Invocation, ReportedOutcome } from "../command.ts";
import { flagOption, textOption } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { foldedLine } from "../output/folded-lines.ts";
import { shown, type Shown } from "../output/shown.ts";
import type { Terminal } from "../output/terminal.ts";

/** A change plan as the result of a command. */
export function planOutcome(invocation: Invocation, plan: ChangePlan): ReportedOutcome {
  const base = { exitCode: exitCodes.done, data: planDocument(plan) };
  if (textOption(invocation, "output") === "markdown") return { ...base, verbatim: planMarkdown(plan) };
  return { ...base, human: planText(invocation.terminal, plan, flagOption(invocation, "full")) };
}

/** A change plan in colour. */
export function planText(terminal: Terminal, plan: ChangePlan, full: boolean): Shown {
  return linesText(terminal, planLines(plan, full));
}

/** Lines of a plan in their colours, folded where the terminal is narrower. */
export function linesText(terminal: Terminal, lines: readonly PlanLine[]): Shown {
  const { width = Infinity } = terminal;
  return shown(
    ...lines.flatMap(({ text, meaning }) =>
      foldedLine(text, width).map((line) => (meaning === undefined ? line : terminal.paint(meaning, line))),
    ),
  );
}

/** The document that `-o json` prints; `docs/plan-output.md` names its fields. */
export function planDocument(plan: ChangePlan): JsonObject {
  return { apiVersion: "purser.dev/v1alpha1", kind: "ChangePlan", ...(plainJson(plan) as JsonObject) };
}

/** Plans that are approved together, as one document. */
export function planSetDocument({ digest, plans }: PlanSet): JsonObject {
  return { apiVersion: "purser.dev/v1alpha1", kind: "ChangePlanList", digest, items: plans.map(planDocument) };
}

/** The plans as text; several are followed by the digest of all. */
export function planSetText(terminal: Terminal, { digest, plans }: PlanSet, full: boolean): Shown {
  const texts = plans.map((plan) => planText(terminal, plan, full));
  const all = plans.length > 1 ? [shown(`All ${plans.length} together    ${digest}`)] : [];
  return [...texts, ...all].join("\n") as Shown;
}

/** All hops after the first one was shown, each and in total; empty when there is but one, or none was read. */
export function wayText(
  terminal: Terminal,
  way: Result<ChangePlan, Explanation> | undefined,
  full: boolean,
): readonly Shown[] {
  if (way === undefined) return [];
  if (!way.ok) return [shown(`The changes of the later upgrades are unknown: ${way.problem.summary}`)];
  return [shown("With all later upgrades:"), planText(terminal, way.value, full)];
}
