import type { Decision } from "../../engine/snapshot-decision.ts";
import { formatExplanation } from "../../explanation/tree.ts";
import type { WhyBundle } from "../../resolver/why-bundle.ts";
import type { Standing } from "../../resolver/standing.ts";
import type { Installation } from "../../installation/installation.ts";
import type { CommandSpec } from "../command.ts";
import { bundleLine, decide, whyLines } from "../decision-outcome.ts";
import { decisionOptions } from "../decision-world.ts";

export const explainCommand: CommandSpec = {
  name: "explain",
  group: "Look",
  summary: "Say why an installation is where it is: the decision taken again, with its reasons and the ways out",
  description:
    "Decides as purser plan does and tells the reasons; with --why BUNDLE, why that bundle is or is not chosen. With --catalog or --snapshot no cluster is asked. Exit code 0: nothing refuses it; 1: it is refused; 6: nothing has that name. The document of -o json is described in docs/plan-output.md.",
  arguments: [{ name: "installation", summary: "name, package, sub/NAMESPACE/NAME, ext/NAME or PACKAGE@VERSION" }],
  options: [{ flags: "--why BUNDLE", summary: "why this bundle is or is not chosen" }, ...decisionOptions],
  examples: [
    ["purser explain operators/kube-green", "why it moves or does not"],
    ["purser explain operators/kube-green --why kube-green.v0.5.2", "why not that version"],
    [
      "purser explain -n operators --snapshot cluster.yaml --catalog olm/demo=./catalog",
      "a whole namespace, without a cluster",
    ],
  ],
  run: (invocation) => decide(invocation, explainText),
};

function explainText(
  reference: string,
  { explanation, chosen }: Decision,
  why: WhyBundle | undefined,
  now: Installation | undefined,
  place: Standing | undefined,
): string {
  if (why !== undefined) return whyLines(why).join("\n");
  if (explanation !== undefined)
    return [formatExplanation(explanation), ...(place === undefined ? [] : [`${place.text}.`])].join("\n");
  const choice = chosen.map((bundle) => `  ${bundleLine(bundle)}`);
  // What is chosen may be fine and still not get through: a bundle that is missing, an object of somebody else.
  if (now !== undefined && (now.state === "Blocked" || now.state === "Failed"))
    return [`${reference} is ${now.state}: ${now.why}`, "The choice itself is not refused:", ...choice].join("\n");
  const standing = now === undefined || now.why === "" ? [] : [`now ${now.state}: ${now.why}`];
  if (place !== undefined)
    return [
      `${reference}: ${place.text}.`,
      ...place.remedies.map(({ summary, command }) =>
        command === undefined ? `fix: ${summary}` : `see: ${command}      ${summary}`,
      ),
      ...standing,
    ].join("\n");
  return [`${reference}: nothing refuses it`, ...choice, ...standing].join("\n");
}
