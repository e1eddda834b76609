import { findCondition } from "@purser/kubernetes/apis/condition";
import { formatTime } from "@purser/kubernetes/clock";
import { counted } from "../../../explanation/summary.ts";
import type { Installation } from "../../../installation/installation.ts";
import { objectText } from "../../takeover/plan/finding.ts";
import type { DoctorCheck, DoctorFinding } from "./check.ts";
import type { DoctorWorld, ObservedCertificate } from "./doctor-world.ts";

const hour = 3_600_000;
const day = 24 * hour;
/** Purser renews its own a day before they end. */
const warnBeforeMs = { renewed: day / 2, others: 14 * day } as const;

/** Certificates that ended, end soon or cannot be read. */
export function certificatesCheck({ certificates, now }: DoctorWorld): DoctorCheck {
  return {
    name: "certificates",
    summary: counted(certificates.length, "certificate"),
    findings: certificates.flatMap((one) => certificateFinding(one, now)),
  };
}

function certificateFinding(
  { object, isRenewed, notAfter }: ObservedCertificate,
  now: number,
): readonly DoctorFinding[] {
  const [kind = "", path = ""] = object.split(" ");
  const [namespace = "", name = ""] = path.split("/");
  const remedy = isRenewed
    ? `kubectl -n ${namespace} delete ${kind.toLowerCase()} ${name}: Purser issues another one`
    : "renew it at its issuer; Purser reads it again without a restart";
  const isSecret = kind === "Secret" && isRenewed;
  const more = { object, remedy, ...(isSecret ? { fix: { kind: "deleteSecret", namespace, name } as const } : {}) };
  if (notAfter === undefined) return [{ severity: "problem", summary: "holds no readable certificate", ...more }];
  const at = formatTime(notAfter);
  if (notAfter <= now) return [{ severity: "problem", summary: `ended at ${at}`, ...more }];
  if (notAfter - now > warnBeforeMs[isRenewed ? "renewed" : "others"]) return [];
  return [{ severity: "warning", summary: `ends at ${at}`, ...more }];
}

/** Catalogs that cannot be read: their registry does not answer, refuses, or holds something broken. */
export function catalogsCheck({ catalogSources, clusterCatalogs }: DoctorWorld): DoctorCheck {
  const ofV0 = catalogSources.flatMap(({ metadata, spec, status }): readonly DoctorFinding[] => {
    const state = status?.connectionState?.lastObservedState;
    if (state === "READY") return [];
    const why = status?.message ?? status?.reason;
    const summary = `is ${state ?? "not read yet"}${why === undefined || why === "" ? "" : `: ${why}`}`;
    const source = `${metadata.namespace}/${metadata.name}`;
    const fix = spec.image === undefined ? {} : refreshOf(source, spec.image);
    const remedy = `check ${spec.image ?? spec.address ?? spec.configMap ?? "its source"} and its pull secrets`;
    return [{ severity: "problem", object: objectText("CatalogSource", metadata), summary, remedy, ...fix }];
  });
  const ofV1 = clusterCatalogs.flatMap(({ metadata, spec, status }): readonly DoctorFinding[] => {
    if (spec.availabilityMode === "Unavailable") return [];
    const serving = findCondition(status?.conditions, "Serving");
    const progressing = findCondition(status?.conditions, "Progressing");
    const isFailing = progressing?.reason === "Retrying" || progressing?.reason === "Blocked";
    if (serving?.status === "True" && !isFailing) return [];
    const severity = serving?.status === "True" ? "warning" : "problem";
    const why = isFailing ? progressing.message : serving?.message;
    const summary = `${severity === "warning" ? "serves its last good content" : "serves nothing"}${why === undefined ? "" : `: ${why}`}`;
    const remedy = `check ${spec.source.image?.ref ?? "its source"} and the pull secret`;
    const fix = refreshOf(`cc/${metadata.name}`, spec.source.image?.ref ?? "");
    return [{ severity, object: objectText("ClusterCatalog", metadata), summary, remedy, ...fix }];
  });
  return {
    name: "catalogs",
    summary: `${counted(catalogSources.length, "CatalogSource")}, ${counted(clusterCatalogs.length, "ClusterCatalog")}`,
    findings: [...ofV0, ...ofV1],
  };
}

/** The image is looked at again; one that is pinned by its digest never changes. */
const refreshOf = (source: string, image: string): Pick<DoctorFinding, "fix"> =>
  image === "" || image.includes("@") ? {} : { fix: { kind: "refresh", source } };

/** Installations that do not get past something. */
export function stuckCheck({ installations }: DoctorWorld): DoctorCheck {
  const findings = installations.flatMap(({ reference, stuck, state, why }): readonly DoctorFinding[] => {
    const remedy = `purser explain ${reference}`;
    if (stuck !== undefined) {
      const summary = `is stuck since ${stuck.stuckSince}, blocked by ${stuck.blockedBy}; next attempt ${stuck.nextRetry}`;
      return [{ severity: "problem", object: reference, summary, remedy }];
    }
    if (state !== "Failed" && state !== "Degraded" && state !== "Blocked") return [];
    return [{ severity: "problem", object: reference, summary: `is ${state}${why === "" ? "" : `: ${why}`}`, remedy }];
  });
  return { name: "stuck", summary: counted(installations.length, "installation"), findings };
}

/** Operators that nothing upgrades. */
export function orphansCheck({ installations }: DoctorWorld): DoctorCheck {
  const orphans = installations.filter(({ state }) => state === "Orphan");
  return {
    name: "orphans",
    summary: `${orphans.length} of ${counted(installations.length, "installation")}`,
    findings: orphans.map(orphanFinding),
  };
}

function orphanFinding({ reference, namespace = "", name }: Installation): DoctorFinding {
  return {
    severity: "warning",
    object: reference,
    summary: "has no Subscription: it is never upgraded, and blocks a Subscription for its package",
    remedy: `purser adopt ${reference}, or kubectl -n ${namespace} delete csv ${name}`,
    fix: { kind: "adopt", reference },
  };
}
