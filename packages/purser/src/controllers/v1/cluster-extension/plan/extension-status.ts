import type { Condition } from "@purser/kubernetes/apis/condition";
import { findCondition, withCondition } from "@purser/kubernetes/apis/condition";
import type { ClusterExtension, ClusterExtensionStatus } from "../../../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import type { DeprecationCondition } from "../../../../resolver/v1/deprecation-conditions.ts";
import type { MissingCatalog } from "../../../../resolver/v1/outcome.ts";
import { bundleOf } from "./revision-state.ts";
import type { RevisionStates } from "./revision-state.ts";

type Shown = Pick<Condition, "type" | "status" | "reason" | "message">;

/** Removes parts of a message that differ between retries. */
function conditionMessage(text: string): string {
  return text.replaceAll(/(read|write) (tcp|udp) [^ ]+->[^ ]+: /g, "");
}

/** The status derived from the revisions: the installed bundle, the progress of the newest revision and the active revisions. */
function shownOfRevisions({ installed, rollingOut }: RevisionStates): {
  readonly installed: Shown;
  readonly progressing: Shown | undefined;
  readonly available: Shown | undefined;
  readonly install: ClusterExtensionStatus["install"];
  readonly activeRevisions: NonNullable<ClusterExtensionStatus["activeRevisions"]>;
} {
  const latest = rollingOut.at(-1) ?? installed;
  const mirrored = (revision: ClusterObjectSet | undefined, type: string): Shown | undefined => {
    const condition = findCondition(revision?.status?.conditions, type);
    return condition === undefined
      ? undefined
      : { type, status: condition.status, reason: condition.reason, message: condition.message };
  };
  const active = [...(installed === undefined ? [] : [installed]), ...rollingOut];
  return {
    installed: installedCondition(installed, rollingOut),
    progressing: progressingOf(mirrored(latest, "Progressing")),
    available: mirrored(installed ?? latest, "Available"),
    install: installed === undefined ? undefined : { bundle: metadataOf(installed) },
    activeRevisions: active.map((revision) => ({
      name: revision.metadata.name ?? "",
      ...(revision === installed
        ? {}
        : {
            conditions: (revision.status?.conditions ?? []).filter(
              ({ type }) => type === "Progressing" || type === "Available",
            ),
          }),
    })),
  };
}

function metadataOf(revision: ClusterObjectSet): NonNullable<ClusterExtensionStatus["install"]>["bundle"] {
  const { name, version, release } = bundleOf(revision);
  return { name, version, ...(release === undefined ? {} : { release }) };
}

const progressingOf = (mirrored: Shown | undefined): Shown | undefined =>
  mirrored?.reason === "Succeeded" ? { ...mirrored, message: "Desired state reached" } : mirrored;

function installedCondition(installed: ClusterObjectSet | undefined, rollingOut: readonly ClusterObjectSet[]): Shown {
  if (installed !== undefined)
    return {
      type: "Installed",
      status: "True",
      reason: "Succeeded",
      message: `Installed bundle ${bundleOf(installed).image} successfully`,
    };
  const latest = rollingOut.at(-1);
  const retrying = findCondition(latest?.status?.conditions, "Progressing")?.reason === "Retrying";
  const reason = latest === undefined || retrying ? "Failed" : "Absent";
  return { type: "Installed", status: "False", reason, message: "No bundle installed" };
}

/** Exists only while catalogs are left out, and keeps what it shows while nothing is resolved. */
function withMissing(
  conditions: readonly Condition[],
  missing: readonly MissingCatalog[] | "unknown",
  observedGeneration: number,
  now: string,
): readonly Condition[] {
  if (missing === "unknown") return conditions;
  const type = "CatalogsMissing";
  if (missing.length === 0) return conditions.filter((condition) => condition.type !== type);
  const causes = missing.map(({ name, cause }) => `ClusterCatalog ${name}${cause === "" ? "" : `: ${cause}`}`);
  const message = conditionMessage(`Resolved without catalogs that cannot be read: ${causes.join("; ")}`);
  const condition: Shown = { type, status: "True", reason: "CatalogUnavailable", message };
  return withCondition(conditions, { ...condition, observedGeneration }, now);
}

/** The status with Installed (left as it is by a terminal fault), the deprecation conditions and, when known, Progressing, Available and CatalogsMissing; other conditions are kept. */
export function extensionStatus(
  extension: ClusterExtension,
  states: RevisionStates,
  shown: {
    readonly progressing: Shown | undefined;
    readonly deprecation: readonly DeprecationCondition[];
    readonly missing: readonly MissingCatalog[] | "unknown";
    /** Why it is not known what is installed. */
    readonly unreadable?: string | undefined;
  },
  now: string,
): ClusterExtensionStatus {
  const observedGeneration = extension.metadata.generation ?? 0;
  const revisions = shownOfRevisions(states);
  const progressing = shown.progressing ?? revisions.progressing;
  // As in OLM, a fault that only another configuration or bundle ends leaves Installed as it is.
  const isTerminal = shown.progressing?.status === "False";
  const installed: Shown =
    shown.unreadable === undefined
      ? revisions.installed
      : { type: "Installed", status: "Unknown", reason: "Failed", message: shown.unreadable };
  const list: readonly Shown[] = [
    ...(isTerminal ? [] : [installed]),
    ...(progressing === undefined ? [] : [{ ...progressing, message: conditionMessage(progressing.message) }]),
    ...(revisions.available === undefined ? [] : [revisions.available]),
    ...shown.deprecation,
  ];
  const conditions = list.reduce<readonly Condition[]>(
    (held, condition) => withCondition(held, { ...condition, observedGeneration }, now),
    extension.status?.conditions ?? [],
  );
  return {
    conditions: withMissing(conditions, shown.missing, observedGeneration, now),
    ...(revisions.install === undefined || shown.unreadable !== undefined ? {} : { install: revisions.install }),
    ...(revisions.activeRevisions.length === 0 ? {} : { activeRevisions: revisions.activeRevisions }),
  };
}

/** The status without the fields that the standard CustomResourceDefinition lacks. */
export function standardStatus({
  activeRevisions: _revisions,
  install,
  ...status
}: ClusterExtensionStatus): ClusterExtensionStatus {
  if (install === undefined) return status;
  const { release: _release, ...bundle } = install.bundle;
  return { ...status, install: { ...install, bundle } };
}
