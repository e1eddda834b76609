import { counted } from "../../../explanation/summary.ts";
import type { Right } from "../../../deploy/rights/right.ts";
import type { DoctorCheck, DoctorFinding } from "./check.ts";
import type { DeniedRight, ObservedRights } from "./doctor-world.ts";

/** Whether the process may do what it has to; each missing right with its rule and its reason. */
export function rightsCheck({ subject, asked, denied }: ObservedRights): DoctorCheck {
  const object = subject.kind === "account" ? `ServiceAccount ${subject.name}` : "the user of this kubeconfig";
  const byRight = Map.groupBy(denied, ({ right }) => right);
  const findings = [...byRight].map(([right, missing]): DoctorFinding => ({
    severity: "problem",
    object,
    summary: `may not ${missingText(right, missing)}, which is required to ${right.why}`,
    remedy: `apply the manifests of this version again, or add the rule ${JSON.stringify(ruleOf(right, missing))}`,
  }));
  return { name: "rights", summary: `${counted(asked, "right")} of ${object}`, findings };
}

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

function missingText({ group }: Right, missing: readonly DeniedRight[]): string {
  const suffix = group === "" ? "" : `.${group}`;
  const resources = distinct(missing.map(({ resource }) => `${resource}${suffix}`));
  return `${distinct(missing.map(({ verb }) => verb)).join(", ")} ${resources.join(", ")}`;
}

/** In the order of a manifest. */
function ruleOf({ group, names }: Right, missing: readonly DeniedRight[]) {
  return {
    apiGroups: [group],
    resources: distinct(missing.map(({ resource }) => resource)),
    verbs: distinct(missing.map(({ verb }) => verb)),
    ...(names === undefined ? {} : { resourceNames: names }),
  };
}
