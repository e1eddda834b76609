import type { CauseCode } from "../explanation/explanation.ts";
import { unreachable } from "@purser/kubernetes/invariant";

/** The exit codes of the process; documented in `purser help exit-codes`. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  changes: 3,
  waiting: 4,
  forbidden: 5,
  notFound: 6,
  conflict: 7,
  timeout: 8,
  unreachable: 9,
  findings: 10,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code of a command that was refused for this cause. */
export function exitCodeOf(code: CauseCode): ExitCode {
  switch (code) {
    case "ApprovalRequired":
    case "OutsideWindow":
    case "Soaking":
    case "VersionHeld":
      return exitCodes.waiting;
    case "PermissionDenied":
    case "PermissionIncrease":
    case "SignatureRejected":
      return exitCodes.forbidden;
    case "PackageNotFound":
    case "ChannelNotFound":
    case "VersionNotFound":
    case "CatalogNotFound":
      return exitCodes.notFound;
    case "AmbiguousCatalog":
      return exitCodes.usage;
    case "NoVersionInRange":
    case "NoUpgradePath":
    case "CatalogUnavailable":
    case "CatalogInvalid":
    case "DependencyMissing":
    case "DependencyConflict":
    case "DependencyNotAllowed":
    case "ApiConflict":
    case "PackageConflict":
    case "OrphanedOperator":
    case "NotUpgradeable":
    case "ConstraintFailed":
    case "ClusterIncompatible":
    case "InstallModeUnsupported":
    case "OperatorGroupMissing":
    case "OperatorGroupAmbiguous":
    case "BundleUnavailable":
    case "BundleInvalid":
    case "ConfigurationInvalid":
    case "CrdUnsafe":
    case "ObjectOwnedElsewhere":
    case "RolloutFailed":
    case "RolloutStuck":
      return exitCodes.failed;
  }
  return unreachable(code);
}
