import type { JsonObject } from "@purser/kubernetes/json";
import { counted } from "../../explanation/summary.ts";
import type { Installation } from "../../installation/installation.ts";
import { flagOption, type Invocation, type Outcome } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import type { DecidedChange } from "../review/decided-changes.ts";
import type { PlannedUpgrade } from "../review/planned-upgrade.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { fitTable } from "../output/table.ts";
import { oneByOne } from "./one-by-one.ts";

/** An upgrade of a set, or why an installation has none. */
export interface UpgradeOfSet {
  readonly installation: Installation;
  readonly planned: PlannedUpgrade;
  readonly document: JsonObject;
}

export interface UpgradeSet {
  readonly upgrades: readonly UpgradeOfSet[];
  /** Installations that are not upgraded, each with the reason. */
  readonly others: readonly { readonly installation: Installation; readonly why: string }[];
}

const columns = [
  { heading: "INSTALLATION" },
  { heading: "CHANGE" },
  { heading: "UPGRADES" },
  { heading: "RISK", isSentence: true },
] as const;

/**
 * Shows the upgrades of several installations in one table, asks once, and does one after the other; the exit code is that of the
 * first that fails, and the others are done all the same.
 */
export async function upgradeSet(
  invocation: Invocation,
  { upgrades, others }: UpgradeSet,
  upgradeOne: (one: UpgradeOfSet) => Promise<Outcome>,
): Promise<Outcome> {
  const { terminal } = invocation;
  const data = {
    apiVersion: "purser.dev/v1alpha1",
    kind: "UpgradeList",
    items: upgrades.map(({ document }) => document),
    others: others.map(({ installation: { reference }, why }) => ({ installation: reference, why })),
  };
  if (upgrades.length === 0)
    return {
      exitCode: exitCodes.done,
      data,
      human: shown(`${counted(others.length, "installation")}, nothing to upgrade`, ...otherLines(others)),
    };
  const table = fitTable(
    columns,
    upgrades.map(({ installation: { reference, version }, planned }) => [
      reference,
      `${version} -> ${planned.target}`,
      String(planned.path.length),
      riskOf(planned.changes),
    ]),
    true,
    terminal.width ?? Infinity,
  );
  const text = shown(...table.split("\n"), ...otherLines(others));
  if (flagOption(invocation, "dry-run")) return { exitCode: exitCodes.done, data, human: text };
  terminal.err(...text.split("\n"));
  if (!(await confirm(invocation, `Do ${counted(upgrades.length, "upgrade")}?`))) return notConfirmed("changed");
  const { exitCode, results, lines } = await oneByOne(
    terminal,
    upgrades,
    (one) => one.installation.reference,
    upgradeOne,
    (count) => counted(count, "upgrade"),
  );
  return { exitCode, data: { ...data, results }, human: shown(...lines) };
}

const otherLines = (others: UpgradeSet["others"]): readonly string[] =>
  others.map(({ installation: { reference }, why }) => `  ${reference}: ${why}`);

/** `2 permissions gained, 1 CRD finding`, of the first upgrade. */
function riskOf(changes: readonly DecidedChange[]): string {
  if (changes.length === 0) return "bundles are not read";
  const known = changes.flatMap((change) => (change.ok ? [change.value.total] : []));
  const [unknown] = changes.flatMap((change) => (change.ok ? [] : [change.problem.summary]));
  const gained = known.flatMap(({ permissions }) => permissions.flatMap(({ added }) => added)).length;
  const findings = known.flatMap(({ crds }) => crds.flatMap((crd) => crd.findings)).length;
  const parts = [
    ...(gained === 0 ? [] : [`${counted(gained, "permission")} gained`]),
    ...(findings === 0 ? [] : [`${counted(findings, "CRD finding")}`]),
    ...(unknown === undefined ? [] : [unknown]),
  ];
  return parts.length === 0 ? "none" : parts.join(", ");
}
