import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { openBundles, type SnapshotBundles } from "./snapshot-bundles.ts";

const request = { reference: "", packageName: "kiln", version: "1.0.0", credentials: [], policy: [] };

function opened(context: TestContext, manifest: string | undefined): SnapshotBundles {
  const root = mkdtempSync(join(tmpdir(), "purser-snapshot-bundles-"));
  if (manifest !== undefined) {
    mkdirSync(join(root, "kiln/1.0.0/manifests"), { recursive: true });
    writeFileSync(join(root, "kiln/1.0.0/manifests/object.yaml"), manifest);
    mkdirSync(join(root, "kiln/1.0.0/metadata"));
    writeFileSync(join(root, "kiln/1.0.0/metadata/annotations.yaml"), "annotations: {}\n");
  }
  const bundles = openBundles({ directories: [root], cacheDirectory: join(root, "cache"), clock: new VirtualClock() });
  context.after(async () => {
    await bundles.close();
    rmSync(root, { recursive: true });
  });
  return bundles;
}

test("a bundle that no directory has is not read, and the answer names the directories", async (context) => {
  const read = await opened(context, undefined).read(request);
  assert.match(read.ok ? "read" : read.problem, /^bundle kiln 1\.0\.0 is not available: .* it is not in /);
});

test("a bundle in a directory is read as objects with the digest of its files", async (context) => {
  const read = await opened(context, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n").read(request);
  assert.ok(read.ok, JSON.stringify(read));
  assert.match(read.value.digest, /^sha256:[0-9a-f]{64}$/);
});

test("a bundle that cannot be read has a state without the time of a next try", async (context) => {
  const { state } = await opened(context, undefined).known(request);
  assert.ok(state.kind === "failing" || state.kind === "refused");
  assert.equal("retryAt" in state, false);
});
