import type { Digest } from "@purser/kubernetes/digest";

/** Marks a step manifest that stands for an object of a bundle kept in the content store. */
export const bundleReferenceKind = "BundleReference.purser.dev";

/** Manifests of one plan up to this many characters stay inline; beyond, steps refer to the bundle by digest. */
export const inlineLimit = 512 * 1024;

/** The manifest text of a step that refers to its bundle. Key order matters: `kind` comes first. */
export function bundleReference(bundle: {
  readonly image: string;
  readonly package: string;
  readonly version: string;
  readonly digest: Digest;
  readonly replaces: string;
  readonly properties: string;
}): string {
  const { image, package: packageName, version, digest, replaces, properties } = bundle;
  return JSON.stringify({
    kind: bundleReferenceKind,
    image,
    package: packageName,
    version,
    digest,
    replaces,
    properties,
  });
}
