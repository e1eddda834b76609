import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { Invocation } from "../command.ts";
import { type TransferEvent, transferEvents } from "./transfer-events.ts";

const reference = "quay.io/a/b:v1";
const digest = `sha256:${"a".repeat(64)}` as const;

function invocation(output: string | undefined, lines: string[]): Pick<Invocation, "terminal" | "options"> {
  const terminal = { err: (line: string) => void lines.push(line) } as unknown as Invocation["terminal"];
  return { terminal, options: output === undefined ? {} : { output } };
}

const layer = (bytes: number, number = 1): TransferEvent => ({
  kind: "downloading",
  reference,
  layer: number,
  layers: 2,
  bytes,
  totalBytes: 9,
});

test("each event is a line of JSON; bytes come ten times a second for each layer, and the last ones always", () => {
  const clock = new VirtualClock(0);
  const lines: string[] = [];
  const report = transferEvents(invocation("json", lines), clock);
  report?.({ kind: "resolved", reference, digest });
  for (const event of [layer(1), layer(2), layer(3, 2)]) report?.(event);
  clock.advance(100);
  for (const event of [layer(4), layer(9)]) report?.(event);
  report?.({ kind: "complete", reference, digest });
  assert.deepEqual(
    lines.map((line) => JSON.parse(line) as object),
    [
      { event: "resolved", reference, digest },
      { event: "downloading", reference, layer: 1, layers: 2, bytes: 1, totalBytes: 9 },
      { event: "downloading", reference, layer: 2, layers: 2, bytes: 3, totalBytes: 9 },
      { event: "downloading", reference, layer: 1, layers: 2, bytes: 4, totalBytes: 9 },
      { event: "downloading", reference, layer: 1, layers: 2, bytes: 9, totalBytes: 9 },
      { event: "complete", reference, digest },
    ].map((facts) => ({ apiVersion: "purser.dev/v1alpha1", kind: "ImageEvent", ...facts })),
  );
});

test("there are no events for people, nor for YAML", () => {
  for (const output of [undefined, "table", "yaml"])
    assert.equal(transferEvents(invocation(output, []), new VirtualClock(0)), undefined);
});
