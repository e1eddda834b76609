import type { KubeObject } from "@purser/kubernetes/apis/object";
import { type JsonObject, plainJson } from "@purser/kubernetes/json";
import { writeYaml } from "@purser/kubernetes/text/documents";
import { markdownCode } from "../../bundle/diff/diff-text.ts";
import { planMarkdown } from "../../review/change-plan/plan-markdown.ts";
import type { PlanSet } from "../../review/change-plan/plan-set.ts";
import { type Invocation, type Outcome, textOption } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";

export interface InstallRequest {
  readonly reference: string;
  /** What is installed, where, and by which operator group. */
  readonly says: readonly string[];
  /** Undefined where the bundles cannot be read. */
  readonly set: PlanSet | undefined;
  /** In the order in which they are created. */
  readonly objects: readonly KubeObject[];
  /** The command line that installs it. */
  readonly command: string;
}

/**
 * An installation that somebody else is asked for: a Markdown note with the changes and the objects, for an issue or a pull request;
 * with `-o json|yaml` the objects alone, as a list that `kubectl apply -f -` takes.
 */
export function requestNote(invocation: Invocation, request: InstallRequest): Outcome {
  const items = request.objects.map((object) => plainJson(object) as JsonObject);
  const data: JsonObject = { apiVersion: "v1", kind: "List", items };
  const output = textOption(invocation, "output");
  if (output !== undefined && output !== "table" && output !== "wide") return { exitCode: exitCodes.done, data };
  const { reference, says, set, command } = request;
  const digest = set === undefined ? "" : ` --plan ${set.digest}`;
  const parts = [
    `## Request: install ${markdownCode(reference)}`,
    says.map((text) => `- ${markdownCode(text)}`).join("\n"),
    ...(set === undefined
      ? ["The changes are not known: the bundle could not be read."]
      : set.plans.map((plan) => planMarkdown(plan).trimEnd())),
    "### Objects",
    `\`\`\`yaml\n${items.map((item) => writeYaml(item)).join("---\n")}\`\`\``,
    `Exactly these changes, or nothing: ${markdownCode(`${command}${digest}`)}`,
  ];
  return { exitCode: exitCodes.done, data, human: shown(...parts.join("\n\n").split("\n")) };
}
