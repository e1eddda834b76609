import type { Step } from "../../apis/v0/install-plan.ts";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { referenceIn, referredManifest } from "../../resolver/v0/install-plan/bundle-reference.ts";
import type { CatalogContent } from "../surroundings.ts";

/** The manifest of a step: inline, or taken again from the bundle's content when the plan was too large to hold it. */
export async function readManifest(
  step: Step,
  namespace: string,
  content: CatalogContent,
): Promise<Result<string, string>> {
  const text = step.resource.manifest ?? "";
  const read = referenceIn(text);
  if (!read.ok) return read;
  const reference = read.value;
  if (reference === undefined) return done(text);
  const { image, package: packageName, version, digest } = reference;
  const state = content.need({ kind: "bundle", reference: image, packageName, version });
  if (state.kind !== "present") return failed(state.kind === "failed" ? state.cause : `bundle ${image} is being read`);
  if (state.digest !== digest)
    return failed(
      `bundle ${image} changed since the plan was made: it was ${digest} and is ${state.digest}; delete the InstallPlan to plan again`,
    );
  const bundle = await content.read("unpacked", digest);
  return bundle.ok ? referredManifest(step, reference, bundle.value, namespace) : failed(bundle.problem.message);
}
