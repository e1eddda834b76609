import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startEmbedded } from "./embedded.ts";
import { embeddedOptions } from "./testing/embedded-options.ts";
import { announceInstance, withdrawInstance } from "./running-instance.ts";

test("a data directory whose database was removed is locked while its process runs, and incomplete afterwards", async (context) => {
  const directory = mkdtempSync(join(tmpdir(), "purser-held-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const refusal = async (): Promise<string> => {
    const started = await startEmbedded(
      embeddedOptions(join(directory, "cache"), { data: { kind: "directory", path: directory, fresh: false } }),
      context.signal,
    );
    if (started.ok) await started.value.stop();
    return started.ok ? "started" : started.problem.kind === "storage" ? started.problem.problem.kind : "other";
  };
  await announceInstance(directory, { pid: process.pid, url: "https://127.0.0.1:1", kubeconfig: "kubeconfig" });
  assert.equal(await refusal(), "locked");
  await announceInstance(directory, { pid: 2 ** 30, url: "https://127.0.0.1:1", kubeconfig: "kubeconfig" });
  assert.equal(await refusal(), "lost");
  await announceInstance(directory, { pid: process.pid, url: "https://127.0.0.1:1", kubeconfig: "kubeconfig" });
  await withdrawInstance(directory);
  assert.equal(await refusal(), "started");
});
