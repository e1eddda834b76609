import type { StrategyWorld } from "../../../../rollout/plan/strategy/strategy-world.ts";
import { servesApis } from "../../../../rollout/plan/strategy/serving-resources.ts";

/**
 * Whether a serving certificate of the CSV must be replaced now (OLM's `ShouldRotateCerts`), and else when the first one must, in
 * epoch milliseconds; undefined when the CSV serves nothing. The dates in the status of the CSV are not consulted.
 */
export function certificatesDue(
  { csv, certificates }: StrategyWorld,
  now: number,
): { readonly due: boolean; readonly next?: number } {
  const served = (csv.spec.install.spec?.deployments ?? []).filter(({ name }) => servesApis(csv, name));
  const rotations: number[] = [];
  for (const { name } of served) {
    const valid = certificates.get(name)?.valid;
    if (valid === undefined || now < valid.from || now > valid.rotateAt) return { due: true };
    rotations.push(valid.rotateAt);
  }
  return rotations.length === 0 ? { due: false } : { due: false, next: Math.min(...rotations) };
}
