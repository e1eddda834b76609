import { shown } from "../output/shown.ts";
import type { Shown } from "../output/shown.ts";
import type { Decision } from "../../engine/snapshot/snapshot-decision.ts";
import { explanationLines } from "../../explanation/tree.ts";
import { isJsonObject } from "@purser/kubernetes/json";
import { uninstallModes } from "../../review/uninstall-plan/uninstall-plan.ts";
import { type CommandSpec, flagOption, type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { hasChanges } from "../review/plan-document.ts";
import { savePlan } from "../review/saved-plan.ts";
import { planSetText, planText as changePlanText, wayText } from "../review/change-plan-outcome.ts";
import { bundleLine, decide, type Now } from "../decision/decision-outcome.ts";
import { verdictLines } from "../policy/policy-verdict.ts";
import { planPackage } from "../review/package-change.ts";
import { withGivenFlags } from "../decision/given-flags.ts";
import { decisionOptions } from "../decision/decision-world.ts";
import { counted, shellWord } from "../../explanation/summary.ts";

export const planCommand: CommandSpec = {
  description: [
    "Decides for an installation, for a package that is not installed, or with -n alone for a whole namespace.",
    "With --catalog or --snapshot no cluster is asked. --to and --channel show an upgrade of an installation, --uninstall and",
    "--rollback what they would do. Exit code 0: there is an answer; 1: it is refused; 6: nothing has that name. The document of -o json is described in docs/plan-output.md.",
  ].join("\n"),
  arguments: [{ name: "installation", summary: "name, package, sub/NAMESPACE/NAME, ext/NAME or PACKAGE@VERSION" }],
  options: [
    ...decisionOptions,
    {
      flags: "--from VERSION",
      summary: "show what upgrades of a package change, starting at this version, whatever is installed",
    },
    { flags: "--to VERSION", summary: "the version to upgrade to (default: the head)" },
    { flags: "--uninstall MODE", summary: "show what uninstalling removes and keeps", choices: [...uninstallModes] },
    { flags: "--rollback REVISION", summary: "show what going back to a revision changes and loses" },
    { flags: "--save FILE", summary: "also write the plan to a file, for --plan FILE of the command that it names" },
    { flags: "--exit-code", summary: "end with 3 when there are changes" },
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
    [
      "purser plan operators/kube-green --to 0.7.0 --save reviewed.json",
      "keep the plan: purser upgrade --plan reviewed.json",
    ],
    ["purser plan operators/kube-green --uninstall unused --exit-code", "what uninstalling removes"],
    ["purser plan ext/argocd --snapshot cluster.yaml --catalog operatorhub=./catalog -o json", "without a cluster"],
  ],
  run: plan,
};

async function plan(invocation: Invocation): Promise<Outcome> {
  const outcome = await planned(invocation);
  const { exitCode, data } = outcome;
  const file = textOption(invocation, "save");
  if (exitCode !== exitCodes.done) return outcome;
  if (file !== undefined && isJsonObject(data)) savePlan(invocation, file, data);
  return flagOption(invocation, "exit-code") && hasChanges(data)
    ? { ...outcome, exitCode: exitCodes.changes }
    : outcome;
}

/** What `from`, `uninstall` and `rollback` ask for excludes one another. */
async function planned(invocation: Invocation): Promise<Outcome> {
  const asked = ["from", "uninstall", "rollback"].filter((name) => invocation.options[name] !== undefined);
  if (asked.length > 1)
    throw new UsageError(`--${asked[0]} and --${asked[1]} exclude each other`, "leave one of them out");
  const [from, mode, revision] = [
    textOption(invocation, "from"),
    textOption(invocation, "uninstall"),
    textOption(invocation, "rollback"),
  ];
  if (from !== undefined) return planPackage(invocation, from);
  const dryRun = (options: Invocation["options"]): Invocation => {
    if (invocation.arguments[0] === undefined)
      throw new UsageError(`--${asked[0]} needs an installation`, `purser plan INSTALLATION --${asked[0]} ...`);
    return { ...invocation, options: { ...invocation.options, ...options, "dry-run": true } };
  };
  if (mode !== undefined) {
    const { uninstallCommand } = await import("./uninstall.ts");
    return uninstallCommand.run(dryRun({ mode }));
  }
  if (revision !== undefined) {
    const { rollbackCommand } = await import("../history/rollback-command.ts");
    return rollbackCommand.run(dryRun({ to: revision }));
  }
  const wanted = ["to", "channel"].find((name) => invocation.options[name] !== undefined);
  const [name] = invocation.arguments;
  if (wanted !== undefined && name !== undefined) {
    const { planUpgrade } = await import("./upgrade.ts");
    const outcome = await planUpgrade(invocation);
    if (outcome !== undefined) return outcome;
    const wish = textOption(invocation, "to");
    if (wish !== undefined)
      throw new UsageError(
        `"${name}" is not installed, so --to has nothing to upgrade`,
        withGivenFlags(`purser plan ${shellWord(`${name}@${wish}`)}`, invocation),
        withGivenFlags(`purser plan ${shellWord(name)} --from VERSION --to ${shellWord(wish)}`, invocation),
      );
  }
  return decide(
    invocation,
    (reference, decision, _why, now) =>
      joined(
        planText(reference, decision),
        now.policy === undefined ? shown() : shown(...verdictLines(now.policy)),
        changesText(invocation, reference, now),
        laterText(invocation, reference, now),
      ),
    "changes",
  );
}

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

/** The upgrades after the decided one, and with `--full` what all of them change. */
function laterText(invocation: Invocation, reference: string, { later }: Now): Shown {
  if (later === undefined) return shown();
  const { terminal, options } = invocation;
  const { versions, changes } = later;
  const head = versions.at(-1) ?? "";
  return joined(
    shown(
      `Then ${counted(versions.length, "more upgrade")}: ${versions.join(" -> ")}`,
      ...(options["full"] === true
        ? []
        : [`  all of them: ${withGivenFlags(`purser plan ${reference} --to ${head}`, invocation)}`]),
    ),
    ...wayText(terminal, changes, options["full"] === true),
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
