import assert from "node:assert/strict";
import { test } from "node:test";
import { semanticEqual } from "./semantic-equal.ts";

const limits = (cpu: string | number) => ({ resources: { limits: { cpu } } });

test("amounts in maps of quantities are equal however they are written", () => {
  assert.equal(semanticEqual(limits("1"), limits("1000m")), true);
  assert.equal(semanticEqual(limits(1), limits("1")), true);
  assert.equal(semanticEqual(limits("1"), limits("1001m")), false);
});

test("texts elsewhere that are equal as amounts differ", () => {
  assert.equal(semanticEqual({ value: "1" }, { value: "1000m" }), false);
});
