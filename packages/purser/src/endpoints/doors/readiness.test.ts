import assert from "node:assert/strict";
import { test } from "node:test";
import { readiness, type ReadyCheck } from "./readiness.ts";

const good: ReadyCheck = { name: "caches" };
const bad: ReadyCheck = { name: "storage", problem: "the disk is full" };
const none = new Set<string>();

const rows: readonly (readonly [string, readonly ReadyCheck[], ReadonlySet<string>, boolean, number, string])[] = [
  ["is ok when every check holds", [good], none, false, 200, "ok"],
  ["lists the checks when asked", [good], none, true, 200, "[+]caches ok\nreadyz check passed\n"],
  [
    "says which check fails, also unasked",
    [good, bad],
    none,
    false,
    503,
    "[+]caches ok\n[-]storage failed: the disk is full\nreadyz check failed\n",
  ],
  [
    "does not count an excluded check",
    [good, bad],
    new Set(["storage"]),
    true,
    200,
    "[+]caches ok\n[+]storage excluded: ok\nreadyz check passed\n",
  ],
];
for (const [what, checks, excluded, verbose, status, text] of rows)
  test(`readiness ${what}`, () => assert.deepEqual(readiness(checks, excluded, verbose), { status, text }));
