import type { NamespaceInput } from "./input.ts";
import type { NamespaceOutcome } from "./outcome.ts";

export declare function namespaceSteps(input: NamespaceInput): Generator<undefined, NamespaceOutcome>;
