import type { ExtensionInput } from "./input.ts";
import type { ExtensionOutcome } from "./outcome.ts";

export declare function extensionSteps(input: ExtensionInput): Generator<undefined, ExtensionOutcome>;
