import { isJsonObject, type JsonValue } from "@purser/kubernetes/json";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { stateAnnotation } from "../apis/v0/labels.ts";
import type { Stall } from "./stalled.ts";

/** What a CSV waits for: what the condition `Stalled` shows where an object has conditions by type; stuck since it left Succeeded. */
export interface CsvWait extends Stall {
  /** A cause code where there is one, else the reason of the phase. */
  readonly reason: string;
}

/** The value of the annotation `purser.dev/state`. */
export function csvWaitText({ reason, stuckSince, blockedBy, nextRetry }: CsvWait): string {
  return JSON.stringify({ state: "Stalled", reason, stuckSince, blockedBy, nextRetry });
}

/** What the annotation of a CSV shows; undefined without it, or when its value is not one of ours. */
export function waitOf({ metadata }: Pick<ClusterServiceVersion, "metadata">): CsvWait | undefined {
  const text = metadata.annotations?.[stateAnnotation];
  if (text === undefined) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { reason, stuckSince, blockedBy, nextRetry } = value;
  const isWhole = [reason, stuckSince, blockedBy, nextRetry].every((part) => typeof part === "string");
  return isWhole ? ({ reason, stuckSince, blockedBy, nextRetry } as unknown as CsvWait) : undefined;
}
