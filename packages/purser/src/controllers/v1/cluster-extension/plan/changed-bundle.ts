import { type Condition, withCondition } from "@purser/kubernetes/apis/condition";
import type { ClusterExtension } from "../../../../apis/v1/cluster-extension.ts";
import { bundleDigestAnnotation } from "../../../../apis/v1/labels.ts";
import { shellWord } from "../../../../explanation/summary.ts";
import { bundleOf, type RevisionStates } from "./revision-state.ts";
import type { WantedBundle } from "./world.ts";

const type = "BundleChanged";

/**
 * Why the content of a bundle is not rolled out: the newest revision has the same bundle with other content, and nobody asked
 * for this content. Undefined when it may be rolled out.
 */
export function changedBundle(
  { metadata }: ClusterExtension,
  { installed, rollingOut }: RevisionStates,
  { bundle, digest }: WantedBundle,
): string | undefined {
  const revision = rollingOut.at(-1) ?? installed;
  if (revision === undefined || digest === undefined) return undefined;
  const pinned = revision.metadata.annotations?.[bundleDigestAnnotation];
  const before = bundleOf(revision);
  const isSame = before.name === bundle.name && before.version === bundle.version;
  const isAsked = metadata.annotations?.[bundleDigestAnnotation] === digest;
  if (pinned === undefined || pinned === digest || !isSame || isAsked) return undefined;
  const command = `kubectl annotate clusterextensions.olm.operatorframework.io ${shellWord(metadata.name ?? "")} --overwrite ${bundleDigestAnnotation}=${digest}`;
  return `Bundle ${bundle.name} has different content (${digest}) than revision ${revision.metadata.name} (${pinned}), which stays installed. To roll the new content out: ${command}`;
}

/** The conditions with `BundleChanged`, which exists only while the content of the wanted bundle is not rolled out for that reason. */
export function withChangedBundle(
  conditions: readonly Condition[],
  message: string | undefined,
  observedGeneration: number,
  now: string,
): readonly Condition[] {
  if (message === undefined) return conditions.filter((condition) => condition.type !== type);
  return withCondition(conditions, { type, status: "True", reason: "DigestChanged", message, observedGeneration }, now);
}
