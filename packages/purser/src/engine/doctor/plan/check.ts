export const checkNames = [
  "rights",
  "definitions",
  "versions",
  "managers",
  "clock",
  "certificates",
  "catalogs",
  "groups",
  "webhooks",
  "conversions",
  "stuck",
  "orphans",
  "deletions",
] as const;
export type CheckName = (typeof checkNames)[number];

/** What `purser doctor --fix` does about a finding: nothing that deletes data or stops an operator. */
export type DoctorFix =
  | { readonly kind: "applyDefinitions" }
  /** Purser issues another certificate. */
  | { readonly kind: "deleteSecret"; readonly namespace: string; readonly name: string }
  | { readonly kind: "refresh"; readonly source: string }
  | { readonly kind: "adopt"; readonly reference: string };

/** `problem`: something does not work now. `warning`: it works, and will not go on like this. */
export interface DoctorFinding {
  readonly severity: "problem" | "warning";
  /** `Kind namespace/name`, or `Kind name`. */
  readonly object: string;
  /** One sentence without the object's name at its start: what is wrong, and why. */
  readonly summary: string;
  /** A command or an advice. */
  readonly remedy: string;
  /** Absent where a person has to choose, or to do it elsewhere. */
  readonly fix?: DoctorFix;
}

export interface DoctorCheck {
  readonly name: CheckName;
  /** What was looked at. */
  readonly summary: string;
  readonly findings: readonly DoctorFinding[];
}
