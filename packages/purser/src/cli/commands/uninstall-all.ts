import { plainJson } from "@purser/kubernetes/json";
import { counted, shellWord } from "../../explanation/summary.ts";
import type { Installation } from "../../installation/installation.ts";
import type { UninstallPlan } from "../../review/uninstall-plan/uninstall-plan.ts";
import { uninstallLines } from "../../review/uninstall-plan/uninstall-text.ts";
import { flagOption, type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { exitCodes } from "../exit-code.ts";
import { failure } from "../failure.ts";
import { selected } from "../output/listing.ts";
import { shown } from "../output/shown.ts";
import { linesText } from "../review/change-plan-outcome.ts";
import { oneByOne } from "./one-by-one.ts";

/** What uninstalling one of several removes. */
export interface PlannedRemoval {
  readonly installation: Installation;
  readonly plan: UninstallPlan;
  /** The extension whose requirements created it. */
  readonly wantedBy: string | undefined;
}

const named = (count: number): string => counted(count, "ClusterExtension");

/**
 * The ClusterExtensions that `--all-extensions` and `--selector` ask for, by name; undefined when one installation is named.
 * @throws UsageError when both are given, or neither
 */
export function askedExtensions(
  invocation: Invocation,
  all: readonly Installation[],
): readonly Installation[] | undefined {
  const [name] = invocation.arguments;
  const isSet = flagOption(invocation, "all-extensions");
  if (!isSet) {
    if (name === undefined)
      throw new UsageError("uninstall needs an installation", "purser uninstall INSTALLATION; or --all-extensions");
    if (textOption(invocation, "selector") !== undefined)
      throw new UsageError("--selector selects among several", "add --all-extensions and name no installation");
    return undefined;
  }
  const single = ["plan", "confirm"].find((flag) => textOption(invocation, flag) !== undefined);
  if (name !== undefined || single !== undefined)
    throw new UsageError(
      `--all-extensions and ${single === undefined ? `the installation "${name}"` : `--${single}`} exclude each other`,
      "leave one of them out",
    );
  const extensions = all.filter(({ api }) => api === "v1");
  return selected(invocation, extensions, ({ labels }) => labels).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Shows what uninstalling several installations removes, asks once, and removes one after the other, those last that were
 * created for another one. Custom resources are never deleted this way: that takes the name of each installation.
 */
export async function uninstallSet(
  invocation: Invocation,
  removals: readonly PlannedRemoval[],
  carryOut: (one: PlannedRemoval) => Promise<Outcome>,
): Promise<Outcome> {
  const { terminal } = invocation;
  const selector = textOption(invocation, "selector");
  if (removals.length === 0) {
    const summary =
      selector === undefined ? "There is no ClusterExtension" : `No ClusterExtension has the labels ${selector}`;
    return { explanation: failure("NotFound", summary, [["purser list -A", "all installations"]]) };
  }
  const data = {
    apiVersion: "purser.dev/v1alpha1",
    kind: "UninstallPlanList",
    items: removals.map(({ plan }) => plainJson(plan)),
  };
  const text = linesText(
    terminal,
    removals.flatMap(({ plan }) => uninstallLines(plan)),
  );
  if (flagOption(invocation, "dry-run")) return { exitCode: exitCodes.done, data, human: text };
  const filled = removals.find(
    ({ plan }) => plan.deletedInstances > 0 || (plan.mode === "everything" && plan.uncounted.length > 0),
  );
  if (filled !== undefined) {
    const { reference, name } = filled.installation;
    const [one, all] = [shellWord(reference), shellWord(name)];
    throw new UsageError(
      `--all-extensions deletes no custom resources, and ${reference} has ${filled.plan.deletedInstances || "some"}`,
      `purser uninstall ${one} --mode everything --confirm ${all}`,
    );
  }
  terminal.err(...text.split("\n"));
  if (!(await confirm(invocation, `Remove ${named(removals.length)}?`))) return notConfirmed("removed");
  const done = await oneByOne(
    terminal,
    createdForOthersLast(removals),
    ({ installation: { reference } }) => reference,
    carryOut,
    named,
  );
  return { exitCode: done.exitCode, data: { ...data, results: done.results }, human: shown(...done.lines) };
}

/** By name, but for extensions that were created for another one of them: that one might create them again while it is installed. */
function createdForOthersLast(removals: readonly PlannedRemoval[]): readonly PlannedRemoval[] {
  const wantedBy = new Map(removals.map((one) => [one.installation.name, one.wantedBy]));
  const depth = (name: string | undefined, passed: ReadonlySet<string>): number =>
    name === undefined || passed.has(name) || !wantedBy.has(name)
      ? 0
      : 1 + depth(wantedBy.get(name), new Set([...passed, name]));
  const depthOf = ({ installation: { name } }: PlannedRemoval): number => depth(name, new Set());
  return removals.toSorted((left, right) => depthOf(left) - depthOf(right));
}
