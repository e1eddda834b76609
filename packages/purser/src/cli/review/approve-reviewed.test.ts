import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import type { Installation } from "../../installation/installation.ts";
import type { PlanSet } from "../../review/change-plan/plan-set.ts";
import type { Invocation } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { stale } from "./approve-reviewed.ts";

const [seen, digest] = [digestOf("seen"), digestOf("now")];

/** What is printed about a stale plan of which these inputs changed; undefined: they are not known. */
function printed(changed: readonly string[] | undefined): readonly string[] {
  const lines: string[] = [];
  const terminal = {
    err: (...text: readonly string[]) => void lines.push(...text),
    paint: (_: string, text: string) => text,
    symbol: (name: string) => name,
  };
  const outcome = stale(
    { terminal } as unknown as Invocation,
    { reference: "sub/ns/op" } as Installation,
    { kind: "stale", changed, seen },
    { digest } as PlanSet,
  );
  assert.deepEqual(outcome, { exitCode: exitCodes.conflict });
  assert.equal(lines.shift(), `failed Nothing was approved: the plan changed from ${seen} to ${digest}`);
  assert.equal(lines.pop(), `  do    purser approve sub/ns/op --digest ${digest}`);
  return lines;
}

const inputs = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `input ${index}`);
const shown = (count: number): readonly string[] => inputs(count).map((name) => `  why   ${name} changed`);

test("a stale plan names up to eight inputs that changed, and how many more did", () => {
  assert.deepEqual(printed(inputs(1)), shown(1));
  assert.deepEqual(printed(inputs(8)), shown(8));
  assert.deepEqual(printed(inputs(9)), [...shown(8), "  why   and 1 more inputs changed"]);
  assert.deepEqual(printed(inputs(20)), [...shown(8), "  why   and 12 more inputs changed"]);
});

test("a stale plan whose inputs are not kept says so", () =>
  assert.deepEqual(printed(undefined), ["  why   the inputs of the reviewed plan are not kept on this machine"]));
