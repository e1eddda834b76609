import type { ChangeMode, CrdRule, UpdatePolicySpec } from "../apis/policy/update-policy.ts";
import { listOf } from "../explanation/summary.ts";

/** What an upgrade changes beside the version, as far as policies look at it. */
export interface UpgradeContents {
  /** A line for each rule that a ServiceAccount gains. */
  readonly permissions: readonly string[];
  /** What may break stored objects. */
  readonly crds: readonly { readonly rule: string; readonly text: string }[];
}

/** By the name of the bundle; one that is missing was not looked at. */
export type KnownUpgrades = ReadonlyMap<string, UpgradeContents>;

/** What a policy makes of the contents of an upgrade. */
export interface ContentVerdict {
  readonly mode: Exclude<ChangeMode, "Allow">;
  /** `new permissions (ServiceAccount ops/kiln, whole cluster: get  secrets)` */
  readonly text: string;
}

/** Whether the policy has rules on what an upgrade holds, so that its bundle has to be read. */
export function looksAtContents({ permissionIncrease = "Allow", crdChange = "Allow" }: UpdatePolicySpec): boolean {
  return permissionIncrease !== "Allow" || crdChange !== "Allow";
}

/** What a policy asks or refuses of an upgrade because of what it holds, the permissions first; empty when nothing. */
export function judgeContents(
  { permissionIncrease = "Allow", crdChange = "Allow", crdRules = {} }: UpdatePolicySpec,
  { permissions, crds }: UpgradeContents,
): readonly ContentVerdict[] {
  const broken = crds.filter(({ rule }) => (crdRules[rule as CrdRule] ?? "Error") === "Error");
  return [
    ...verdictOf(permissionIncrease, "new permissions", permissions),
    ...verdictOf(
      crdChange,
      "CRDs that may break stored objects",
      broken.map(({ text }) => text),
    ),
  ];
}

function verdictOf(mode: ChangeMode, what: string, lines: readonly string[]): readonly ContentVerdict[] {
  if (mode === "Allow" || lines.length === 0) return [];
  return [{ mode, text: `${what} (${listOf(lines.map(shortened), 2)})` }];
}

/** Limit of a line in the reason of a policy, in characters. */
const longest = 160;

function shortened(line: string): string {
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}
