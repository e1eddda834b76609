import { shown } from "../output/shown.ts";
import type { Shown } from "../output/shown.ts";
import type { Decision } from "../../engine/snapshot/snapshot-decision.ts";
import { explanationLines } from "../../explanation/tree.ts";
import type { CommandSpec } from "../command.ts";
import { bundleLine, decide } from "../decision/decision-outcome.ts";
import { decisionOptions } from "../decision/decision-world.ts";

export const planCommand: CommandSpec = {
  name: "plan",
  group: "Change",
  summary: "Show what would be installed and by which steps; writes nothing",
  description: [
    "Decides for an installation, for a package that is not installed, or with -n alone for a whole namespace.",
    "With --catalog or --snapshot no cluster is asked. Exit code 0: there is an answer; 1: it is refused; 6: nothing has",
    "that name. The document of -o json is described in docs/plan-output.md.",
  ].join("\n"),
  arguments: [{ name: "installation", summary: "name, package, sub/NAMESPACE/NAME, ext/NAME or PACKAGE@VERSION" }],
  options: decisionOptions,
  examples: [
    ["purser plan -n operators", "everything that the namespace would get"],
    ["purser plan kube-green --catalog olm/demo=./catalog", "a package of a catalog on disk"],
    ["purser plan kube-green --catalog olm/demo=./catalog --bundles ./bundles", "every object that its bundle brings"],
    ["purser plan kube-green --catalog olm/demo=./catalog --pull", "the same, from the image of the bundle"],
    ["purser plan ext/argocd --snapshot cluster.yaml --catalog operatorhub=./catalog -o json", "without a cluster"],
  ],
  run: (invocation) => decide(invocation, (reference, decision) => planText(reference, decision)),
};

function planText(reference: string, decision: Decision): Shown {
  const { explanation, chosen, updated, steps, lookups, installPlan } = decision;
  if (explanation !== undefined) return shown(`Plan for ${reference}: refused`, ...explanationLines(explanation));
  const fresh = chosen.filter(({ upToDate }) => !upToDate);
  if (fresh.length === 0 && updated.length === 0)
    return shown(`Plan for ${reference}: nothing to do`, ...chosen.map((bundle) => `  ${bundleLine(bundle)}`));
  const unread = lookups.filter(({ conditions }) => conditions !== undefined);
  const count = `${fresh.length} bundle${fresh.length === 1 ? "" : "s"}`;
  return shown(
    `Plan for ${reference}: ${count} to install`,
    ...chosen.map((bundle) => `  ${bundleLine(bundle)}`),
    ...(unread.length + steps.length === 0 ? [] : ["Steps"]),
    ...unread.map(({ identifier, path }) => `  unpack  ${identifier}  ${path}`),
    ...steps.map(({ resource, resolving }) => `  create  ${resource.kind} ${resource.name}, for ${resolving}`),
    ...updated.map(({ name, currentCSV }) => `  move    Subscription ${name} to ${currentCSV}`),
    ...(installPlan === undefined
      ? []
      : [
          `InstallPlan ${installPlan.generation} of namespace ${installPlan.namespace}, approval ${installPlan.approval}`,
        ]),
  );
}
