import type { BundleMetadata } from "../../../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import {
  bundleNameAnnotation,
  bundleReferenceAnnotation,
  bundleReleaseAnnotation,
  bundleVersionAnnotation,
  packageNameAnnotation,
} from "../../../../apis/v1/labels.ts";
import { findCondition } from "@purser/kubernetes/apis/condition";

/** A revision's bundle, as its annotations record it. */
export interface RevisionBundle extends BundleMetadata {
  readonly packageName: string;
  readonly image: string;
}

export interface RevisionStates {
  /** The newest revision that ever succeeded. */
  readonly installed: ClusterObjectSet | undefined;
  /** Active ones that never succeeded, oldest first. */
  readonly rollingOut: readonly ClusterObjectSet[];
}

export function bundleOf({ metadata }: ClusterObjectSet): RevisionBundle {
  const annotations = metadata.annotations ?? {};
  const release = annotations[bundleReleaseAnnotation];
  return {
    name: annotations[bundleNameAnnotation] ?? "",
    version: annotations[bundleVersionAnnotation] ?? "",
    packageName: annotations[packageNameAnnotation] ?? "",
    image: annotations[bundleReferenceAnnotation] ?? "",
    ...(release === undefined ? {} : { release }),
  };
}

/** Sorts an extension's revisions into the installed one and those being rolled out; archived and deleted ones are ignored. */
export function revisionStates(revisions: readonly ClusterObjectSet[]): RevisionStates {
  const active = revisions
    .filter(({ spec, metadata }) => spec?.lifecycleState === "Active" && metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (a.spec?.revision ?? 0) - (b.spec?.revision ?? 0));
  const succeeded = (revision: ClusterObjectSet): boolean =>
    findCondition(revision.status?.conditions, "Succeeded")?.status === "True";
  return { installed: active.findLast(succeeded), rollingOut: active.filter((revision) => !succeeded(revision)) };
}
