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
import type { Storage } from "@purser/apiserver/storage/storage";
import { VirtualClock } from "@purser/kubernetes/virtual-clock";
import { openClusterData, watchClusterData } from "./data-folder.ts";
import { announceInstance } from "./running-instance.ts";

const scratch = mkdtempSync(join(tmpdir(), "purser-data-"));
after(() => rmSync(scratch, { recursive: true }));

const note: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "note", namespace: "a" } };

async function opened(path: string, fresh = false): Promise<Storage> {
  const result = await openClusterData({ kind: "folder", path, fresh });
  assert.ok(result.ok, result.ok ? "" : result.problem.message);
  return result.value;
}

/** What a killed `purser up` leaves behind: the log holds all changes. */
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

function bytes(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, digestOf(readFileSync(join(folder, name)))]));
}

const losses: readonly (readonly [what: string, lose: (file: string, folder: string) => void, words: RegExp])[] = [
  ["file has 0 bytes", (file) => truncateSync(file), /0 bytes/],
  [
    "file has 0 bytes, with nothing beside it",
    (file, folder) => {
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
      writeFileSync(file, "");
    },
    /0 bytes/,
  ],
  ["file is missing", (file) => rmSync(file), /missing, "kubeconfig"/],
  [
    "file is missing after an orderly end",
    (file, folder) => {
      for (const name of [file, `${file}-wal`, join(folder, "running.json")]) rmSync(name);
    },
    /missing, "kubeconfig"/,
  ],
  [
    "file is missing and only the log is there",
    (file, folder) => {
      for (const name of [file, join(folder, "running.json"), join(folder, "kubeconfig")]) rmSync(name);
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
  test(`a data folder whose ${what} is refused, kept byte for byte, and started over when that is asked for`, async () => {
    await preparation;
    const folder = join(scratch, what.replaceAll(" ", "-"));
    cpSync(killed, folder, { recursive: true });
    lose(join(folder, "cluster.db"), folder);
    const before = bytes(folder);
    const refused = await openClusterData({ kind: "folder", path: folder, fresh: false });
    assert.deepEqual(refused.ok ? "opened" : refused.problem.kind, "lost");
    assert.match(refused.ok ? "" : refused.problem.message, words);
    assert.deepEqual(bytes(folder), before);
    const store = await opened(folder, true);
    assert.equal(store.revision(), 0);
    await store.close();
    await (await opened(folder)).close();
  });

test("what a killed process left is opened with all it acknowledged, any number of times", async () => {
  await preparation;
  const folder = join(scratch, "recovered");
  cpSync(killed, folder, { recursive: true });
  for (let round = 0; round < 3; round++) {
    const store = await opened(folder);
    assert.ok(store.get("configmaps", "a/note"));
    if (round === 1) cpSync(folder, `${folder}-again`, { recursive: true });
    await store.close();
  }
  const again = await opened(`${folder}-again`);
  assert.ok(again.get("configmaps", "a/note"));
  await again.close();
});

test("a folder that a running process lost its file in is refused as held", async () => {
  const folder = join(scratch, "held");
  mkdirSync(folder);
  await announceInstance(folder, { pid: process.pid, url: "https://127.0.0.1:1", kubeconfig: "kubeconfig" });
  const refused = await openClusterData({ kind: "folder", path: folder, fresh: false });
  assert.equal(refused.ok ? "opened" : refused.problem.kind, "locked");
});

test("a running server logs once that its files are gone, with path and way out, and once that they are back", async () => {
  const folder = join(scratch, "watched");
  const file = join(folder, "cluster.db");
  const store = await opened(folder);
  const [clock, stop] = [new VirtualClock(), new AbortController()];
  const lines: string[] = [];
  const watching = watchClusterData(
    store,
    clock,
    (level, message, facts) => lines.push(`${level} ${message} ${JSON.stringify(facts)}`),
    stop.signal,
  );
  const pass = async (): Promise<void> => {
    clock.advance(10_000);
    await nextTurn();
  };
  await pass();
  assert.deepEqual(lines, []);
  renameSync(folder, `${folder}-aside`);
  await pass();
  await pass();
  assert.equal(lines.length, 1);
  const line = lines.join();
  assert.ok(line.startsWith(`error every write is refused: "${file}" was removed`), line);
  assert.match(line, /"do":"put it back/);
  renameSync(`${folder}-aside`, folder);
  await pass();
  assert.equal(Number(lines.length), 2);
  assert.match(lines[1] ?? "", /in place again/);
  stop.abort(new Error("stopped"));
  await watching;
  await store.close();
});
