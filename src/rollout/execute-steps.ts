import type { KubeObject } from "../apis/object.ts";
import type { Step } from "../apis/v0/install-plan.ts";
import type { Explanation } from "../explanation/explanation.ts";
import { InvariantError } from "../invariant.ts";
import type { ObjectReader } from "../kube/object-reader.ts";
import type { ObjectWriter } from "../kube/object-writer.ts";
import type { Result } from "../result.ts";
import type { ResourceType } from "../apis/resource-type.ts";

export interface StepPorts {
  /** Live reads with the engine's own rights. */
  readonly reader: ObjectReader;
  /** The engine's own identity: CRDs only. */
  readonly own: ObjectWriter;
  /** The OperatorGroup's ServiceAccount when the plan is attenuated, else the engine. Everything but CRDs. */
  readonly scoped: ObjectWriter;
  /** The served type of a kind, undefined when the cluster does not serve it. */
  typeOf(kind: { group: string; version: string; kind: string }): Promise<ResourceType | undefined>;
  /** The manifest text of a step that carries a reference instead; by default the step's own text. */
  manifestOf?(step: Step): Promise<Result<string, string>>;
}

export interface StepEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: "AppliedWithWarnings" | "CRDValidation";
  readonly message: string;
  readonly fieldPath?: string;
}

/** How far one pass came. Statuses reached before a failure are kept. */
export interface ExecutionOutcome {
  readonly steps: readonly Step[];
  readonly failure?: {
    /** Upstream's text, wrapped as upstream wraps it. */
    readonly message: string;
    /** 403 somewhere below: retried for ever. */
    readonly forbidden: boolean;
    readonly explanation?: Explanation;
  };
  readonly events: readonly StepEvent[];
}

/**
 * One pass over the steps of an approved InstallPlan, in plan order; the first failure ends it. Steps that are done are
 * skipped, so that a pass after a crash goes on where the last one stopped.
 */
export function executeSteps(
  plan: {
    readonly name: string;
    readonly namespace: string;
    readonly csvNames: readonly string[];
    readonly steps: readonly Step[];
  },
  ports: StepPorts,
  signal: AbortSignal,
): Promise<ExecutionOutcome> {
  throw new InvariantError(`not written yet: ${plan.name} ${signal.aborted} ${String(ports as unknown as KubeObject)}`);
}
