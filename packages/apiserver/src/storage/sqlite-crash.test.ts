import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { openSqliteStorage } from "./sqlite-storage.ts";
import type { Storage } from "./storage.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-crash-"));
after(() => rmSync(directory, { recursive: true }));

const page = 4096;
const frame = 24 + page;
const walHeader = 32;
const groups = 24;

/** Length of the write-ahead log when the group with that index was acknowledged. */
const acknowledgedAt: number[] = [];
const members = (group: number): readonly string[] =>
  Array.from({ length: 1 + (group % 3) }, (_, i) => `a/${group}-${i}`);
const object = (key: string, text: string): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: key.slice(2), namespace: "a" },
    data: { text },
  }) as KubeObject;

/** Writes all groups, each acknowledged before the next; each also changes and deletes objects of earlier ones. */
async function writeGroups(file: string): Promise<{ readonly database: Buffer; readonly log: Buffer }> {
  const store = await open(file);
  for (let group = 0; group < groups; group++) {
    for (const key of members(group)) store.put("configmaps", key, object(key, "x".repeat(900 * (group % 7))));
    store.put("configmaps", "a/counter", object("a/counter", String(group)));
    if (group > 0) store.remove("configmaps", "a/before");
    store.put("configmaps", "a/before", object("a/before", String(group)));
    await store.durable();
    acknowledgedAt.push(statSync(`${file}-wal`).size);
  }
  const files = { database: readFileSync(file), log: readFileSync(`${file}-wal`) };
  await store.close();
  return files;
}

async function open(file: string): Promise<Storage> {
  const opened = await openSqliteStorage(file);
  assert.ok(opened.ok, opened.ok ? "" : `${opened.problem.kind}: ${opened.problem.message}`);
  return opened.value;
}

/** Opens the files after a simulated crash; checks that acknowledged groups are complete and no group is partial. */
async function reopen(database: Buffer, log: Buffer, acknowledged: number, what: string): Promise<void> {
  const file = join(directory, "left", "store.db");
  rmSync(join(directory, "left"), { recursive: true, force: true });
  mkdirSync(join(directory, "left"));
  writeFileSync(file, database);
  writeFileSync(`${file}-wal`, log);
  const store = await open(file);
  const textOf = (key: string): unknown =>
    (store.get("configmaps", key) as { data?: { text?: string } } | undefined)?.data?.text;
  const last = Number(textOf("a/counter") ?? -1);
  assert.ok(last >= acknowledged, `${what}: group ${acknowledged} was acknowledged, ${last} is the last one there`);
  assert.equal(textOf("a/before"), last === -1 ? undefined : String(last), what);
  for (let group = 0; group < groups; group++)
    for (const key of members(group))
      assert.equal(
        store.get("configmaps", key) !== undefined,
        group <= last,
        `${what}: ${key} with ${last} as the last`,
      );
  await store.close();
}

const written = writeGroups(join(directory, "store.db"));

test("a crash within any write to the log loses no acknowledged group and shows no partial group", async () => {
  const { database, log } = await written;
  const frames = Math.floor((log.length - walHeader) / frame);
  assert.ok(frames > groups);
  for (let count = 0; count <= frames; count++)
    for (const torn of [0, 17, page]) {
      const length = Math.min(log.length, walHeader + count * frame + torn);
      const acknowledged = acknowledgedAt.findLastIndex((size) => size <= length);
      await reopen(database, log.subarray(0, length), acknowledged, `${length} bytes of the log`);
    }
});

test("a log with an incomplete last write is read up to the last complete group", async () => {
  const { database, log } = await written;
  for (let group = 0; group < groups - 1; group++) {
    const length = acknowledgedAt[group] ?? 0;
    const garbage = Buffer.concat([log.subarray(0, length), Buffer.alloc(frame * 2, 0xa5)]);
    await reopen(database, garbage, group, `garbage behind group ${group}`);
  }
});

test("a crash during a checkpoint loses nothing", async () => {
  const { database, log } = await written;
  const moved = join(directory, "moved.db");
  writeFileSync(moved, database);
  writeFileSync(`${moved}-wal`, log);
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const sqlite = new DatabaseSync(moved);
  sqlite.exec("PRAGMA wal_checkpoint(FULL)");
  copyFileSync(moved, join(directory, "after.db"));
  sqlite.close();
  const after = readFileSync(join(directory, "after.db"));
  assert.notDeepEqual(after, database);
  const pages = after.length / page;
  for (let done = 0; done <= pages; done++) {
    const half = Buffer.concat([after.subarray(0, done * page), database.subarray(done * page)]);
    await reopen(half, log, groups - 1, `${done} of ${pages} pages moved`);
  }
});
