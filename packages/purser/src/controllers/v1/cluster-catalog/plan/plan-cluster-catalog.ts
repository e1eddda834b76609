import { findCondition, withCondition } from "@purser/kubernetes/apis/condition";
import type { Condition } from "@purser/kubernetes/apis/condition";
import type { ClusterCatalog, ClusterCatalogStatus } from "../../../../apis/v1/cluster-catalog.ts";
import { ownFinalizers } from "../../../plan/own-finalizers.ts";
import { withReadiness } from "../../../plan/readiness.ts";
import { withSignature } from "../../../plan/signature-condition.ts";
import { clusterCatalogs } from "../../../../apis/olm-resources.ts";
import { metadataNameLabel, serverCacheFinalizer } from "../../../../apis/v1/labels.ts";
import type { ContentState } from "../../../../catalog/content.ts";
import { failureText, isSameFailure } from "../../../../catalog/failure-text.ts";
import type { PackageFault } from "../../../../catalog/catalog-index.ts";
import { faultyPackagesNews, withFaultyPackages } from "../../../plan/faulty-packages.ts";
import { readinessOf } from "./catalog-readiness.ts";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { formatTime } from "@purser/kubernetes/clock";
import { plainJson } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type { Plan } from "@purser/kubernetes/kube/plan";

/** How long a first read leaves the status unchanged: a process that has just started reads again the content that the former one served. */
const patienceMs = 15_000;

export interface ClusterCatalogWorld {
  readonly catalog: ClusterCatalog;
  /** Undefined while the catalog is deleted or switched off, or names no image. */
  readonly content: ContentState | undefined;
  /** Packages of the readable content that cannot be used; absent while nothing can be read. */
  readonly faults?: readonly PackageFault[];
  /** Where catalogs are served over HTTP; undefined when they are not. */
  readonly origin: string | undefined;
  /** Conditions carry OLM's text alone, without the cause before it and what to do after it. */
  readonly hasPlainTexts?: true;
}

export type ClusterCatalogAction =
  | { readonly kind: "finalizers"; readonly write: ObjectWrite }
  | { readonly kind: "label"; readonly labels: Readonly<Record<string, string>> }
  | {
      readonly kind: "status";
      readonly status: ClusterCatalogStatus;
      readonly announce?: Announcement;
    };

/** An event. */
interface Announcement extends Pick<Condition, "reason" | "message"> {
  readonly type: "Normal" | "Warning";
}

type Shown = Omit<Condition, "lastTransitionTime" | "observedGeneration">;

/**
 * The status of a ClusterCatalog, its finalizer, and the label by which selectors find it. The finalizer is added before anything
 * else, and removed once the status shows that nothing is served.
 */
export function planClusterCatalog(world: ClusterCatalogWorld | undefined, now: number): Plan<ClusterCatalogAction> {
  if (world === undefined) return { actions: [] };
  const { catalog } = world;
  const isDeleted = catalog.metadata.deletionTimestamp !== undefined;
  const isOff = catalog.spec.availabilityMode === "Unavailable";
  const write = ownFinalizers(clusterCatalogs, catalog, [serverCacheFinalizer], !isOff);
  const finalizers: readonly ClusterCatalogAction[] = write === undefined ? [] : [{ kind: "finalizers", write }];
  if (isDeleted && finalizers.length === 0) return { actions: [] };
  if (!isDeleted && !isOff && finalizers.length > 0) return { actions: finalizers };
  const { actions } = isDeleted && !isOff ? planDeleted(catalog, now) : planLive(world, now);
  return { actions: actions.length > 0 ? actions : finalizers };
}

/** Nothing is served any more, and the status says so before the object is gone. */
function planDeleted(catalog: ClusterCatalog, now: number): Plan<ClusterCatalogAction> {
  const held = catalog.status?.conditions ?? [];
  const observedGeneration = catalog.metadata.generation ?? 0;
  const gone = { type: "Serving", status: "False", reason: "Unavailable", message: "", observedGeneration } as const;
  const status: ClusterCatalogStatus = { conditions: withCondition(held, gone, formatTime(now)) };
  return { actions: deepEqual(plainJson(status), plainJson(catalog.status ?? {})) ? [] : [{ kind: "status", status }] };
}

