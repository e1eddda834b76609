// pause and resume against the embedded cluster with the demo, over HTTP as a user runs them.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { clusterExtensions } from "../../apis/olm-resources.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { isPaused } from "../../apis/v1/paused.ts";
import { improved } from "../../compat.ts";
import { demoWorld } from "../../engine/demo-world.ts";
import { type Embedded, startEmbedded } from "../../engine/embedded.ts";
import { UsageError } from "../command.ts";
import { runPurser } from "../testing/run-purser.ts";

const folder = mkdtempSync(join(tmpdir(), "purser-pause-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const never = new AbortController().signal;
const held: ClusterExtension = {
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterExtension",
  metadata: { name: "held" },
  spec: { namespace: "default", source: { sourceType: "Catalog", catalog: { packageName: "ballast-cache" } } },
};

let embedded: Embedded;
before(async () => {
  const demo = demoWorld("default");
  assert.ok(demo !== undefined);
  const started = await startEmbedded(
    {
      data: { kind: "memory" },
      port: 0,
      demo,
      catalogs: [],
      bundleFolders: [],
      globalNamespace: "olm",
      compat: improved,
      webhookCertificates: "auto",
      cacheFolder: join(folder, "cache"),
      clock: systemClock,
      entropy: systemEntropy,
      log: () => undefined,
    },
    never,
  );
  assert.ok(started.ok);
  embedded = started.value;
  writeFileSync(join(folder, "kubeconfig"), embedded.kubeconfig);
  const created = await embedded.client.write({ verb: "create", type: clusterExtensions, object: held }, never);
  assert.ok(created.ok);
});
after(() => embedded.stop());

const purser = (...args: readonly string[]) =>
  runPurser(args, { env: { KUBECONFIG: join(folder, "kubeconfig"), HOME: folder } });
const paused = async (): Promise<boolean> => {
  const extension = await embedded.client.get(clusterExtensions, { name: "held" });
  return extension !== undefined && isPaused(extension);
};

test("pause sets the annotation, resume removes it, and each says when there is nothing to do", async () => {
  const rows: readonly (readonly [command: string, text: RegExp, isPaused: boolean])[] = [
    ["resume", /^ext\/held is not paused$/, false],
    ["pause", /paused ext\/held; purser resume ext\/held$/, true],
    ["pause", /^ext\/held is paused already$/, true],
    ["resume", /resumed ext\/held; purser status ext\/held$/, false],
  ];
  for (const [command, text, expected] of rows) {
    const ran = await purser(command, "ext/held", "--yes");
    assert.equal(ran.exitCode, 0);
    assert.match(ran.text.trim(), text);
    assert.equal(await paused(), expected, command);
  }
});

test("a Subscription is not paused, and the refusal says what holds back its upgrades", async () => {
  const isRefusal = (error: unknown): boolean =>
    error instanceof UsageError &&
    /^only a ClusterExtension can be paused, and sub\/.* is not one$/.test(error.message);
  await assert.rejects(purser("pause", "demo-logbook/logbook-db", "--yes"), isRefusal);
});
