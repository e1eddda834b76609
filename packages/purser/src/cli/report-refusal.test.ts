import assert from "node:assert/strict";
import { test } from "node:test";
import type { WriteRefusal } from "@purser/kubernetes/apis/object-write";
import { refusedWrite } from "./report-refusal.ts";

for (const [kind, code, ways] of [
  ["forbidden", "Forbidden", []],
  ["notFound", "NotFound", []],
  ["alreadyExists", "AlreadyExists", [{ summary: "look at it", command: "purser status sub/a/b" }]],
  ["conflict", "Conflict", []],
  ["gone", "Conflict", []],
  ["invalid", "Refused", []],
  ["busy", "Refused", []],
  ["other", "Refused", []],
] as const)
  test(`a write that is refused as ${kind} is reported as ${code}`, () => {
    const refusal = { kind, status: { message: "says the server" } } as unknown as WriteRefusal;
    const { explanation } = refusedWrite("create b", refusal, "sub/a/b");
    assert.deepEqual(
      [explanation.code, explanation.summary, explanation.remedies],
      [code, "Cannot create b: says the server", ways],
    );
  });
