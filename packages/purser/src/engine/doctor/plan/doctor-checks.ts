import { type CheckName, checkNames, type DoctorCheck } from "./check.ts";
import { clockCheck, definitionsCheck, managersCheck, versionsCheck } from "./cluster-checks.ts";
import type { DoctorWorld } from "./doctor-world.ts";
import { catalogsCheck, certificatesCheck, orphansCheck, stuckCheck } from "./object-checks.ts";
import { groupsCheck } from "./group-checks.ts";
import { conversionsCheck } from "./conversion-checks.ts";
import { webhooksCheck } from "./webhook-checks.ts";
import { rightsCheck } from "./rights-check.ts";

const checks: Readonly<Record<CheckName, (world: DoctorWorld) => DoctorCheck>> = {
  rights: ({ rights }) => rightsCheck(rights),
  definitions: definitionsCheck,
  versions: versionsCheck,
  managers: managersCheck,
  clock: clockCheck,
  certificates: certificatesCheck,
  catalogs: catalogsCheck,
  groups: groupsCheck,
  webhooks: webhooksCheck,
  conversions: conversionsCheck,
  stuck: stuckCheck,
  orphans: orphansCheck,
};

/** Every check of a cluster, in the order in which one cause makes another. */
export function doctorChecks(world: DoctorWorld): readonly DoctorCheck[] {
  return checkNames.map((name) => checks[name](world));
}
