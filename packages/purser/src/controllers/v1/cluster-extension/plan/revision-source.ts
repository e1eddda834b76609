import { type Digest, digestOf } from "@purser/kubernetes/digest";
import type { ClusterExtension } from "../../../../apis/v1/cluster-extension.ts";
import type { CertificateProvider } from "../../../../bundle/render/certificate-need.ts";
import type { RevisionBundle } from "./revision-state.ts";

/** Everything that decides what the revision of an extension holds; equal sources make equal revisions. */
export interface RevisionSource {
  readonly made: Digest;
  /** Who issues the certificates of its webhooks; absent when it has none. */
  readonly provider?: CertificateProvider;
}

/** What the revision of an extension for a bundle whose files have the digest `content` is made from. */
export function madeFrom({ metadata, spec }: ClusterExtension, bundle: RevisionBundle, content: Digest): Digest {
  const { name, version, release, packageName, image } = bundle;
  return digestOf(
    JSON.stringify([
      metadata.uid,
      spec?.namespace,
      spec?.config?.inline,
      spec?.progressDeadlineMinutes,
      [name, version, release, packageName, image],
      content,
    ]),
  );
}
