import { InvariantError } from "../invariant.ts";
import type { Result } from "../result.ts";
import type { UnpackedBundle } from "./unpack-bundle.ts";

/** A step of `status.plan` of an InstallPlan, its manifest in full. */
export interface BundleStep {
  readonly resolving: string;
  readonly resource: {
    readonly name: string;
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    /** JSON text, byte for byte as upstream writes it, final newline included. */
    readonly manifest: string;
    readonly sourceName: string;
    readonly sourceNamespace: string;
  };
  readonly status: "Unknown";
}

export interface StepsOptions {
  /** Where the operator is installed. */
  readonly namespace: string;
  /** The resolved `spec.replaces`; may be empty. */
  readonly replaces: string;
  readonly catalog: { readonly name: string; readonly namespace: string };
  /** JSON text `{"properties":[...]}` of the lookup; empty: the bundle's own. */
  readonly properties: string;
}

export interface StepsProblem {
  readonly stage: "properties" | "steps";
  /** A fatal one is not retried. */
  readonly fatal: boolean;
  readonly message: string;
}

/** The steps of one bundle: CSV, its other objects in bundle order, then the RBAC that its install strategy asks for. */
export function stepsOf(bundle: UnpackedBundle, options: StepsOptions): Result<readonly BundleStep[], StepsProblem> {
  throw new InvariantError(`not written yet: ${options.namespace} ${bundle.keys.length}`);
}
