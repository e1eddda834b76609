import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { after, test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { hasCluster, openDataDirectory, watchDataDirectory } from "./data-directory.ts";
import type { Storage } from "./storage.ts";

const scratch = mkdtempSync(join(tmpdir(), "purser-data-"));
after(() => rmSync(scratch, { recursive: true }));

const traces = ["kubeconfig", "running.json"];
const note: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "note", namespace: "a" } };

async function opened(path: string, fresh = false): Promise<Storage> {
  const result = await openDataDirectory({ path, fresh, traces });
  assert.ok(result.ok, result.ok ? "" : result.problem.message);
  return result.value;
}

/** The files after a killed `purser up`: all changes are in the log. */
const killed = join(scratch, "killed");
const preparation = (async () => {
  const origin = join(scratch, "origin");
  const store = await opened(origin);
  store.put("configmaps", "a/note", note);
  await store.durable();
  cpSync(origin, killed, { recursive: true });
  await store.close();
  writeFileSync(join(killed, "kubeconfig"), "of the cluster");
  writeFileSync(join(killed, "running.json"), "of a process that ended");
})();

const digestOf = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

function bytes(directory: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(directory).map((name) => [name, digestOf(readFileSync(join(directory, name)))]),
  );
}

const losses: readonly (readonly [what: string, lose: (file: string, directory: string) => void, words: RegExp])[] = [
  ["file has 0 bytes", (file) => truncateSync(file), /0 bytes/],
  [
    "file has 0 bytes, with nothing beside it",
    (file, directory) => {
      rmSync(directory, { recursive: true });
      mkdirSync(directory);
      writeFileSync(file, "");
    },
    /0 bytes/,
  ],
  ["file is missing", (file) => rmSync(file), /missing, "kubeconfig"/],
  [
    "file is missing after an orderly end",
    (file, directory) => {
      for (const name of [file, `${file}-wal`, join(directory, "running.json")]) rmSync(name);
    },
    /missing, "kubeconfig"/,
  ],
  [
    "file is missing and only the log is there",
    (file, directory) => {
      for (const name of [file, join(directory, "running.json"), join(directory, "kubeconfig")]) rmSync(name);
    },
    /missing, its write-ahead log/,
  ],
  [
    "log was removed after the process was killed",
    (file) => rmSync(`${file}-wal`),
    /write-ahead log .*cluster\.db-wal"/,
  ],
  ["log was emptied after the process was killed", (file) => truncateSync(`${file}-wal`), /write-ahead log/],
];

for (const [what, lose, words] of losses)
  test(`a data directory whose ${what} is refused, unchanged, and reset on request`, async () => {
    await preparation;
    const directory = join(scratch, what.replaceAll(" ", "-"));
    cpSync(killed, directory, { recursive: true });
    lose(join(directory, "cluster.db"), directory);
    const before = bytes(directory);
    const refused = await openDataDirectory({ path: directory, traces });
    assert.deepEqual(refused.ok ? "opened" : refused.problem.kind, "lost");
    assert.match(refused.ok ? "" : refused.problem.message, words);
    assert.deepEqual(bytes(directory), before);
    const store = await opened(directory, true);
    assert.equal(store.revision(), 0);
    await store.close();
    await (await opened(directory)).close();
  });

test("a directory holds a cluster from its first start on, also while another process has it open", async () => {
  const directory = join(scratch, "holds");
  assert.equal(hasCluster(directory), false);
  mkdirSync(directory);
  assert.equal(hasCluster(directory), false);
  const store = await opened(directory);
  assert.equal(hasCluster(directory), true);
  await store.close();
  assert.equal(hasCluster(directory), true);
});

test("the files of a killed process are opened with all acknowledged changes, repeatedly", async () => {
  await preparation;
  const directory = join(scratch, "recovered");
  cpSync(killed, directory, { recursive: true });
  for (let round = 0; round < 3; round++) {
    const store = await opened(directory);
    assert.ok(store.get("configmaps", "a/note"));
    if (round === 1) cpSync(directory, `${directory}-again`, { recursive: true });
    await store.close();
  }
  const again = await opened(`${directory}-again`);
  assert.ok(again.get("configmaps", "a/note"));
  await again.close();
});

test("reports once that the files are gone, with path and remedy, and once that they are back", async () => {
  const directory = join(scratch, "watched");
  const file = join(directory, "cluster.db");
  const store = await opened(directory);
  const [clock, stop] = [new VirtualClock(), new AbortController()];
  const lines: string[] = [];
  const watching = watchDataDirectory(
    store,
    clock,
    (detached) => lines.push(JSON.stringify(detached) ?? "back"),
    stop.signal,
  );
  const pass = async (): Promise<void> => {
    clock.advance(10_000);
    await nextTurn();
  };
  await pass();
  assert.deepEqual(lines, []);
  renameSync(directory, `${directory}-aside`);
  await pass();
  await pass();
  assert.equal(lines.length, 1);
  const line = lines.join();
  assert.ok(line.includes(JSON.stringify(`"${file}" was removed`).slice(1, -1)), line);
  assert.match(line, /"remedy":"put it back/);
  renameSync(`${directory}-aside`, directory);
  await pass();
  assert.equal(Number(lines.length), 2);
  assert.equal(lines[1], "back");
  stop.abort(new Error("stopped"));
  await watching;
  await store.close();
});
