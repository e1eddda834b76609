import type { Digest } from "@purser/kubernetes/digest";
import type { Steps } from "@purser/kubernetes/steps";
import type { BundleStep } from "../../../bundle/install-plan-steps.ts";
import type { BundleLookup, Step } from "../../../apis/v0/install-plan.ts";
import type { ResolvedOperator } from "../outcome.ts";
import { bundleReference, inlineLimit } from "./bundle-reference.ts";
import { subscriptionSteps } from "./generated-subscription.ts";
import type { OperatorPart } from "./operator-part.ts";

/** A chosen operator that is not there yet, and what it gives the plan. */
export interface Installing {
  readonly operator: ResolvedOperator;
  readonly part: OperatorPart;
}

const rank = ({ resource }: Step): number =>
  resource.kind === "ClusterServiceVersion" ? 0 : resource.kind === "CustomResourceDefinition" ? 1 : 2;

/**
 * OLM's order: generated Subscriptions and what catalogs carry themselves, CSVs before CRDs before the rest; then the
 * bundles from images, each in its own order.
 */
export function stepsIn(installing: readonly Installing[], namespace: string): readonly Step[] {
  const known = installing.flatMap(({ operator, part }): readonly Step[] => [
    ...(part.kind === "carried" ? part.steps : []),
    ...subscriptionSteps(operator, namespace),
  ]);
  const first = known.toSorted((left, right) => rank(left) - rank(right));
  const unpacked = installing.flatMap(({ operator, part }) =>
    part.kind === "unpacked" ? part.steps.map((step) => ({ step, operator, digest: part.digest })) : [],
  );
  const inline = [...first, ...unpacked.map(({ step }) => step)];
  return (
    writtenUpTo(inlineLimit, inline) ?? [
      ...first.map((step) => withManifest(step, step.resource.manifest)),
      ...unpacked.map(({ step, operator, digest }) => withManifest(step, referenceTo(operator, digest))),
    ]
  );
}

/** Characters of manifests that were written before: passes ask for the plan of the same bundles again and again. */
const charactersOf = new WeakMap<Step, number>();

/** The steps with their manifests, each written once; undefined when these have more characters than that. */
function writtenUpTo(limit: number, steps: readonly Step[]): readonly Step[] | undefined {
  let left = limit;
  for (const step of steps) left -= charactersOf.get(step) ?? 0;
  if (left < 0) return undefined;
  left = limit;
  const written: Step[] = [];
  for (const step of steps) {
    const { manifest = "" } = step.resource;
    charactersOf.set(step, manifest.length);
    left -= manifest.length;
    if (left < 0) return undefined;
    written.push(withManifest(step, manifest));
  }
  return written;
}

/** Characters of manifests between two pauses. */
const charactersPerPause = 64 * 1024;

/** The steps of one bundle with their manifests, with pauses; undefined when a plan refers to the bundle instead. */
export function* writtenInSteps(steps: readonly BundleStep[]): Steps<readonly BundleStep[] | undefined> {
  let left = inlineLimit;
  for (const step of steps) left -= charactersOf.get(step) ?? 0;
  if (left < 0) return undefined;
  left = inlineLimit;
  let untilPause = charactersPerPause;
  const written: BundleStep[] = [];
  for (const step of steps) {
    const { manifest } = step.resource;
    charactersOf.set(step, manifest.length);
    left -= manifest.length;
    if (left < 0) return undefined;
    const { resource, ...rest } = withManifest(step, manifest);
    written.push({ ...rest, status: "Unknown", resource: { ...resource, manifest } });
    untilPause -= manifest.length;
    if (untilPause > 0) continue;
    untilPause = charactersPerPause;
    yield;
  }
  return written;
}

/** A step of a bundle writes its manifest whenever it is read: the copy holds a text. */
function withManifest({ resolving, resource, status }: Step, manifest = ""): Step {
  const { group, version, kind, name, sourceName, sourceNamespace } = resource;
  return { resolving, resource: { group, version, kind, name, manifest, sourceName, sourceNamespace }, status };
}

function referenceTo({ bundle, replaces = "", propertiesText }: ResolvedOperator, digest: Digest): string {
  const { image, package: packageName, version } = bundle;
  return bundleReference({ image, package: packageName, version, digest, replaces, properties: propertiesText });
}

/** As in `status.bundleLookups`; with OLM's first conditions while the bundle is not unpacked. */
export function lookupOf(
  { bundle, catalog, replaces, propertiesText }: ResolvedOperator,
  isUnpacked: boolean,
): BundleLookup {
  return {
    path: bundle.image,
    identifier: bundle.name,
    replaces: replaces ?? "",
    catalogSourceRef: { namespace: catalog.namespace, name: catalog.name },
    properties: propertiesText,
    ...(isUnpacked ? {} : { conditions: notUnpacked }),
  };
}

const notUnpacked: NonNullable<BundleLookup["conditions"]> = [
  {
    type: "BundleLookupNotPersisted",
    status: "True",
    reason: "BundleNotUnpacked",
    message: "bundle contents have not yet been persisted to installplan status",
  },
  { type: "BundleLookupPending", status: "True", reason: "JobNotStarted", message: "unpack job not yet started" },
];
