import { type Digest, isDigest } from "@purser/kubernetes/digest";
import { isJsonObject } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { readYaml } from "@purser/kubernetes/text/documents";
import type { Step } from "../../../apis/v0/install-plan.ts";
import { stepsOnce } from "../../../bundle/install-plan-steps.ts";
import type { UnpackedBundle } from "../../../bundle/unpack-bundle.ts";

/** Marks a step manifest that refers to an object of a bundle, which is read through `Content`. */
const bundleReferenceKind = "BundleReference.purser.dev";

/** Manifests of one plan up to this many characters stay inline; beyond, steps refer to the bundle by digest. */
export const inlineLimit = 512 * 1024;

/** A bundle and what else its steps are made from. */
export interface BundleReference {
  readonly image: string;
  readonly package: string;
  readonly version: string;
  readonly digest: Digest;
  readonly replaces: string;
  readonly properties: string;
}

/** The manifest text of a step that refers to its bundle. Key order matters: `kind` comes first. */
export function bundleReference(bundle: BundleReference): string {
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

/**
 * What a step's manifest refers to; undefined when it is the manifest itself. A reference to a ConfigMap of OLM, which it
 * writes for bundles that it unpacked there, is a problem: nothing here unpacks bundles into ConfigMaps.
 */
export function referenceIn(manifest: string): Result<BundleReference | undefined, string> {
  const unpacked = unpackedByOlm(manifest);
  if (unpacked !== undefined)
    return failed(
      `the step's content is in ConfigMap ${unpacked}, where OLM unpacked its bundle, and is not known; delete the InstallPlan to plan again`,
    );
  if (!manifest.startsWith(`{"kind":"${bundleReferenceKind}"`)) return done(undefined);
  const read = readYaml(manifest);
  const reference = read.ok ? read.value : undefined;
  if (!isJsonObject(reference)) return failed(`the step's bundle reference cannot be read: ${manifest}`);
  const field = (name: string): string => (typeof reference[name] === "string" ? reference[name] : "");
  const digest = field("digest");
  if (!isDigest(digest)) return failed(`the step's bundle reference has no digest: ${manifest}`);
  return done({
    image: field("image"),
    package: field("package"),
    version: field("version"),
    digest,
    replaces: field("replaces"),
    properties: field("properties"),
  });
}

/** `NAMESPACE/NAME` of the ConfigMap, by the fields that OLM recognizes a reference by (`refForStep` in its catalog operator). */
function unpackedByOlm(manifest: string): string | undefined {
  if (!manifest.includes('"catalogSourceNamespace"')) return undefined;
  const read = readYaml(manifest);
  if (!read.ok || !isJsonObject(read.value)) return undefined;
  const reference = read.value;
  const field = (name: string): string => (typeof reference[name] === "string" ? reference[name] : "");
  const [namespace, name] = [field("namespace"), field("name")];
  const catalog = [field("catalogSourceNamespace"), field("catalogSourceName")];
  const isReference = field("kind") === "ConfigMap" && ![namespace, name, ...catalog].includes("");
  return isReference ? `${namespace}/${name}` : undefined;
}

/**
 * The manifest of a step that refers to `bundle`: steps are derived the same way as when the plan was made, so what was
 * reviewed is what is applied.
 */
export function referredManifest(
  { resource }: Step,
  { replaces, properties }: BundleReference,
  bundle: Pick<UnpackedBundle, "objects" | "csv">,
  namespace: string,
): Result<string, string> {
  const catalog = { name: resource.sourceName, namespace: resource.sourceNamespace };
  const steps = stepsOnce(bundle, { namespace, replaces, catalog, properties });
  if (!steps.ok) return failed(steps.problem.message);
  const found = steps.value.find(
    (step) =>
      step.resource.name === resource.name &&
      step.resource.kind === resource.kind &&
      step.resource.version === resource.version &&
      step.resource.group === resource.group,
  );
  return found === undefined
    ? failed(`couldn't find unpacked step for ${resource.kind} ${resource.name}`)
    : done(found.resource.manifest);
}