function planLive(world: ClusterCatalogWorld, now: number): Plan<ClusterCatalogAction> {
  const { catalog, content } = world;
  const name = catalog.metadata.name ?? "";
  const label: readonly ClusterCatalogAction[] =
    catalog.metadata.labels?.[metadataNameLabel] === name
      ? []
      : [{ kind: "label", labels: { [metadataNameLabel]: name } }];
  const own = statusOf(world, now);
  const complete = withFaults(own, world, now);
  // As long as a first read may take, everything else stays as it was.
  const status = own === catalog.status ? complete : readinessShown(complete, world, now);
  if (deepEqual(plainJson(status), plainJson(catalog.status ?? {}))) return { actions: label };
  const progressing = status.conditions?.find(({ type }) => type === "Progressing");
  const before = catalog.status?.conditions?.find(({ type }) => type === "Progressing");
  const news =
    progressing !== undefined &&
    isFault(content) &&
    progressing.reason !== "Succeeded" &&
    !isSameFailure(progressing.message, before?.message);
  const faulty = faultyPackagesNews(catalog.status?.conditions, status.conditions);
  const announce: Announcement | undefined = news
    ? { type: "Warning", reason: progressing.reason, message: progressing.message }
    : faulty === undefined
      ? servingNews(catalog, status)
      : { type: "Warning", reason: "CatalogInvalid", message: faulty };
  return {
    actions: [...label, { kind: "status", status, ...(announce === undefined ? {} : { announce }) }],
  };
}

/** The event for content that is served now; none while former content serves on. */
function servingNews({ spec, status: held }: ClusterCatalog, status: ClusterCatalogStatus): Announcement | undefined {
  const serving = findCondition(status.conditions, "Serving");
  const before = findCondition(held?.conditions, "Serving");
  if (spec.availabilityMode === "Unavailable")
    return serving === undefined || serving.reason === before?.reason
      ? undefined
      : { type: "Normal", reason: serving.reason, message: serving.message };
  const [resolved, former] = [status, held].map((one) => one?.resolvedSource?.image.ref);
  return resolved === undefined || resolved === former
    ? undefined
    : { type: "Normal", reason: "Available", message: `Serving ${resolved}` };
}

function withFaults(
  status: ClusterCatalogStatus,
  { catalog, faults }: ClusterCatalogWorld,
  now: number,
): ClusterCatalogStatus {
  const { conditions = [] } = status;
  const shown = withFaultyPackages(conditions, faults, catalog.metadata.generation ?? 0, formatTime(now));
  return shown === conditions ? status : { ...status, conditions: shown };
}

function readinessShown(
  status: ClusterCatalogStatus,
  { catalog, content }: ClusterCatalogWorld,
  now: number,
): ClusterCatalogStatus {
  const { conditions = [] } = status;
  const observedGeneration = catalog.metadata.generation ?? 0;
  const shown = withReadiness(conditions, readinessOf(catalog, conditions, content), {
    observedGeneration,
    time: formatTime(now),
  });
  return { ...status, conditions: shown };
}

/** Content that is being read is no fault; a catalog that is switched on and names no image is one. */
const isFault = (content: ContentState | undefined): boolean => content?.kind !== "pending";

