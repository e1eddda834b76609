import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { schemaPaths } from "../../../review/schema-paths.ts";
import { skewOf, tagOf } from "../../../deploy/version-skew.ts";
import { counted } from "../../../explanation/summary.ts";
import { objectText } from "../../takeover/plan/finding.ts";
import { ownLease, runningManagers } from "../../takeover/plan/manager-findings.ts";
import type { DoctorCheck, DoctorFinding, DoctorFix } from "./check.ts";
import type { DoctorWorld } from "./doctor-world.ts";

/** Oldest minor version of Kubernetes 1 that is supported. */
const oldestMinor = 30;

/** Whether the CustomResourceDefinitions are there, served, and those of this version. */
export function definitionsCheck({ definitions }: DoctorWorld): DoctorCheck {
  const findings = definitions.flatMap(({ wanted, live }): readonly DoctorFinding[] => {
    const object = objectText("CustomResourceDefinition", { name: wanted.metadata.name ?? "" });
    const finding = (
      severity: DoctorFinding["severity"],
      summary: string,
      remedy: string,
      fix?: DoctorFix,
    ): readonly DoctorFinding[] => [{ severity, object, summary, remedy, ...(fix === undefined ? {} : { fix }) }];
    const apply = { kind: "applyDefinitions" } as const;
    if (live === undefined) return finding("problem", "does not exist", "purser crds apply", apply);
    const established = findCondition(live.status?.conditions, "Established");
    if (established?.status !== "True") {
      const names = findCondition(live.status?.conditions, "NamesAccepted");
      const why = names?.status === "False" ? `: ${names.message ?? names.reason}` : "";
      return finding(
        "problem",
        `is not served${why}`,
        "delete the definition that has the same names, or wait until this one is served",
      );
    }
    const [ours, theirs] = [pathsOf(wanted), pathsOf(live)];
    const missing = ours.difference(theirs);
    const further = theirs.difference(ours);
    if (missing.size > 0)
      return finding(
        "problem",
        `is older: it lacks ${shownPaths(missing)}`,
        "purser crds apply, which keeps stored objects",
        apply,
      );
    if (further.size > 0)
      return finding(
        "warning",
        `is newer: it has ${shownPaths(further)}`,
        "use the version of Purser that it came with",
      );
    return [];
  });
  return { name: "definitions", summary: counted(definitions.length, "CustomResourceDefinition"), findings };
}

/** Fields of all versions, as `v1: ^.spec.x`. */
function pathsOf({ spec }: CustomResourceDefinition): ReadonlySet<string> {
  return new Set(
    spec.versions.flatMap(({ name, schema }) => [
      name,
      ...[...schemaPaths(schema?.openAPIV3Schema ?? {}).keys()].map((path) => `${name}: ${path}`),
    ]),
  );
}

/** The first of them in the order of a schema, and how many there are besides. */
function shownPaths(paths: ReadonlySet<string>): string {
  const [first = ""] = paths;
  const text = first.includes(": ^.") ? `field ${first.split(": ^.")[1] ?? ""}` : `version ${first}`;
  return paths.size === 1 ? text : `${text} and ${paths.size - 1} more`;
}

/** Whether this program, the controllers and the cluster go together. */
export function versionsCheck({ client, cluster, deployments }: DoctorWorld): DoctorCheck {
  const findings: DoctorFinding[] = [];
  const [, minor] = /^v?1\.(\d+)\./.exec(cluster.version) ?? [];
  if (minor !== undefined && Number(minor) < oldestMinor)
    findings.push({
      severity: "problem",
      object: "the API server",
      summary: `is Kubernetes ${cluster.version}; Purser needs 1.${oldestMinor} or newer`,
      remedy: "upgrade the cluster",
    });
  for (const { metadata, spec } of deployments)
    for (const { image = "" } of spec?.template.spec?.containers ?? []) {
      const version = tagOf(image);
      if (version === undefined || skewOf(client.version, version) !== "unsupported") continue;
      findings.push({
        severity: "warning",
        object: objectText("Deployment", metadata),
        summary: `runs purser ${version}, and this is purser ${client.version}: more than one minor version apart`,
        remedy: `use purser ${version} here, or apply the manifests of ${client.version}`,
      });
    }
  return { name: "versions", summary: `purser ${client.version}, Kubernetes ${cluster.version}`, findings };
}

/** After a Lease ran out, another replica takes it over within this time, also on a busy machine. */
const takeoverMs = 15_000;

/** Whether exactly one manager works on the objects. */
export function managersCheck({ managers, deployments, leases, now }: DoctorWorld): DoctorCheck {
  const findings = runningManagers(managers).map(({ object, summary, remedy = "" }): DoctorFinding => ({
    severity: "problem",
    object,
    summary,
    remedy,
  }));
  const held = leases.filter(
    ({ metadata, spec }) =>
      metadata.name === ownLease &&
      (spec?.holderIdentity ?? "") !== "" &&
      Date.parse(spec?.renewTime ?? "") + (spec?.leaseDurationSeconds ?? 0) * 1000 + takeoverMs >= now,
  );
  for (const { metadata, spec, status } of deployments) {
    const { namespace = "", name = "" } = metadata;
    const logs = `kubectl -n ${namespace} logs deployment/${name}`;
    const [wanted, ready] = [spec?.replicas ?? 1, status?.readyReplicas ?? 0];
    const object = objectText("Deployment", metadata);
    if (!held.some((lease) => lease.metadata.namespace === namespace))
      findings.push({
        severity: "problem",
        object,
        summary: `has no leader: nobody holds the Lease ${ownLease}`,
        remedy: logs,
      });
    if (ready < wanted)
      findings.push({
        severity: "warning",
        object,
        summary: `has ${ready} of ${counted(wanted, "replica")} ready`,
        remedy: logs,
      });
  }
  const [released] = leases.filter(({ metadata }) => metadata.name === ownLease);
  if (released !== undefined && held.length === 0 && deployments.length === 0 && runningManagers(managers).length === 0)
    findings.push({
      severity: "warning",
      object: objectText("Lease", released.metadata),
      summary: "is held by nobody: nothing is installed, upgraded or repaired",
      remedy: "start purser run again, or apply the manifests of purser manifests",
    });
  const leaders = held.map(({ spec }) => spec?.holderIdentity ?? "");
  return { name: "managers", summary: leaders.length === 0 ? "nobody leads" : `${leaders.join(", ")} leads`, findings };
}

/** `Date` has whole seconds, and the answer takes a while. */
const clockToleranceMs = 5000;

/** Whether this machine and the API server have the same time: certificates, leases and windows follow from it. */
export function clockCheck({ cluster, now }: DoctorWorld): DoctorCheck {
  if (cluster.date === undefined) return { name: "clock", summary: "the API server reports no time", findings: [] };
  const aheadMs = cluster.date - now;
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  if (Math.abs(aheadMs) <= clockToleranceMs)
    return { name: "clock", summary: "the API server and this machine agree", findings: [] };
  return {
    name: "clock",
    summary: "the API server and this machine",
    findings: [
      {
        severity: "warning",
        object: "the API server",
        summary: `is ${counted(seconds, "second")} ${aheadMs > 0 ? "ahead of" : "behind"} this machine: certificates and leases may appear expired or not yet valid`,
        remedy: "synchronise the clocks (chrony, systemd-timesyncd)",
      },
    ],
  };
}
