import { InvariantError } from "../../invariant.ts";
import type { StrategyWorld } from "./strategy-world.ts";

export type WebhookHealth =
  | { readonly kind: "available" }
  | { readonly kind: "unavailable" }
  | { readonly kind: "error"; readonly message: string };

/** Whether every webhook of the CSV is registered as described, and which configurations belong to no description. */
export function checkWebhooks(world: StrategyWorld): {
  readonly health: WebhookHealth;
  readonly stale: readonly { readonly kind: "validating" | "mutating"; readonly name: string }[];
} {
  throw new InvariantError(`not written yet: ${world.csv.metadata.name}`);
}
