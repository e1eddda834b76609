import type { UpgradeContents } from "../../policy/upgrade-contents.ts";
import type { ChangePlan } from "./change-plan.ts";
import { permissionLines } from "./plan-words.ts";

/** What of a change plan update policies look at. */
export function upgradeContents({ total: { permissions, crds } }: Pick<ChangePlan, "total">): UpgradeContents {
  return {
    permissions: permissions.flatMap((change) => {
      const { title, added } = permissionLines(change);
      return added.map((line) => `${title}: ${line}`);
    }),
    crds: crds.flatMap(({ name, findings, rules }) =>
      findings.map((finding, index) => ({ rule: rules[index] ?? "unhandled", text: `${name}: ${finding}` })),
    ),
  };
}
