import type { ChangePlan, Changes } from "../../review/change-plan/change-plan.ts";
import { planMarkdown } from "../../review/change-plan/plan-markdown.ts";
import { type PlanLine, planLines } from "../../review/change-plan/plan-text.ts";
import { type CommandSpec, flagOption, type Invocation, listOption, type Outcome, textOption } from "../command.ts";
import { decisionOptions, openWorld } from "../decision/decision-world.ts";
import { explanationOnSame } from "../decision/given-flags.ts";
import { exitCodes } from "../exit-code.ts";
import { linesText, planDocument } from "../review/change-plan-outcome.ts";
import { plannedVersions } from "../review/package-change.ts";

const parts = ["objects", "permissions", "crds", "images"] as const;
type Part = (typeof parts)[number];

export const compareCommand: CommandSpec = {
  description: [
    "Compares the two bundles, also when no upgrade leads from one to the other; purser plan PACKAGE --from V --to V",
    "follows the upgrades. The bundles are read from --bundles directories, or from their images with --pull.",
  ].join("\n"),
  arguments: [
    { name: "package", summary: "PACKAGE", required: true },
    { name: "from", summary: "the older version", required: true },
    { name: "to", summary: "second version (default: the head of the default channel)" },
  ],
  options: [
    { flags: "--only PART", summary: "this part alone", repeatable: true, choices: parts },
    { flags: "--exit-code", summary: "exit code 3 when there are differences" },
    { flags: "--full", summary: "show the fields of all objects" },
    ...decisionOptions.filter(({ flags }) => !/^--(as-extension|global-namespace|kube-version|compat)/.test(flags)),
    { flags: "--as-extension", summary: "render the bundles as OLM v1 does" },
    { flags: "-o, --output FORMAT", summary: "how to print", choices: ["text", "json", "yaml", "markdown"] },
  ],
  examples: [
    ["purser compare etcd 0.9.2 0.9.4 --pull", "everything that differs"],
    [
      "purser compare etcd 0.9.2 --only permissions --catalog community=./catalog --pull",
      "permissions alone, without a cluster",
    ],
  ],
  run: compare,
};

async function compare(invocation: Invocation): Promise<Outcome> {
  const [packageName = "", from = "", to] = invocation.arguments;
  const only = listOption(invocation, "only") as readonly Part[];
  return comparedVersions(invocation, { packageName, from, to }, only.length === 0 ? parts : only);
}

/** The differences of two versions in the named parts, as the result of a command. */
export async function comparedVersions(
  invocation: Invocation,
  pair: { readonly packageName: string; readonly from: string; readonly to: string | undefined },
  only: readonly Part[],
): Promise<Outcome> {
  const opened = await openWorld(invocation);
  if (!opened.ok) return opened.problem;
  try {
    const planned = await plannedVersions(invocation, opened.value, { ...pair, along: "direct" });
    if (!planned.ok) return { explanation: explanationOnSame(planned.problem, invocation) };
    const plan = withParts(planned.value, only);
    const differs = Object.values(plan.total).some((list: readonly (object | string)[]) => list.some(isDifference));
    const exitCode = flagOption(invocation, "exit-code") && differs ? exitCodes.changes : exitCodes.done;
    if (textOption(invocation, "output") === "markdown") return { exitCode, verbatim: planMarkdown(plan) };
    const lines = partLines(planLines(plan, flagOption(invocation, "full")), only);
    return { exitCode, data: planDocument(plan), human: linesText(invocation.terminal, lines) };
  } finally {
    await opened.value.close();
  }
}

/** What both versions have alike is listed as kept. */
const isDifference = (one: object | string): boolean =>
  typeof one === "string" || !("change" in one) || one.change !== "kept";

function withParts(plan: ChangePlan, only: readonly Part[]): ChangePlan {
  const has = (part: Part): boolean => only.includes(part);
  const cut = ({ objects, crds, permissions, images, webhooks, downtime }: Changes): Changes => ({
    objects: has("objects") ? objects : [],
    crds: has("crds") ? crds : [],
    permissions: has("permissions") ? permissions : [],
    images: has("images") ? images : [],
    webhooks: has("objects") ? webhooks : [],
    downtime: has("objects") ? downtime : [],
  });
  return { ...plan, total: cut(plan.total), hops: plan.hops.map((hop) => ({ ...hop, changes: cut(hop.changes) })) };
}

/** The lines of the parts; the heading stays. */
function partLines(lines: readonly PlanLine[], only: readonly Part[]): readonly PlanLine[] {
  const hidden = new Set<string>(
    parts.filter((part) => !only.includes(part)).map((part) => (part === "crds" ? "crd" : part)),
  );
  let shows = true;
  return lines.filter(({ text }) => {
    const [, title] = /^ {2}(\w+)/.exec(text) ?? [];
    if (title !== undefined) shows = !hidden.has(title);
    return shows;
  });
}
