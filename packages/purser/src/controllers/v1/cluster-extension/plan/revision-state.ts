import type { BundleMetadata } from "../../../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../../../apis/v1/cluster-object-set.ts";
import {
  bundleNameAnnotation,
  bundleReferenceAnnotation,
  bundleReleaseAnnotation,
  bundleVersionAnnotation,
  certificateProviderAnnotation,
  packageNameAnnotation,
} from "../../../../apis/v1/labels.ts";
import { type CertificateProvider, certificateProviders } from "../../../../bundle/render/certificate-need.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
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

/** The bundle that a revision records in its annotations; a field is empty where its annotation is missing. */
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

/** Who issues the certificates of the webhooks in the newest revision, when it has this bundle and records it. */
export function pinnedProvider(
  { installed, rollingOut }: RevisionStates,
  bundle: Pick<RevisionBundle, "name" | "version">,
): CertificateProvider | undefined {
  const revision = rollingOut.at(-1) ?? installed;
  if (revision === undefined) return undefined;
  const { name, version } = bundleOf(revision);
  const recorded = revision.metadata.annotations?.[certificateProviderAnnotation];
  const provider = certificateProviders.find((known) => known === recorded);
  return name === bundle.name && version === bundle.version ? provider : undefined;
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Why `status.install` cannot show the bundle of a revision, whose annotations record it; undefined when it can. */
export function recordFault(revision: ClusterObjectSet): string | undefined {
  const { name, version } = bundleOf(revision);
  const faulty = !subdomain.test(name)
    ? ([bundleNameAnnotation, name] as const)
    : !/^[0-9]+/.test(version)
      ? ([bundleVersionAnnotation, version] as const)
      : undefined;
  if (faulty === undefined) return undefined;
  const [annotation, value] = faulty;
  const state = value === "" ? "is missing" : `is invalid: ${goQuote(value)}`;
  return `the installed bundle is not known: annotation ${annotation} of ClusterObjectSet ${revision.metadata.name ?? ""} ${state}; correct it, or delete the ClusterObjectSet`;
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
