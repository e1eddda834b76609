import { goDuration } from "@purser/kubernetes/go-duration";
import type { CatalogSourceSpec } from "../../../../apis/v0/catalog-source.ts";

const defaultMs = 15 * 60_000;

/**
 * How often a CatalogSource asks to be polled, in milliseconds; undefined without `registryPoll`. Of an interval that cannot be
 * parsed, a missing one included, the default of OLM v0 and the message that OLM shows (`UpdateStrategy.UnmarshalJSON`). The same
 * for one that is not positive, with which OLM polls without a pause.
 */
export function pollInterval({
  updateStrategy,
}: CatalogSourceSpec): { readonly everyMs: number; readonly problem?: string } | undefined {
  const { registryPoll } = updateStrategy ?? {};
  if (registryPoll === undefined) return undefined;
  const { interval = "" } = registryPoll;
  const parsed = goDuration(interval);
  if (parsed.ok && parsed.value > 0) return { everyMs: parsed.value };
  const error = parsed.ok ? `interval ${JSON.stringify(interval)} is not positive` : parsed.problem;
  return {
    everyMs: defaultMs,
    problem: `error parsing spec.updateStrategy.registryPoll.interval. Using the default value of 15m0s instead. Error: ${error}`,
  };
}
