import type { OwnerReference } from "@purser/kubernetes/apis/object";
import {
  bundleDigestAnnotation,
  bundleNameAnnotation,
  bundleReferenceAnnotation,
  bundleReleaseAnnotation,
  bundleVersionAnnotation,
  certificateProviderAnnotation,
  ownerKindLabel,
  ownerNameLabel,
  packageNameAnnotation,
  propertiesAnnotation,
} from "../../apis/v1/labels.ts";
import type {
  ClusterObjectSet,
  CollisionProtection,
  ObjectSetPhase,
  ProgressionProbe,
} from "../../apis/v1/cluster-object-set.ts";
import { lastAppliedAnnotation } from "../../apis/v0/labels.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { defaultProbes } from "./default-probes.ts";
import { sortIntoPhases } from "./phases.ts";

/** What a revision is made from. */
export interface RevisionRequest {
  readonly extension: {
    readonly name: string;
    readonly uid: string;
    readonly progressDeadlineMinutes?: number;
  };
  readonly bundle: {
    readonly name: string;
    readonly packageName: string;
    readonly version: string;
    /** `""` (set and empty) differs from absent. */
    readonly release?: string;
    /** Image reference; digest where known. */
    readonly image: string;
    /** Of the files; absent when the revision is not pinned to them. */
    readonly digest?: string;
    /** Who issues the certificates of its webhooks; absent when it has none, or when the revision is not pinned to it. */
    readonly certificateProvider?: string;
    /** CSV annotation `olm.properties`. */
    readonly properties?: string;
  };
  readonly objects: readonly JsonObject[];
  /** What was approved, as further annotations of the revision; absent where nobody was asked. */
  readonly approval?: Readonly<Record<string, string>>;
}

/** The content of a ClusterObjectSet; name and revision number are assigned when it is written. */
export interface DesiredRevision {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly collisionProtection: CollisionProtection;
  readonly progressDeadlineMinutes?: number;
  readonly progressionProbes: readonly ProgressionProbe[];
  /** Objects inline, sanitised and sorted. */
  readonly phases: readonly ObjectSetPhase[];
}

const apiVersion = "olm.operatorframework.io/v1";

/** Sorts rendered objects into phases and adds the extension's owner labels and annotations; the problem is OLM's text. */
export function desiredRevision(
  { extension, bundle, objects, approval = {} }: RevisionRequest,
  /** Further annotations of the objects. */
  moreMarks: Readonly<Record<string, string>> = {},
): Result<DesiredRevision, string> {
  const labels = ownerLabels(extension.name);
  const marks = {
    ...(bundle.version === "" ? {} : { [bundleVersionAnnotation]: bundle.version }),
    ...(bundle.packageName === "" ? {} : { [packageNameAnnotation]: bundle.packageName }),
    ...moreMarks,
  };
  const sanitised: JsonObject[] = [];
  for (const object of objects) {
    const clean = sanitise(object, labels, marks);
    if (!clean.ok) return clean;
    sanitised.push(clean.value);
  }
  return done({
    labels,
    annotations: {
      [bundleNameAnnotation]: bundle.name,
      [bundleReferenceAnnotation]: bundle.image,
      [bundleVersionAnnotation]: bundle.version,
      [packageNameAnnotation]: bundle.packageName,
      ...(bundle.release === undefined ? {} : { [bundleReleaseAnnotation]: bundle.release }),
      ...(bundle.digest === undefined ? {} : { [bundleDigestAnnotation]: bundle.digest }),
      ...(bundle.certificateProvider === undefined
        ? {}
        : { [certificateProviderAnnotation]: bundle.certificateProvider }),
      ...(bundle.properties === undefined ? {} : { [propertiesAnnotation]: bundle.properties }),
      ...approval,
    },
    ownerReferences: [
      {
        apiVersion,
        kind: "ClusterExtension",
        name: extension.name,
        uid: extension.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
    collisionProtection: "Prevent",
    ...(extension.progressDeadlineMinutes === undefined
      ? {}
      : { progressDeadlineMinutes: extension.progressDeadlineMinutes }),
    progressionProbes: defaultProbes,
    phases: sortIntoPhases(sanitised),
  });
}

/** The object to apply. */
export function objectSetOf(
  desired: DesiredRevision,
  name: string,
  revision: number,
  phases: readonly ObjectSetPhase[],
): ClusterObjectSet {
  const { labels, annotations, ownerReferences, collisionProtection, progressDeadlineMinutes } = desired;
  return {
    apiVersion,
    kind: "ClusterObjectSet",
    metadata: { name, labels, annotations, ...(ownerReferences === undefined ? {} : { ownerReferences }) },
    spec: {
      lifecycleState: "Active",
      collisionProtection,
      revision,
      ...(progressDeadlineMinutes === undefined ? {} : { progressDeadlineMinutes }),
      ...(phases.length === 0 ? {} : { phases }),
      progressionProbes: desired.progressionProbes,
    },
  };
}

/** How many revisions are kept; older ones are deleted once they are archived. */
const keptRevisions = 5;

/** Archived revisions that are older than the kept ones, oldest first. */
export function outdatedRevisions(existing: readonly ClusterObjectSet[]): readonly ClusterObjectSet[] {
  const ascending = byRevision(existing);
  return ascending
    .slice(0, Math.max(0, ascending.length - keptRevisions))
    .filter(({ spec }) => spec?.lifecycleState === "Archived");
}

export function byRevision(revisions: readonly ClusterObjectSet[]): readonly ClusterObjectSet[] {
  return revisions.toSorted((a, b) => (a.spec?.revision ?? 0) - (b.spec?.revision ?? 0));
}

function ownerLabels(extension: string): Readonly<Record<string, string>> {
  return { [ownerKindLabel]: "ClusterExtension", [ownerNameLabel]: extension };
}

/** The object without status and with name, namespace, labels and annotations as its only metadata. */
function sanitise(
  object: JsonObject,
  labels: Readonly<Record<string, string>>,
  marks: Readonly<Record<string, string>>,
): Result<JsonObject, string> {
  const { apiVersion: version, kind } = object;
  if (typeof version !== "string" || version === "") {
    return failed("Object 'apiVersion' is missing in 'unstructured object has no version'");
  }
  if (typeof kind !== "string" || kind === "") {
    return failed("Object 'Kind' is missing in 'unstructured object has no kind'");
  }
  const given = member(object, "metadata");
  const metadata = isJsonObject(given) ? given : {};
  const { [lastAppliedAnnotation]: _applied, ...annotations } = textsOf(member(metadata, "annotations"));
  const marked = { ...annotations, ...marks };
  const kept = ["name", "namespace"].flatMap((name): [string, JsonValue][] => {
    const value = member(metadata, name);
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  const { status: _status, ...content } = object;
  return done({
    ...content,
    metadata: {
      ...Object.fromEntries(kept),
      labels: { ...textsOf(member(metadata, "labels")), ...labels },
      ...(Object.keys(marked).length === 0 ? {} : { annotations: marked }),
    },
  });
}

function textsOf(value: JsonValue | undefined): Readonly<Record<string, string>> {
  return isJsonObject(value) ? (value as Readonly<Record<string, string>>) : {};
}