function statusOf(world: ClusterCatalogWorld, now: number): ClusterCatalogStatus {
  const { catalog, content, origin, hasPlainTexts } = world;
  const time = formatTime(now);
  const held = catalog.status ?? {};
  const observedGeneration = catalog.metadata.generation ?? 0;
  const conditions = (...shown: readonly Shown[]): readonly Condition[] =>
    withSignature(
      shown.reduce<readonly Condition[]>(
        (list, condition) => withCondition(list, { ...condition, observedGeneration }, time),
        held.conditions ?? [],
      ),
      `image ${catalog.spec.source.image?.ref ?? ""}`,
      content,
      { observedGeneration, time },
    );
  const off = "Catalog availability mode is set to Unavailable";
  if (catalog.spec.availabilityMode === "Unavailable")
    return {
      conditions: conditions(
        { type: "Progressing", status: "True", reason: "Succeeded", message: off },
        { type: "Serving", status: "False", reason: "UserSpecifiedUnavailable", message: off },
      ),
    };
  const ref = catalog.spec.source.image?.ref;
  if (ref === undefined)
    return {
      ...held,
      conditions: conditions({
        type: "Progressing",
        status: "False",
        reason: "Blocked",
        message: `${hasPlainTexts === true ? terminalMark : ""}error parsing ClusterCatalog "${catalog.metadata.name}", image source is nil`,
      }),
    };
  const shown = held.resolvedSource?.image.ref ?? "";
  const serving = (resolved: string): ClusterCatalogStatus => {
    const unchanged = shown === resolved && held.lastUnpacked !== undefined;
    // The former URL may no longer be served.
    const { urls: _former, ...kept } = held;
    return {
      ...kept,
      resolvedSource: { type: "Image", image: { ref: resolved } },
      ...(origin === undefined ? {} : { urls: { base: `${origin}/catalogs/${catalog.metadata.name}` } }),
      lastUnpacked: unchanged ? (held.lastUnpacked ?? time) : time,
    };
  };
  const named = (digest: string): string => `${withoutTag(ref)}@${digest}`;
  /** Last good content keeps its resolved reference, even when the spec names another image now. */
  const servingLastGood = (digest: string): ClusterCatalogStatus =>
    serving(shown.endsWith(`@${digest}`) ? shown : named(digest));
  const available: Shown = {
    type: "Serving",
    status: "True",
    reason: "Available",
    message: "Serving desired content from resolved source",
  };
  switch (content?.kind) {
    case undefined:
    case "pending": {
      const { lastGood, since } = content ?? { since: now };
      if (now - since < patienceMs && shown.startsWith(`${withoutTag(ref)}@`)) return held;
      const reading: Shown = {
        type: "Progressing",
        status: "True",
        reason: "Retrying",
        message: `source catalog content: ${ref} is being read`,
      };
      if (lastGood === undefined) return { ...held, conditions: conditions(reading) };
      return { ...servingLastGood(lastGood), conditions: conditions(reading, available) };
    }
    case "ready":
      return {
        ...serving(named(content.digest)),
        conditions: conditions(
          {
            type: "Progressing",
            status: "True",
            reason: "Succeeded",
            message: "Successfully unpacked and stored content from resolved source",
          },
          available,
        ),
      };
    case "failing":
    case "refused": {
      const message = hasPlainTexts === true ? plainFailure(content) : ownFailure(content);
      const progressing: Shown =
        content.kind === "refused"
          ? { type: "Progressing", status: "False", reason: "Blocked", message }
          : { type: "Progressing", status: "True", reason: "Retrying", message };
      if (content.lastGood === undefined) return { ...held, conditions: conditions(progressing) };
      return { ...servingLastGood(content.lastGood), conditions: conditions(progressing, available) };
    }
  }
}

type Failed = Extract<ContentState, { readonly kind: "failing" | "refused" }>;

/** OLM v1 leaves its mark in the texts of a ClusterCatalog, unlike those of a ClusterExtension. */
const terminalMark = "terminal error: ";

const plainFailure = ({ kind, cause }: Failed): string =>
  `source catalog content: ${kind === "refused" ? terminalMark : ""}${cause}`;

const ownFailure = (content: Failed): string =>
  `${content.code === undefined ? "" : `${content.code}: `}source catalog content: ${failureText(content)}`;

/** The reference without tag and digest, to which a digest can be appended. */
function withoutTag(ref: string): string {
  const [name = ref] = ref.split("@");
  const slash = name.lastIndexOf("/");
  const colon = name.indexOf(":", slash + 1);
  return colon < 0 ? name : name.slice(0, colon);
}
