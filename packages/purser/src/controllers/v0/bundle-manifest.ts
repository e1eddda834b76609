import type { Step } from "../../apis/v0/install-plan.ts";
import { stepsOnce } from "../../bundle/install-plan-steps.ts";
import { isDigest } from "@purser/kubernetes/digest";
import { isJsonObject } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { CatalogContent } from "../surroundings.ts";
import { bundleReferenceKind } from "./namespace/plan/bundle-reference.ts";

/**
 * The manifest of a step: inline, or taken again from the bundle's content when the plan was too large to hold it.
 * Steps are derived the same way as when the plan was made, so what was reviewed is what is applied.
 */
export async function readManifest(
  step: Step,
  namespace: string,
  content: CatalogContent,
): Promise<Result<string, string>> {
  const text = step.resource.manifest ?? "";
  if (!text.startsWith(`{"kind":"${bundleReferenceKind}"`)) return done(text);
  const reference: unknown = JSON.parse(text);
  if (!isJsonObject(reference)) return done(text);
  const field = (name: string): string => (typeof reference[name] === "string" ? reference[name] : "");
  const digest = field("digest");
  if (!isDigest(digest)) return failed(`the step's bundle reference has no digest: ${text}`);
  const state = content.need({
    kind: "bundle",
    reference: field("image"),
    packageName: field("package"),
    version: field("version"),
  });
  if (state.kind !== "present")
    return failed(state.kind === "failed" ? state.cause : `bundle ${field("image")} is being read`);
  if (state.digest !== digest)
    return failed(
      `bundle ${field("image")} changed since the plan was made: it was ${digest} and is ${state.digest}; delete the InstallPlan to plan again`,
    );
  const bundle = await content.read("unpacked", digest);
  if (!bundle.ok) return failed(bundle.problem.message);
  const steps = stepsOnce(bundle.value, {
    namespace,
    replaces: field("replaces"),
    catalog: { name: step.resource.sourceName, namespace: step.resource.sourceNamespace },
    properties: field("properties"),
  });
  if (!steps.ok) return failed(steps.problem.message);
  const found = steps.value.find(
    ({ resource }) =>
      resource.name === step.resource.name &&
      resource.kind === step.resource.kind &&
      resource.version === step.resource.version &&
      resource.group === step.resource.group,
  );
  return found === undefined
    ? failed(`couldn't find unpacked step for ${step.resource.kind} ${step.resource.name}`)
    : done(found.resource.manifest);
}
