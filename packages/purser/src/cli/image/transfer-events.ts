import type { Clock } from "@purser/kubernetes/clock";
import type { JsonObject } from "@purser/kubernetes/json";
import type { PullProgress } from "../../image/pulled-image.ts";
import { type Invocation, textOption } from "../command.ts";
import { pullProgress } from "./pull-progress.ts";

/** What happens with an image, beside the progress that is counted in bytes. */
export type TransferEvent =
  | PullProgress
  /** Of `catalog push` and `bundle push`. */
  | {
      readonly kind: "packing" | "writing";
      readonly reference: string;
      readonly bytes: number;
      readonly totalBytes?: number;
    }
  /** Images are accepted without signatures: none of the files exists. */
  | { readonly kind: "noSignaturePolicy"; readonly files: readonly string[] };

/** Between two events of one kind that differ in their bytes only. */
const leastMs = 100;

/**
 * With `-o json`, writes one JSON object for each event as a line of stderr; undefined otherwise. Events that differ in their bytes
 * only come ten times a second, and always when the last byte is there.
 */
export function transferEvents(
  invocation: Pick<Invocation, "terminal" | "options">,
  clock: Clock,
): ((event: TransferEvent) => void) | undefined {
  if (textOption(invocation, "output") !== "json") return undefined;
  const shownAt = new Map<string, number>();
  return (event) => {
    if ("bytes" in event && event.bytes !== event.totalBytes) {
      const what = `${event.kind} ${event.reference} ${"layer" in event ? event.layer : ""}`;
      const now = clock.monotonic();
      if (now - (shownAt.get(what) ?? -Infinity) < leastMs) return;
      shownAt.set(what, now);
    }
    const { kind, ...facts } = event;
    const line: JsonObject = { apiVersion: "purser.dev/v1alpha1", kind: "ImageEvent", event: kind, ...facts };
    invocation.terminal.err(JSON.stringify(line));
  };
}

/** How a command reports a pull: as events with `-o json`, else as progress on a terminal. */
export function pullReport(invocation: Invocation, clock: Clock): (progress: PullProgress) => void {
  return transferEvents(invocation, clock) ?? pullProgress((line) => invocation.terminal.progress(line), clock);
}
