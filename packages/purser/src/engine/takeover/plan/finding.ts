/** What a finding is about; the codes are explained in `docs/takeover.md`. */
export type TakeoverCode =
  | "OlmRunning"
  | "LeaseHeld"
  | "OlmWroteRecently"
  | "DefinitionsMissing"
  | "CatalogWithoutContent"
  | "CatalogFieldsWithoutEffect"
  | "CatalogPods"
  | "InstallPlanContinues"
  | "InstallPlanUnreadable"
  | "OperatorRollsOut"
  | "OperatorInstalledAnew"
  | "OperatorChangesPhase"
  | "OperatorNotAtRest"
  | "CertificateRenewed"
  | "CopiesDeleted"
  | "GroupTargetsInvalid"
  | "UsersBounded"
  | "DefinitionsBounded"
  | "PackageApi"
  | "LeftoverDeleted"
  | "OrphanedOperator";

/**
 * Most severe first. `blocker`: two managers would work on the same objects, so Purser must not be started yet. `change`: the
 * start changes something that OLM would not. `note`: nothing changes that somebody depends on.
 */
export const takeoverSeverities = ["blocker", "change", "note"] as const;
export type TakeoverSeverity = (typeof takeoverSeverities)[number];

export interface TakeoverFinding {
  readonly code: TakeoverCode;
  readonly severity: TakeoverSeverity;
  /** `Kind namespace/name`, or `Kind name`. */
  readonly object: string;
  /** One sentence without the object's name at its start. */
  readonly summary: string;
  /** A command or an advice; absent where nothing needs to be done. */
  readonly remedy?: string;
}

/** `Kind namespace/name` of an object; without a namespace `Kind name`. */
export function objectText(
  kind: string,
  { namespace, name = "" }: { readonly namespace?: string; readonly name?: string },
): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
