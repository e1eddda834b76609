import assert from "node:assert/strict";
import { test } from "node:test";
import type { CauseCode } from "../explanation/explanation.ts";
import { exitCodeOf, exitCodes } from "./exit-code.ts";

/** Scripts branch on these numbers, so each cause is listed beside the name of its code. */
const expected: Readonly<Record<CauseCode, keyof typeof exitCodes>> = {
  ApprovalRequired: "waiting",
  OutsideWindow: "waiting",
  Soaking: "waiting",
  VersionHeld: "waiting",
  PermissionDenied: "forbidden",
  PermissionIncrease: "forbidden",
  SignatureRejected: "forbidden",
  PackageNotFound: "notFound",
  ChannelNotFound: "notFound",
  VersionNotFound: "notFound",
  CatalogNotFound: "notFound",
  AmbiguousCatalog: "usage",
  NoVersionInRange: "failed",
  NoUpgradePath: "failed",
  CatalogUnavailable: "failed",
  CatalogInvalid: "failed",
  DependencyMissing: "failed",
  DependencyConflict: "failed",
  DependencyNotAllowed: "failed",
  ApiConflict: "failed",
  PackageConflict: "failed",
  OrphanedOperator: "failed",
  NotUpgradeable: "failed",
  ConstraintFailed: "failed",
  ClusterIncompatible: "failed",
  InstallModeUnsupported: "failed",
  OperatorGroupMissing: "failed",
  OperatorGroupAmbiguous: "failed",
  BundleUnavailable: "failed",
  BundleInvalid: "failed",
  ConfigurationInvalid: "failed",
  CrdUnsafe: "failed",
  ObjectOwnedElsewhere: "failed",
  RolloutFailed: "failed",
  RolloutStuck: "failed",
};

for (const [cause, name] of Object.entries(expected))
  test(`a refusal for ${cause} exits with the code for "${name}"`, () =>
    assert.equal(exitCodeOf(cause as CauseCode), exitCodes[name]));
