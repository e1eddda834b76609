import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startEmbedded } from "./embedded.ts";
import { embeddedOptions } from "./testing/embedded-options.ts";
import { announceInstance, withdrawInstance } from "./running-instance.ts";

test("a data directory whose database was removed is locked while its process runs, and incomplete afterwards", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "purser-held-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const refusal = async (): Promise<string> => {
    const started = await startEmbedded(
      embeddedOptions(join(folder, "cache"), { data: { kind: "folder", path: folder, fresh: false } }),
      context.signal,
    );
    if (started.ok) await started.value.stop();
    return started.ok ? "started" : started.problem.kind === "storage" ? started.problem.problem.kind : "other";
  };
  await announceInstance(folder, { pid: process.pid, url: "https://127.0.0.1:1", kubeconfig: "kubeconfig" });
  assert.equal(await refusal(), "locked");
  await announceInstance(folder, { pid: 2 ** 30, url: "https://127.0.0.1:1", kubeconfig: "kubeconfig" });
  assert.equal(await refusal(), "lost");
  await announceInstance(folder, { pid: process.pid, url: "https://127.0.0.1:1", kubeconfig: "kubeconfig" });
  await withdrawInstance(folder);
  assert.equal(await refusal(), "started");
});
