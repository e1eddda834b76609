import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { PullProgress } from "../../image/pulled-image.ts";
import { pullProgress } from "./pull-progress.ts";

const mebibyte = 1024 * 1024;
const digest = `sha256:${"a".repeat(64)}` as const;
const layer = (number: number, bytes: number, totalBytes: number): PullProgress => ({
  kind: "downloading",
  reference: "quay.io/a/b:v1",
  layer: number,
  layers: 2,
  bytes: bytes * mebibyte,
  totalBytes: totalBytes * mebibyte,
});

test("a pull shows layers, bytes of all layers and the rate, and clears its line at the end", () => {
  const clock = new VirtualClock(0);
  const lines: string[] = [];
  const report = pullProgress((line) => void lines.push(line), clock);
  report({ kind: "resolved", reference: "quay.io/a/b:v1", digest });
  report(layer(1, 1, 4));
  clock.advance(2000);
  report(layer(2, 6, 6));
  report({ kind: "unpacking", reference: "quay.io/a/b:v1" });
  report({ kind: "complete", reference: "quay.io/a/b:v1", digest });
  assert.deepEqual(lines, [
    "pulling quay.io/a/b:v1",
    "pulling quay.io/a/b:v1  0 of 2 layers  1.0 of 4.0 MiB",
    "pulling quay.io/a/b:v1  1 of 2 layers  7.0 of 10.0 MiB  3.5 MiB/s",
    "unpacking quay.io/a/b:v1",
    "",
  ]);
});

test("lines that differ in numbers only are at least a tenth of a second apart", () => {
  const clock = new VirtualClock(0);
  const lines: string[] = [];
  const report = pullProgress((line) => void lines.push(line), clock);
  for (let step = 0; step <= 30; step++) {
    report(layer(1, step, 31));
    clock.advance(10);
  }
  assert.equal(lines.length, 4);
});
