import type { ReviewedInstallation } from "../../engine/review/review-bundle.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import type { ChangePlan, ReviewInput } from "../../review/change-plan/change-plan.ts";
import { failed, type Result } from "@purser/kubernetes/result";
import { plainJson } from "@purser/kubernetes/json";
import { choosePackage, parsePackageArgument } from "../cluster/package-request.ts";
import type { Invocation, Outcome } from "../command.ts";
import { flagOption, textOption, UsageError } from "../command.ts";
import { sourcesIn } from "../decision/decision-subject.ts";
import { explanationOnSame } from "../decision/given-flags.ts";
import { openWorld, type OpenedWorld } from "../decision/decision-world.ts";
import { bothBundles, packagePath } from "./package-path.ts";
import { planOutcome } from "./change-plan-outcome.ts";
import { reviewedPath } from "./reviewed-path.ts";

/** `purser plan PACKAGE --from V [--to V]`: what upgrades along the catalog's path change, whatever is installed. */
export async function planPackage(invocation: Invocation, from: string): Promise<Outcome> {
  const opened = await openWorld(invocation);
  if (!opened.ok) return opened.problem;
  try {
    const plan = await plannedPackage(invocation, opened.value, from);
    return plan.ok ? planOutcome(invocation, plan.value) : { explanation: explanationOnSame(plan.problem, invocation) };
  } finally {
    await opened.value.close();
  }
}

async function plannedPackage(
  invocation: Invocation,
  opened: OpenedWorld,
  from: string,
): Promise<Result<ChangePlan, Explanation>> {
  const { packageName, version } = parsePackageArgument(invocation.arguments[0] ?? "");
  if (packageName === "")
    throw new UsageError("--from requires a package", "purser plan PACKAGE --from VERSION --to VERSION");
  const to = textOption(invocation, "to") ?? version;
  return plannedVersions(invocation, opened, { packageName, from, to, along: "path" });
}

/** What differs between two versions of a package. */
export interface VersionPair {
  readonly packageName: string;
  readonly from: string;
  /** Undefined: the head. */
  readonly to: string | undefined;
  /** `path`: hop by hop as the catalog upgrades; `direct`: the two bundles, whether there is a path or not. */
  readonly along: "path" | "direct";
}

/** The change plan between two versions of a package in the catalogs of the world, whatever is installed. */
export async function plannedVersions(
  invocation: Invocation,
  { world, bundles }: OpenedWorld,
  { packageName, from, to, along }: VersionPair,
): Promise<Result<ChangePlan, Explanation>> {
  const api = flagOption(invocation, "as-extension") ? "v1" : "v0";
  const namespace = textOption(invocation, "namespace") ?? "default";
  const chosen = choosePackage(
    packageName,
    sourcesIn(world, namespace, api),
    textOption(invocation, "from-source"),
    api,
  );
  if (!chosen.ok) return failed(asPlan(chosen.problem, from, to));
  const { source, summary } = chosen.value;
  const question = { rules: api, from, to, channel: textOption(invocation, "channel") } as const;
  const path = along === "path" ? packagePath(summary, question) : bothBundles(summary, question);
  if (!path.ok) return path;
  const installation: ReviewedInstallation =
    api === "v1"
      ? { api, name: packageName, namespace }
      : { api, namespace, catalog: { name: source.name, namespace: source.namespace ?? "" } };
  const options = {
    installation: `package ${packageName}`,
    options: plainJson(installation) as ReviewInput["options"],
    dependencies: [],
  };
  return reviewedPath(path.value, { index: source.index, installation, bundles }, options);
}

/** The refusal of an installation, with commands that plan instead. */
function asPlan(explanation: Explanation, from: string | undefined, to: string | undefined): Explanation {
  const versions = [...(from === undefined ? [] : ["--from", from]), ...(to === undefined ? [] : ["--to", to])];
  const remedies = explanation.remedies.map((remedy) =>
    remedy.command?.startsWith("purser install ") === true
      ? { ...remedy, command: [remedy.command.replace("purser install ", "purser plan "), ...versions].join(" ") }
      : remedy,
  );
  return { ...explanation, remedies };
}
