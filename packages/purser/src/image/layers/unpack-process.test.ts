import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "@purser/kubernetes/clock";
import { type RawEntry, tarArchive } from "../testing/tar-archive.ts";
import { defaultUnpackLimits } from "./unpack-limits.ts";
import type { UnpackTask } from "./unpack-layers.ts";
import { UnpackProcess, type UnpackProcessOptions } from "./unpack-process.ts";

const scratch = mkdtempSync(join(tmpdir(), "unpack-process-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
let count = 0;
const { signal } = new AbortController();

function task(...entries: readonly RawEntry[]): UnpackTask {
  const directory = join(scratch, String(count++));
  mkdirSync(join(directory, "into"), { recursive: true });
  const file = join(directory, "layer");
  writeFileSync(file, tarArchive(entries));
  return {
    layers: [{ file, mediaType: "application/vnd.oci.image.layer.v1.tar" }],
    directories: { kind: "catalog", required: [["configs"]], optional: [], directory: ["configs"] },
    labels: {},
    into: join(directory, "into"),
    limits: defaultUnpackLimits,
  };
}

const good = (): UnpackTask => task({ name: "configs/a", body: "text" });

async function using(options: UnpackProcessOptions, use: (unpacker: UnpackProcess) => Promise<void>): Promise<void> {
  const unpacker = new UnpackProcess(options);
  try {
    await use(unpacker);
  } finally {
    unpacker.close();
  }
}

/** Entrance of a child that does something else instead of unpacking. */
function entrance(code: string): string {
  const file = join(scratch, `entrance-${count++}.mjs`);
  writeFileSync(file, code);
  return file;
}
const stuck = entrance(`process.on("message", () => {}); process.on("disconnect", () => process.exit());`);

describe("UnpackProcess", () => {
  test("unpacks in another process, which stays for the next task", () =>
    using({}, async (unpacker) => {
      const first = good();
      assert.deepEqual(await unpacker.unpack(first, signal), { ok: true, value: { bytes: 4 } });
      assert.equal(readFileSync(join(first.into, "root/configs/a"), "utf8"), "text");
      const { pid } = unpacker;
      assert.notEqual(pid, process.pid);
      assert.ok((await unpacker.unpack(good(), signal)).ok);
      assert.equal(unpacker.pid, pid);
    }));

  test("a process that was prepared does the first task", () =>
    using({}, async (unpacker) => {
      unpacker.prepare();
      const { pid } = unpacker;
      assert.ok(pid !== undefined);
      unpacker.prepare();
      assert.ok((await unpacker.unpack(good(), signal)).ok);
      assert.equal(unpacker.pid, pid);
      unpacker.close();
      unpacker.prepare();
      assert.equal(unpacker.pid, undefined);
    }));

  test("many tasks at once run one after the other, each with its own answer", () =>
    using({ mostTasks: 3 }, async (unpacker) => {
      const tasks = Array.from({ length: 8 }, (_, index) => task({ name: "configs/a", body: "x".repeat(index) }));
      const answers = await Promise.all(tasks.map((one) => unpacker.unpack(one, signal)));
      assert.deepEqual(
        answers.map((answer) => answer.ok && answer.value.bytes),
        [0, 1, 2, 3, 4, 5, 6, 7],
      );
    }));

  test("the process is replaced after its tasks, and after its bytes", async () => {
    for (const limit of [{ mostTasks: 2 }, { mostBytes: 8 }])
      await using(limit, async (unpacker) => {
        await unpacker.unpack(good(), signal);
        const { pid } = unpacker;
        assert.ok(pid !== undefined);
        await unpacker.unpack(good(), signal);
        assert.equal(unpacker.pid, undefined);
        await unpacker.unpack(good(), signal);
        assert.notEqual(unpacker.pid, pid);
      });
  });

  test("without other limits the process is replaced after 50 archives, and when it has written 100 MiB", async () => {
    const doneBefore = async (bytes: number): Promise<number> => {
      const answer = JSON.stringify({ ok: true, value: { bytes } });
      let done = 0;
      await using({ entrance: entrance(`process.on("message", () => process.send(${answer}));`) }, async (unpacker) => {
        do {
          await unpacker.unpack(good(), signal);
          done++;
        } while (unpacker.pid !== undefined && done < 200);
      });
      return done;
    };
    assert.equal(await doneBefore(0), 50);
    assert.equal(await doneBefore(50 * 2 ** 20 - 1), 3);
    assert.equal(await doneBefore(50 * 2 ** 20), 2);
  });

  test("hostile content is a failure, and the process goes on", () =>
    using({}, async (unpacker) => {
      const answer = await unpacker.unpack(task({ name: "../evil", body: "x" }), signal);
      assert.ok(!answer.ok && answer.problem.kind === "limit");
      const { pid } = unpacker;
      assert.ok((await unpacker.unpack(good(), signal)).ok);
      assert.equal(unpacker.pid, pid);
    }));

  test("a file that is not there is a failure of the machine with its code", () =>
    using({}, async (unpacker) => {
      const layers = [{ file: join(scratch, "missing"), mediaType: "application/vnd.oci.image.layer.v1.tar" }];
      const answer = await unpacker.unpack({ ...good(), layers }, signal);
      assert.ok(!answer.ok && answer.problem.kind === "machine" && answer.problem.code === "ENOENT");
    }));

  test("a process that ends is a failure, and the next task gets another one", async () => {
    for (const [code, message] of [
      [`process.on("message", () => process.exit(3));`, /ended with code 3/],
      [`process.on("message", () => process.kill(process.pid, "SIGKILL"));`, /ended with SIGKILL/],
      ["process.exit(4);", /ended with/],
    ] as const)
      await using({ entrance: entrance(code) }, async (unpacker) => {
        for (let time = 0; time < 2; time++) {
          const answer = await unpacker.unpack(good(), signal);
          assert.ok(!answer.ok && answer.problem.kind === "machine", JSON.stringify(answer));
          assert.match(answer.problem.message, message);
          assert.equal(unpacker.pid, undefined);
        }
      });
  });

  test("a process that ends without a task is replaced", () =>
    using({}, async (unpacker) => {
      assert.ok((await unpacker.unpack(good(), signal)).ok);
      const { pid } = unpacker;
      assert.ok(pid !== undefined);
      process.kill(pid, "SIGKILL");
      for (let tries = 0; unpacker.pid !== undefined && tries < 1000; tries++) await sleep(10);
      assert.equal(unpacker.pid, undefined);
      assert.ok((await unpacker.unpack(good(), signal)).ok);
    }));

  test("a process that needs more memory than it may have is a failure that says so", () =>
    using(
      {
        memoryLimitMiB: 16,
        entrance: entrance(
          `process.on("message", () => { const kept = []; for (;;) kept.push({ a: [kept.length] }); });`,
        ),
      },
      async (unpacker) => {
        const answer = await unpacker.unpack(good(), signal);
        assert.ok(!answer.ok && answer.problem.kind === "exceeded", JSON.stringify(answer));
        assert.match(answer.problem.message, /more than 16 MiB of memory/);
      },
    ));

  test("a process that takes too long is killed", async () => {
    let late = (): void => undefined;
    const clock: Clock = {
      now: () => 0,
      monotonic: () => 0,
      sleep: () => new Promise((resolve) => (late = resolve)),
    };
    await using({ clock, entrance: stuck, timeLimitMs: 5000 }, async (unpacker) => {
      const unpacked = unpacker.unpack(good(), signal);
      const { pid } = unpacker;
      assert.ok(pid !== undefined);
      late();
      const answer = await unpacked;
      assert.ok(!answer.ok && answer.problem.kind === "exceeded", JSON.stringify(answer));
      assert.match(answer.problem.message, /took more than 5 seconds/);
      assert.equal(unpacker.pid, undefined);
    });
  });

  test("an aborted task ends the process that works on it, and others wait for another process", () =>
    using({ entrance: stuck }, async (unpacker) => {
      const [first, second] = [new AbortController(), new AbortController()];
      const one = unpacker.unpack(good(), first.signal);
      const two = unpacker.unpack(good(), second.signal);
      const { pid } = unpacker;
      first.abort(new Error("gone"));
      await assert.rejects(one, /gone/);
      // The second task is handed to a process in the same turn.
      assert.ok(unpacker.pid !== undefined && unpacker.pid !== pid);
      second.abort(new Error("gone too"));
      await assert.rejects(two, /gone too/);
    }));

  test("a task that is aborted while it waits does not disturb the running one", () =>
    using({}, async (unpacker) => {
      const waiting = new AbortController();
      const one = unpacker.unpack(good(), signal);
      const two = unpacker.unpack(good(), waiting.signal);
      waiting.abort(new Error("gone"));
      await assert.rejects(two, /gone/);
      assert.ok((await one).ok);
    }));

  test("closing ends running and waiting tasks", async () => {
    const unpacker = new UnpackProcess({ entrance: stuck });
    const tasks = [unpacker.unpack(good(), signal), unpacker.unpack(good(), signal)];
    unpacker.close();
    for (const one of tasks) await assert.rejects(one, /unpacking was ended/);
    assert.equal(unpacker.pid, undefined);
  });

  test("rest ends a process that had no task since the last rest", () =>
    using({}, async (unpacker) => {
      await unpacker.unpack(good(), signal);
      unpacker.rest();
      assert.ok(unpacker.pid !== undefined);
      unpacker.rest();
      assert.equal(unpacker.pid, undefined);
      await unpacker.unpack(good(), signal);
      unpacker.rest();
      assert.ok(unpacker.pid !== undefined);
    }));

  test("the process gets nothing of the environment", () =>
    using(
      {
        entrance: entrance(`process.on("message", () => process.send({ ok: false, problem: { kind: "content",
          message: Object.keys(process.env).filter((name) => !["NODE_COMPILE_CACHE", "UV_THREADPOOL_SIZE"].includes(name)).join() } }));`),
      },
      async (unpacker) => {
        const answer = await unpacker.unpack(good(), signal);
        assert.ok(!answer.ok && answer.problem.message === "", JSON.stringify(answer));
      },
    ));
});
