// Garbage collection that is killed right before each of its writes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Digest } from "@purser/kubernetes/digest";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { collectIndexes } from "../catalog-store/collect.ts";
import { writeRecord } from "../image/store/image-record.ts";
import { ImageStore } from "../image/store/image-store.ts";
import { removeTree } from "../image/store/remove-tree.ts";

const scratch = mkdtempSync(join(tmpdir(), "killed-collection-"));
after(() => removeTree(scratch));

const digest = (letter: string): Digest => `sha256:${letter.repeat(64)}`;
const [used, unused] = [digest("a"), digest("b")];
const entries = [`${"a".repeat(64)}.catalog`, `${"b".repeat(64)}.catalog`] as const;
const storeIn = (directory: string): ImageStore =>
  new ImageStore({ directory, clock: systemClock, mostBytes: 2 ** 30 });

async function put(store: ImageStore, letter: string): Promise<void> {
  const unpacked = await store.scratch();
  mkdirSync(join(unpacked, "root/configs"), { recursive: true });
  for (const file of ["1", "2"]) writeFileSync(join(unpacked, "root/configs", file), letter);
  writeRecord(unpacked, { labels: {}, directory: ["configs"], bytes: 2 });
  for (const path of ["root/configs", "root", ""]) chmodSync(join(unpacked, path), 0o500);
  await store.commit(unpacked, { digest: digest(letter), kind: "catalog", bytes: 2 });
}

const indexNames = [`${"a".repeat(64)}.index`, `${"b".repeat(64)}.index`, ".building-1"] as const;
const [usedIndex] = indexNames;

/** Images that were used two hours ago, and indexes that were used two days ago, of each one that is in use. */
async function prepare(directory: string): Promise<void> {
  const store = storeIn(join(directory, "images"));
  for (const letter of ["a", "b"]) await put(store, letter);
  const old = Date.now() / 1000 - 7200;
  for (const entry of entries) utimesSync(join(directory, "images", entry, "image.json"), old, old);
  mkdirSync(join(directory, "indexes"));
  for (const name of indexNames) {
    writeFileSync(join(directory, "indexes", name), name);
    utimesSync(join(directory, "indexes", name), old - 172_800, old - 172_800);
  }
}

const script = join(scratch, "collect.ts");
writeFileSync(
  script,
  `import { ImageStore } from ${JSON.stringify(join(import.meta.dirname, "../image/store/image-store.ts"))};
   import { systemClock } from ${JSON.stringify(import.meta.resolve("@purser/kubernetes/system/system-clock"))};
   import { collectIndexes } from ${JSON.stringify(join(import.meta.dirname, "../catalog-store/collect.ts"))};
   const directory = process.argv[2];
   const store = new ImageStore({ directory: directory + "/images", clock: systemClock, mostBytes: 2 ** 30 });
   await store.collect(new Set(["${used}"]));
   collectIndexes(directory + "/indexes", new Set(["${used}"]), Date.now());`,
);

/** The writes of one collection, the last one not done when it was killed. */
async function collected(
  directory: string,
  most: number,
): Promise<{ readonly writes: readonly string[]; readonly isKilled: boolean }> {
  await prepare(directory);
  const log = join(scratch, `writes-${most}`);
  const killer = join(import.meta.dirname, "../image/testing/end-before-write.ts");
  const { signal, stderr } = spawnSync(process.execPath, ["--import", killer, script, directory], {
    env: { ...process.env, WRITES: String(most), WRITES_LOG: log },
    encoding: "utf8",
  });
  assert.equal(stderr, "");
  return { writes: readFileSync(log, "utf8").trim().split("\n"), isKilled: signal === "SIGKILL" };
}

const filesOf = (store: ImageStore, of: Digest): readonly string[] | undefined => {
  const found = store.held(of, "catalog");
  return found && readdirSync(found.directory).map((file) => readFileSync(join(found.directory, file), "utf8"));
};

test("a collection that is killed before any of its writes leaves whole images or none, and the next one removes the rest", async () => {
  const whole = join(scratch, "whole");
  const { writes: all, isKilled } = await collected(whole, 1000);
  assert.equal(isKilled, false);
  assert.deepEqual(all, [
    "utimesSync image.json",
    "mkdirSync images",
    `rename ${entries[1]}`,
    "chmod .scratch",
    "chmod root",
    "chmod configs",
    "unlink image.json",
    "unlink 1",
    "unlink 2",
    "rmdir configs",
    "rmdir root",
    "rmdir .scratch",
    "rmSync .building-1",
    `utimesSync ${usedIndex}`,
    `rmSync ${indexNames[1]}`,
  ]);
  assert.deepEqual(readdirSync(join(whole, "images")), [entries[0]]);
  assert.deepEqual(readdirSync(join(whole, "indexes")), [usedIndex]);
  const removal = all.indexOf(`rename ${entries[1]}`);
  for (const [most, write] of all.entries()) {
    const directory = join(scratch, `killed-${most}`);
    const killed = await collected(directory, most);
    const when = `killed before ${write}, write ${most}`;
    assert.ok(killed.isKilled, when);
    assert.deepEqual(killed.writes, all.slice(0, most + 1));
    const images = join(directory, "images");
    const store = storeIn(images);
    assert.deepEqual(filesOf(store, used), ["a", "a"], when);
    assert.deepEqual(filesOf(store, unused), most <= removal ? ["b", "b"] : undefined, when);
    if (most > removal) await put(store, "b");
    assert.deepEqual(filesOf(store, unused), ["b", "b"], when);
    assert.ok(existsSync(join(directory, "indexes", usedIndex)), when);
    const now = Date.now() + 7_200_000;
    const clock = { ...systemClock, now: () => now };
    await new ImageStore({ directory: images, clock, mostBytes: 2 ** 30 }).collect(new Set([used, unused]));
    assert.deepEqual(readdirSync(images).sort(), entries, when);
    collectIndexes(join(directory, "indexes"), new Set([used]), now);
    assert.deepEqual(readdirSync(join(directory, "indexes")), [usedIndex], when);
  }
});
