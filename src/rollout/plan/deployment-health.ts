import { InvariantError } from "../../invariant.ts";
import type { StrategyWorld } from "./strategy-world.ts";

/** The first reason why an install strategy is not healthy; `message` is upstream's text. */
export type StrategyHealth =
  | { readonly kind: "healthy" }
  | {
      readonly kind: "componentMissing" | "waiting" | "annotationsMissing" | "deploymentUpdated";
      readonly message: string;
    }
  /** Waiting longer cannot help. */
  | { readonly kind: "timeout" | "invalidStrategy"; readonly message: string };

/** Checks every Deployment of the strategy in order (3.6 of the v0 operator spec). */
export function checkDeployments(world: StrategyWorld): StrategyHealth {
  throw new InvariantError(`not written yet: ${world.csv.metadata.name}`);
}
