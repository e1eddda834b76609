import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { metricsPage } from "./metrics-page.ts";

test("docs/metrics.md lists every metric as the program has it", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../docs/metrics.md"), "utf8");
  assert.equal(text, metricsPage(text), "run node packages/purser/build/metrics-page.ts");
});
