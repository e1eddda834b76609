import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageError } from "../command.ts";
import { runPurser } from "../testing/run-purser.ts";
import { readyLine } from "./run.ts";

for (const given of ["2", "0", "1000", "3.5", "fast", ""])
  test(`purser run --lease-duration "${given}" is refused`, () =>
    assert.rejects(
      runPurser(["run", "--lease-duration", given], { env: {} }),
      (error) =>
        error instanceof UsageError &&
        error.message === `--lease-duration "${given}" is not a number of seconds` &&
        error.hints[0] === "write 3 to 999",
    ));

test("a process that follows does not say that its controllers run", () => {
  const lease = { namespace: "purser-system", name: "purser" };
  assert.equal(readyLine(true, lease), "Ready  the controllers run; stop with Ctrl-C");
  assert.equal(
    readyLine(false, lease),
    "Ready  waits for the lease purser-system/purser, which another process holds; stop with Ctrl-C",
  );
});
