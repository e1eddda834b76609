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
import { openDataFolder, watchDataFolder } from "./data-folder.ts";
import type { Storage } from "./storage.ts";

const scratch = mkdtempSync(join(tmpdir(), "purser-data-"));
after(() => rmSync(scratch, { recursive: true }));

const traces = ["kubeconfig", "running.json"];
const note: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "note", namespace: "a" } };

async function opened(path: string, fresh = false): Promise<Storage> {
  const result = await openDataFolder({ path, fresh, traces });
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
  test(`a data directory whose ${what} is refused, unchanged, and reset on request`, async () => {
    await preparation;
    const folder = join(scratch, what.replaceAll(" ", "-"));
    cpSync(killed, folder, { recursive: true });
    lose(join(folder, "cluster.db"), folder);
    const before = bytes(folder);
    const refused = await openDataFolder({ path: folder, traces });
    assert.deepEqual(refused.ok ? "opened" : refused.problem.kind, "lost");
    assert.match(refused.ok ? "" : refused.problem.message, words);
    assert.deepEqual(bytes(folder), before);
    const store = await opened(folder, true);
    assert.equal(store.revision(), 0);
    await store.close();
    await (await opened(folder)).close();
  });

test("the files of a killed process are opened with all acknowledged changes, repeatedly", async () => {
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

test("reports once that the files are gone, with path and remedy, and once that they are back", async () => {
  const folder = join(scratch, "watched");
  const file = join(folder, "cluster.db");
  const store = await opened(folder);
  const [clock, stop] = [new VirtualClock(), new AbortController()];
  const lines: string[] = [];
  const watching = watchDataFolder(
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
  renameSync(folder, `${folder}-aside`);
  await pass();
  await pass();
  assert.equal(lines.length, 1);
  const line = lines.join();
  assert.ok(line.includes(JSON.stringify(`"${file}" was removed`).slice(1, -1)), line);
  assert.match(line, /"remedy":"put it back/);
  renameSync(`${folder}-aside`, folder);
  await pass();
  assert.equal(Number(lines.length), 2);
  assert.equal(lines[1], "back");
  stop.abort(new Error("stopped"));
  await watching;
  await store.close();
});
