import assert from "node:assert/strict";
import { test } from "node:test";
import { contentChange, type ObservedPhase } from "./phase-digests.ts";

const of = (digests: Readonly<Record<string, string>>): readonly ObservedPhase[] =>
  Object.entries(digests).map(([name, digest]) => ({ name, digest }));
const because = "a referenced object source may have been deleted and recreated with different content";

const rows: readonly (readonly [
  what: string,
  observed: readonly ObservedPhase[] | undefined,
  current: readonly ObservedPhase[],
  text: string | undefined,
])[] = [
  ["was not pinned", undefined, of({ a: "1" }), undefined],
  ["was pinned without phases", [], of({ a: "1" }), undefined],
  ["is the same, in another order", of({ a: "1", b: "2" }), of({ b: "2", a: "1" }), undefined],
  [
    "has another number of phases",
    of({ a: "1" }),
    of({ a: "1", b: "2" }),
    "number of phases has changed (expected 1 phases, got 2)",
  ],
  [
    "differs in one phase",
    of({ a: "1", b: "2" }),
    of({ a: "1", b: "3" }),
    `resolved content of 1 phase(s) has changed: phase "b" (expected digest 2, got 3); ${because}`,
  ],
  [
    "has a phase of another name, and another digest",
    of({ a: "1", b: "2" }),
    of({ c: "1", b: "3" }),
    `resolved content of 2 phase(s) has changed: phase "a" (expected digest 1, got ); phase "b" (expected digest 2, got 3); ${because}`,
  ],
];
for (const [what, observed, current, text] of rows)
  test(`content that ${what} is reported as: ${text ?? "unchanged"}`, () =>
    assert.equal(contentChange(observed, current), text));
