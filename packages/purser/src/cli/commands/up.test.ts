import assert from "node:assert/strict";
import { test } from "node:test";
import { demoWorld } from "../../engine/demo-world.ts";
import { demoLine } from "./up.ts";

test("only a cluster that begins with the demo says what waits in it", () => {
  const demo = demoWorld("default") ?? assert.fail("there is a demo");
  const packages = "demo  3 packages (ballast-cache, logbook-db, semaphore-gateway)";
  assert.equal(demoLine(demo, false), `${packages}, 2 installations; an upgrade is pending approval`);
  assert.equal(demoLine(demo, true), `${packages}, with the installations that this cluster was left with`);
});
