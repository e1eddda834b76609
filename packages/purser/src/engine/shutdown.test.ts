import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "node:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demoWorld } from "./demo-world.ts";
import { startEmbedded } from "./embedded.ts";
import { embeddedOptions } from "./testing/embedded-options.ts";
import { Shutdown } from "./shutdown.ts";

test("stop functions run in reverse order and once, even if one of them fails", async () => {
  const stopped: string[] = [];
  const shutdown = new Shutdown();
  for (const name of ["store", "server", "controllers"])
    shutdown.add(async () => {
      await turn();
      stopped.push(name);
      if (name !== "store") throw new Error(`${name} is stuck`);
    });
  shutdown.add(() => {
    throw new Error("a bug");
  });
  await assert.rejects(shutdown.run(), /a bug/);
  assert.deepEqual(stopped, ["controllers", "server", "store"]);
  await shutdown.run();
  assert.equal(stopped.length, 3);
});

/** The resources that would keep this process alive. */
const listening = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "TCPServerWrap").length;

test("a cluster that is stopped while it starts leaves no open listener", async () => {
  const scratch = await mkdtemp(join(tmpdir(), "purser-shutdown-"));
  const before = listening();
  let broken = 0;
  try {
    const demo = demoWorld("default");
    assert.ok(demo !== undefined);
    for (const turns of [0, 1, 4, 16, 64, 256]) {
      const stop = new AbortController();
      const starting = startEmbedded(
        embeddedOptions(join(scratch, "cache"), { catalogServing: { host: "127.0.0.1", port: 0 }, demo }),
        stop.signal,
      );
      const outcome = starting.then(
        (started) => (started.ok ? started.value.stop() : assert.fail(JSON.stringify(started.problem))),
        (error: unknown) => {
          assert.ok(stop.signal.aborted, String(error));
          broken++;
        },
      );
      for (let passed = 0; passed < turns; passed++) await turn();
      stop.abort(new Error("stopped"));
      await outcome;
      // A closed socket disappears only after some turns of the event loop.
      for (let left = 100; left > 0 && listening() > before; left--) await turn();
      assert.equal(listening(), before, `stopped after ${turns} turns`);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  assert.ok(broken > 1, "some starts were broken off");
});
