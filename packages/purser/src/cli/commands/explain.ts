import { shown } from "../output/shown.ts";
import type { Shown } from "../output/shown.ts";
import type { Decision } from "../../engine/snapshot/snapshot-decision.ts";
import { partsOfConditionText } from "../../explanation/condition-text.ts";
import { type Explanation, type Remedy, remedyWords } from "../../explanation/explanation.ts";
import { shellWord } from "../../explanation/summary.ts";
import { explanationLines } from "../../explanation/tree.ts";
import type { WhyBundle } from "../../resolver/why-bundle.ts";
import type { Installation } from "../../installation/installation.ts";
import type { Stall } from "../../installation/stalled.ts";
import { type CommandSpec, type Outcome, textOption } from "../command.ts";
import { explainMarkdown } from "../decision/explain-markdown.ts";
import type { Now, Say } from "../decision/decision-outcome.ts";
import { bundleLine, decide, whyLines } from "../decision/decision-outcome.ts";
import { candidateLines } from "../decision/candidates.ts";
import { decisionOptions } from "../decision/decision-world.ts";
import { remedyLines, sickWorkloadLines } from "../cluster/workloads.ts";

export const explainCommand: CommandSpec = {
  description:
    "Decides as purser plan does and shows the reasons; with --why BUNDLE, why that bundle is or is not chosen. With --catalog or --snapshot no cluster is asked. Exit code 0: nothing refuses it; 1: it is refused; 6: nothing has that name. The document of -o json is described in docs/plan-output.md.",
  arguments: [{ name: "installation", summary: "name, package, sub/NAMESPACE/NAME, ext/NAME or PACKAGE@VERSION" }],
  options: [
    { flags: "--why BUNDLE", summary: "why this bundle is or is not chosen" },
    {
      flags: "--candidates",
      summary: "also list every bundle that it could get, with the rule that chose or excluded it",
    },
    { flags: "--from VERSION", summary: "decide as if this version of the package were installed, whatever is" },
    ...decisionOptions,
    { flags: "-o, --output FORMAT", summary: "how to print", choices: ["text", "tree", "json", "yaml", "markdown"] },
  ],
  examples: [
    ["purser explain operators/kube-green", "why it moves or does not"],
    ["purser explain operators/kube-green --why kube-green.v0.5.2", "why not that version"],
    ["purser explain operators/kube-green --candidates", "all versions, and why each is or is not chosen"],
    ["purser explain kube-green --from 0.5.2 -n operators", "what would become of an older version"],
    ["purser explain operators/kube-green -o markdown", "for an issue or a pull request"],
    [
      "purser explain -n operators --snapshot cluster.yaml --catalog olm/demo=./catalog",
      "a whole namespace, without a cluster",
    ],
  ],
  run: async (invocation) => {
    if (textOption(invocation, "output") !== "markdown") return decide(invocation, withCandidates);
    const { human, ...outcome } = await decide(invocation, explainMarkdown(withCandidates));
    return human === undefined ? (outcome as Outcome) : ({ ...outcome, verbatim: `${human}\n` } as Outcome);
  },
};

/** What `explain` says, with the candidates below it where they are asked for. */
const withCandidates: Say = (reference, decision, why, now) => {
  const text = explainText(reference, decision, why, now);
  return now.candidates === undefined ? text : (`${text}\n${shown(...candidateLines(now.candidates))}` as Shown);
};

function explainText(
  reference: string,
  { outcome, explanation, chosen }: Decision,
  why: WhyBundle | undefined,
  { installation, standing, sick, missingNamespace, held, blocked }: Now,
): Shown {
  if (why !== undefined) return shown(...whyLines(why));
  const running = [
    ...stuckLines(installation?.stuck),
    ...(missingNamespace === undefined ? [] : [missingNamespace.text, ...remedyLines(missingNamespace.remedies)]),
    ...sickWorkloadLines(sick),
  ];
  if (explanation !== undefined)
    return shown(
      ...explanationLines(explanation),
      ...(outcome === "error" ? decidedThereLines(installation, explanation) : []),
      ...(standing === undefined ? [] : [`${standing.text}.`]),
      ...running,
    );
  if (held !== undefined) return shown(...explanationLines(held), ...running);
  if (blocked !== undefined) return shown(...explanationLines(blocked), ...running);
  if (installation?.state === "Orphan")
    return shown(
      `${reference} is Orphan: ${installation.why}`,
      ...remedyLines([
        { summary: "Let a Subscription own it", command: `purser adopt ${shellWord(installation.reference)}` },
        {
          summary: "Uninstall it; CRDs and custom resources stay",
          command: `purser uninstall ${shellWord(installation.reference)} --mode keep-data`,
          deletes: "objects",
        },
      ]),
      ...running,
    );
  const choice = chosen.map((bundle) => `  ${bundleLine(bundle)}`);
  // An installation can be blocked after resolution: a bundle is missing, or an object has another owner.
  if (installation !== undefined && ["Blocked", "Failed", "Held"].includes(installation.state)) {
    const { sentence, remedies: stated } = partsOfConditionText(installation.why);
    const isContent = /^(?:BundleUnavailable|BundleInvalid|SignatureRejected): /.test(sentence);
    const named = new Set(missingNamespace?.remedies.map(({ command }) => command));
    const remedies =
      stated.length > 0 || !isContent
        ? stated.filter(({ command }) => !named.has(command))
        : [otherVersions(installation.packageName)];
    return shown(
      `${reference} is ${installation.state}: ${sentence}`,
      ...remedyLines(remedies),
      ...running,
      "The choice itself is not refused:",
      ...choice,
    );
  }
  const state =
    installation === undefined || (installation.why === "" && sick.length === 0)
      ? []
      : [
          `state ${installation.state}${installation.why === "" ? "" : `: ${installation.why}`}`,
          ...(installation.state === "Approve" ? [`Next: purser approve ${installation.reference}`] : []),
        ];
  if (standing !== undefined)
    return shown(
      `${reference}: ${standing.text}.`,
      ...standing.remedies.map((remedy) =>
        remedy.command === undefined ? `fix: ${remedy.summary}` : `see: ${remedy.command}      ${remedyWords(remedy)}`,
      ),
      ...state,
      ...running,
    );
  return shown(`${reference}: nothing refuses it`, ...choice, ...state, ...running);
}

const otherVersions = (packageName: string): Remedy => ({
  summary: "See which other versions the catalogs have",
  command: `purser show ${shellWord(packageName)} --versions`,
});

/** What the controllers of the cluster decided, which can read catalogs that this machine cannot; none when it is the same. */
function decidedThereLines(installation: Installation | undefined, { summary }: Explanation): readonly string[] {
  if (installation === undefined || installation.why === "" || installation.why.includes(summary)) return [];
  const { sentence, remedies } = partsOfConditionText(installation.why);
  return [`the cluster shows it as ${installation.state}: ${sentence}`, ...remedyLines(remedies)];
}

/** What nothing gets past, as the object shows it. */
function stuckLines(stuck: Stall | undefined): readonly string[] {
  if (stuck === undefined) return [];
  return [`stuck since ${stuck.stuckSince} by: ${stuck.blockedBy}`, `next attempt: ${stuck.nextRetry}`];
}
