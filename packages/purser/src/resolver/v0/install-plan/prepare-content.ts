import type { Steps } from "@purser/kubernetes/steps";
import { type StepsOptions, stepsOnceInSteps } from "../../../bundle/install-plan-steps.ts";
import { writtenInSteps } from "./install-steps.ts";
import type { KnownContent } from "./known-content.ts";
import { claimsOnce } from "./operator-part.ts";

/**
 * The content with everything that takes long to derive from it for an InstallPlan, one part between two pauses, so that
 * the plan itself is made at once. Content that is not present stays as it is.
 * @param manifests also writes the manifests, which are kept with the content
 */
export function* preparedContent(
  content: KnownContent,
  install: StepsOptions,
  manifests: boolean,
): Steps<KnownContent> {
  if (content.kind !== "present") return content;
  yield;
  claimsOnce(content.bundle, undefined);
  yield;
  const steps = yield* stepsOnceInSteps(content.bundle, install);
  if (!steps.ok || !manifests) return content;
  yield;
  const written = yield* writtenInSteps(steps.value);
  return written === undefined ? content : { ...content, written: { of: steps.value, steps: written } };
}
