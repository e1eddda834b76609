import { type CheckName, checkNames, type DoctorCheck } from "./check.ts";
import { clockCheck, definitionsCheck, managersCheck, versionsCheck } from "./cluster-checks.ts";
import type { DoctorWorld } from "./doctor-world.ts";
import { catalogsCheck, certificatesCheck, orphansCheck, stuckCheck } from "./object-checks.ts";
import { deletionsCheck } from "./deletion-checks.ts";
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
  deletions: deletionsCheck,
};

const installed = ["subscriptions", "clusterserviceversions", "installplans", "clusterextensions"];
/** The resources that a check looks at: without one of them it would report what is not so. */
const needs: Readonly<Record<CheckName, readonly string[]>> = {
  rights: ["deployments", "subjectaccessreviews", "selfsubjectaccessreviews"],
  definitions: ["customresourcedefinitions", "deployments"],
  versions: ["deployments"],
  managers: ["deployments", "leases"],
  clock: [],
  certificates: ["secrets", "deployments"],
  catalogs: ["catalogsources", "clustercatalogs"],
  groups: ["operatorgroups", "serviceaccounts", ...installed],
  webhooks: ["validatingwebhookconfigurations", "mutatingwebhookconfigurations", "services", "endpointslices"],
  conversions: ["customresourcedefinitions", "clusterserviceversions", "services", "endpointslices"],
  stuck: installed,
  orphans: installed,
  deletions: ["namespaces", "clusterobjectsets", ...installed],
};

function leftOut(name: CheckName, missing: readonly string[]): DoctorCheck {
  const finding = {
    severity: "warning",
    object: "the user of this kubeconfig",
    summary: `may not ${missing.join(", ")}: this was not checked`,
    remedy: missing.map((right) => `purser permissions ask ${right}`).join("; "),
  } as const;
  return { name, summary: "not checked", findings: [finding] };
}

/** Every check of a cluster, in the order in which one cause makes another. */
export function doctorChecks(world: DoctorWorld): readonly DoctorCheck[] {
  return checkNames.map((name) => {
    const missing = world.unread.filter((right) => needs[name].includes(/ ([^.]+)/.exec(right)?.[1] ?? ""));
    return missing.length > 0 ? leftOut(name, missing) : checks[name](world);
  });
}
