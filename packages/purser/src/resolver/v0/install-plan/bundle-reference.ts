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

/** A ConfigMap into which OLM unpacked a bundle, and what else its steps are made from. */
export interface UnpackedReference {
  readonly namespace: string;
  readonly name: string;
  /** The CatalogSource that the bundle came from; the ConfigMap is in its namespace, and it owns it. */
  readonly catalogSource: { readonly namespace: string; readonly name: string };
  readonly replaces: string;
  readonly properties: string;
}

export type StepReference =
  | ({ readonly kind: "bundle" } & BundleReference)
  | ({ readonly kind: "configMap" } & UnpackedReference);

/**
 * What a step's manifest refers to; undefined when it is the manifest itself. Plans that OLM made refer to the ConfigMap into
 * which it unpacked the bundle, by the fields that its `refForStep` recognizes.
 */
export function referenceIn(manifest: string): Result<StepReference | undefined, string> {
  const isOurs = manifest.startsWith(`{"kind":"${bundleReferenceKind}"`);
  if (!isOurs && !manifest.includes('"catalogSourceNamespace"')) return done(undefined);
  const read = readYaml(manifest);
  const reference = read.ok ? read.value : undefined;
  if (!isJsonObject(reference))
    return isOurs ? failed(`the step's bundle reference cannot be read: ${manifest}`) : done(undefined);
  const field = (name: string): string => (typeof reference[name] === "string" ? reference[name] : "");
  const common = { replaces: field("replaces"), properties: field("properties") };
  if (isOurs) {
    const digest = field("digest");
    if (!isDigest(digest)) return failed(`the step's bundle reference has no digest: ${manifest}`);
    const bundle = { image: field("image"), package: field("package"), version: field("version"), digest };
    return done({ kind: "bundle", ...bundle, ...common });
  }
  const catalogSource = { namespace: field("catalogSourceNamespace"), name: field("catalogSourceName") };
  const place = { namespace: field("namespace"), name: field("name") };
  if (field("kind") !== "ConfigMap" || [...Object.values(place), ...Object.values(catalogSource)].includes(""))
    return done(undefined);
  return done({ kind: "configMap", ...place, catalogSource, ...common });
}

/**
 * The manifest of a step that refers to `bundle`: steps are derived the same way as when the plan was made, so what was
 * reviewed is what is applied.
 */
export function referredManifest(
  { resource }: Step,
  { replaces, properties }: Pick<BundleReference, "replaces" | "properties">,
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
