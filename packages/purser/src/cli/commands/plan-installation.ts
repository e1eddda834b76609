import { shown } from "../output/shown.ts";
import type { Shown } from "../output/shown.ts";
import type { Decision } from "../../engine/snapshot/snapshot-decision.ts";
import { explanationLines } from "../../explanation/tree.ts";
import { type CommandSpec, flagOption, type Invocation, textOption } from "../command.ts";
import { planSetText, planText as changePlanText } from "../review/change-plan-outcome.ts";
import { bundleLine, decide, type Now } from "../decision/decision-outcome.ts";
import { verdictLines } from "../policy/policy-verdict.ts";
import { planPackage } from "../review/package-change.ts";
import { decisionOptions } from "../decision/decision-world.ts";
import { counted } from "../../explanation/summary.ts";

export const planCommand: CommandSpec = {
  description: [
    "Decides for an installation, for a package that is not installed, or with -n alone for a whole namespace.",
    "With --catalog or --snapshot no cluster is asked. Exit code 0: there is an answer; 1: it is refused; 6: nothing has",
    "that name. The document of -o json is described in docs/plan-output.md.",
  ].join("\n"),
  arguments: [{ name: "installation", summary: "name, package, sub/NAMESPACE/NAME, ext/NAME or PACKAGE@VERSION" }],
  options: [
    ...decisionOptions,
    {
      flags: "--from VERSION",
      summary: "show what upgrades of a package change, starting at this version, whatever is installed",
    },
    { flags: "--to VERSION", summary: "with --from: last version of the upgrades (default: the head)" },
    { flags: "--full", summary: "show the fields of all objects, and each hop" },
    { flags: "-o, --output FORMAT", summary: "how to print", choices: ["text", "json", "yaml", "markdown"] },
  ],
  examples: [
    ["purser plan -n operators", "everything that the namespace would get"],
    ["purser plan kube-green --catalog olm/demo=./catalog", "a package of a catalog on disk"],
    ["purser plan kube-green --catalog olm/demo=./catalog --bundles ./bundles", "every object that its bundle brings"],
    ["purser plan kube-green --catalog olm/demo=./catalog --pull", "the same, from the image of the bundle"],
    [
      "purser plan etcd --from 0.9.2 --to 0.9.4 --catalog olm/demo=./catalog --pull",
      "what changes between two versions: objects, permissions, CRDs",
    ],
    ["purser plan ext/argocd --snapshot cluster.yaml --catalog operatorhub=./catalog -o json", "without a cluster"],
  ],
  run: (invocation) => {
    const from = textOption(invocation, "from");
    return from === undefined
      ? decide(
          invocation,
          (reference, decision, _why, now) =>
            joined(
              planText(reference, decision),
              now.policy === undefined ? shown() : shown(...verdictLines(now.policy)),
              changesText(invocation, reference, now),
            ),
          "changes",
        )
      : planPackage(invocation, from);
  },
};

const joined = (...texts: readonly Shown[]): Shown => texts.filter((text) => text !== "").join("\n") as Shown;

function changesText(invocation: Invocation, reference: string, { changes, waiting }: Now): Shown {
  const { terminal } = invocation;
  const full = flagOption(invocation, "full");
  // What the InstallPlan holds is what approval applies; the same bundle as decided is not shown a second time.
  const held = waiting?.ok === true ? waiting.value.plans : [];
  const decided = changes.filter(
    (change) =>
      !change.ok ||
      !held.some(
        ({ installation, to }) => installation === change.value.installation && to.name === change.value.to.name,
      ),
  );
  return joined(
    ...(waiting === undefined
      ? []
      : [
          shown(`An InstallPlan is pending approval: purser approve ${reference}`),
          waiting.ok
            ? planSetText(terminal, waiting.value, full)
            : shown(`Changes unknown: ${waiting.problem.summary}`),
        ]),
    ...decided.map((change) =>
      change.ok ? changePlanText(terminal, change.value, full) : shown(`Changes unknown: ${change.problem.summary}`),
    ),
  );
}

function planText(reference: string, decision: Decision): Shown {
  const { explanation, chosen, updated, steps, lookups, installPlans } = decision;
  if (explanation !== undefined) return shown(`Plan for ${reference}: refused`, ...explanationLines(explanation));
  const fresh = chosen.filter(({ upToDate }) => !upToDate);
  if (fresh.length === 0 && updated.length === 0)
    return shown(`Plan for ${reference}: nothing to do`, ...chosen.map((bundle) => `  ${bundleLine(bundle)}`));
  const unread = lookups.filter(({ conditions }) => conditions !== undefined);
  const count = counted(fresh.length, "bundle");
  return shown(
    `Plan for ${reference}: ${count} to install`,
    ...chosen.map((bundle) => `  ${bundleLine(bundle)}`),
    ...(unread.length + steps.length === 0 ? [] : ["Steps"]),
    ...unread.map(({ identifier, path }) => `  unpack  ${identifier}  ${path}`),
    ...steps.map(({ resource, resolving }) => `  create  ${resource.kind} ${resource.name}, for ${resolving}`),
    ...updated.map(({ name, currentCSV }) => `  move    Subscription ${name} to ${currentCSV}`),
    ...installPlans.map(
      ({ generation, namespace, approval, clusterServiceVersionNames }) =>
        `InstallPlan ${generation} of namespace ${namespace}, approval ${approval}: ${clusterServiceVersionNames.join(", ")}`,
    ),
  );
}
