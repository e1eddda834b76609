import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { Machinery } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { workPerTurn } from "../turns.ts";
import { oneToServed } from "./versions.ts";

/** The turns of the event loop in which the steps of the defaults of a stored object of that size run. */
async function turnsOfDefaults(size: number | undefined): Promise<readonly number[]> {
  let turn = 0;
  const count = (): void => {
    turn++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const turns: number[] = [];
  const kind = {
    type: { group: "example.com", version: "v1", kind: "Wide", plural: "wides", namespaced: true },
    table: "wides.example.com",
    custom: { definition: { spec: {} } },
    *defaultsInSteps(object: KubeObject) {
      for (let step = 0; step < 4; step++) {
        turns.push(turn);
        yield;
      }
      return { ...object, spec: "defaulted" };
    },
  } as unknown as ServedKind;
  const stored = { apiVersion: "example.com/v1", kind: "Wide", metadata: { name: "w" } };
  const served = await oneToServed({} as Machinery, kind, stored, size);
  clearImmediate(next);
  assert.deepEqual(served, { ok: true, value: { ...stored, spec: "defaulted" } });
  const again = await oneToServed({} as Machinery, kind, stored, size);
  assert.equal(again.ok && served.ok && again.value === served.value, true, "the defaults are remembered");
  return turns;
}

test("the defaults of a large stored object are applied in several turns, those of a small one in one", async () => {
  const large = new Set(await turnsOfDefaults(workPerTurn)).size;
  assert.ok(large >= 3, `${large} turns`);
  assert.equal(new Set(await turnsOfDefaults(1000)).size, 1);
  assert.equal(new Set(await turnsOfDefaults(undefined)).size, 1);
});
