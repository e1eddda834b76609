export const checkNames = [
  "rights",
  "definitions",
  "versions",
  "managers",
  "clock",
  "certificates",
  "catalogs",
  "stuck",
  "orphans",
] as const;
export type CheckName = (typeof checkNames)[number];

/** `problem`: something does not work now. `warning`: it works, and will not go on like this. */
export interface DoctorFinding {
  readonly severity: "problem" | "warning";
  /** `Kind namespace/name`, or `Kind name`. */
  readonly object: string;
  /** One sentence without the object's name at its start: what is wrong, and why. */
  readonly summary: string;
  /** A command or an advice. */
  readonly remedy: string;
}

export interface DoctorCheck {
  readonly name: CheckName;
  /** What was looked at. */
  readonly summary: string;
  readonly findings: readonly DoctorFinding[];
}
