import assert from "node:assert/strict";
import { test } from "node:test";
import { refreshAnnotation, refreshOf } from "./refresh-annotation.ts";

const asked = (text: string) => refreshOf({ annotations: { [refreshAnnotation]: text } });

test("times of any form and zone are put into an order as text, and what is no time asks for nothing", () => {
  assert.deepEqual(asked("2026-01-01T02:00:00+02:00"), { refresh: "2026-01-01T00:00:00.000Z" });
  assert.deepEqual(asked("2026-01-01T00:00:00.5Z"), { refresh: "2026-01-01T00:00:00.500Z" });
  for (const text of ["", "now", "zzzz"]) assert.deepEqual(asked(text), {});
  assert.deepEqual(refreshOf({}), {});
});
