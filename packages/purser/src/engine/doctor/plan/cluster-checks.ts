import { isTooOld, oldestKubernetes, skewOf, tagOf } from "../../../deploy/version-skew.ts";
import { counted } from "../../../explanation/summary.ts";
import { objectText } from "../../takeover/plan/finding.ts";
import { ownLease, runningManagers } from "../../takeover/plan/manager-findings.ts";
import type { DoctorCheck, DoctorFinding, DoctorFix } from "./check.ts";
import { definitionState, shownPaths } from "./definition-state.ts";
import type { DoctorWorld } from "./doctor-world.ts";

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
    const state = definitionState(wanted, live);
    switch (state.kind) {
      case "same":
        return [];
      case "absent":
        return finding("problem", "does not exist", "purser crds apply", apply);
      case "notServed":
        return finding(
          "problem",
          `is not served${state.why === undefined ? "" : `: ${state.why}`}`,
          "delete the definition that has the same names, or wait until this one is served",
        );
      case "older":
        return finding(
          "problem",
          `is older: it lacks ${shownPaths(state.lacks)}`,
          "purser crds apply, which keeps stored objects",
          apply,
        );
      case "newer":
        return finding(
          "warning",
          `is newer: it has ${shownPaths(state.has)}`,
          "use the version of Purser that it came with",
        );
    }
  });
  return { name: "definitions", summary: counted(definitions.length, "CustomResourceDefinition"), findings };
}

/** Whether this program, the controllers and the cluster go together. */
export function versionsCheck({ client, cluster, deployments }: DoctorWorld): DoctorCheck {
  const findings: DoctorFinding[] = [];
  if (isTooOld(cluster.version))
    findings.push({
      severity: "problem",
      object: "the API server",
      summary: `is Kubernetes ${cluster.version}; Purser needs ${oldestKubernetes} or newer`,
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
