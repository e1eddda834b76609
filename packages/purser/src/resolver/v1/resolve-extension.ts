import type { Resolution } from "../resolution.ts";
import type { ExtensionInput } from "./input.ts";
import type { ExtensionOutcome } from "./outcome.ts";
import { stepwise } from "../resolution.ts";
import { extensionSteps } from "./extension-steps.ts";

/** Decides which bundle one ClusterExtension gets, as OLM v1 does. Pure; a refusal is a value. */
export function resolveExtension(input: ExtensionInput): Resolution<ExtensionOutcome> {
  return stepwise(extensionSteps(input));
}
