import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { lateTransport } from "./late-answers.ts";

test("a request, its answer and each event of a watch are delayed, and events keep their order", async () => {
  const log: string[] = [];
  const delay = async (): Promise<void> => void log.push("delay");
  const events = (async function* () {
    yield "first";
    yield "second";
  })();
  const transport = lateTransport(async (path: string) => {
    log.push(path);
    return { status: 200, body: { kind: "events", events } };
  }, delay);
  const answer = await transport("/path");
  for await (const event of answer.body?.events ?? []) log.push(String(event));
  assert.deepEqual(log, ["delay", "/path", "delay", "delay", "first", "delay", "second"]);
  assert.deepEqual([(answer as { status?: number }).status, answer.body?.kind], [200, "events"]);
});

test("with PURSER_TEST_DELAY_MS the transports of an embedded API server are late", () => {
  const root = join(import.meta.dirname, "..");
  const script = `
    import { createApiServer } from "@purser/apiserver";
    const server = await createApiServer({ controllers: false });
    const text = String(server.transport());
    await server.stop();
    console.log(text.includes("delay()"));`;
  const shown = (env: NodeJS.ProcessEnv): string => {
    const flags = ["--disable-warning=ExperimentalWarning", `--import=${join(root, "checks/late-answers.ts")}`];
    const started = spawnSync(process.execPath, [...flags, "--input-type=module", "-e", script], {
      cwd: join(root, "packages/purser"),
      encoding: "utf8",
      env: { ...process.env, ...env },
    });
    return `${started.stdout}${started.stderr}`;
  };
  assert.deepEqual([shown({ PURSER_TEST_DELAY_MS: "1" }), shown({ PURSER_TEST_DELAY_MS: "0" })], ["true\n", "false\n"]);
});
