import assert from "node:assert/strict";
import { test } from "node:test";
import { secondsOfStat } from "./processor-time.ts";

test("the time of a process includes its children, and a name with spaces and brackets shifts no field", () => {
  const fields = ["S", ...Array.from({ length: 10 }, () => "9999"), "150", "25", "1000", "75", "20"];
  assert.equal(secondsOfStat(`4711 (node (a) b) ${fields.join(" ")}`), 12.5);
});
