import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, describe, test } from "node:test";
import type { Clock } from "@purser/kubernetes/clock";
import type { Digest } from "@purser/kubernetes/digest";
import type { PulledImage } from "../pulled-image.ts";
import { writeRecord } from "./image-record.ts";
import { ImageStore } from "./image-store.ts";
import { removeTree } from "./remove-tree.ts";
import { storeProblem, systemCode } from "./store-problem.ts";

const scratch = mkdtempSync(join(tmpdir(), "image-store-"));
after(() => removeTree(scratch));
let count = 0;
const hourMs = 60 * 60 * 1000;

/** A clock that stands; it begins at the time of the files that a test makes. */
class SetClock implements Clock {
  time = Date.now();
  now = (): number => this.time;
  monotonic = (): number => this.time;
  sleep = (): Promise<void> => Promise.resolve();
}

function aStore(changes: { directory?: string; mostBytes?: number } = {}): {
  store: ImageStore;
  directory: string;
  clock: SetClock;
} {
  const clock = new SetClock();
  const { directory = join(scratch, `s${count++}`), mostBytes = 2 ** 30 } = changes;
  return { store: new ImageStore({ directory, clock, mostBytes }), directory, clock };
}

const digest = (letter: string): Digest => `sha256:${letter.repeat(64)}`;

async function put(store: ImageStore, letter: string, bytes = 4, kind: "catalog" | "bundle" = "catalog") {
  const unpacked = await store.scratch();
  mkdirSync(join(unpacked, "root/configs"), { recursive: true });
  writeFileSync(join(unpacked, "root/configs/a"), letter);
  writeRecord(unpacked, { labels: { l: letter }, directory: ["configs"], bytes });
  chmodSync(unpacked, 0o500);
  const stored = await store.commit(unpacked, { digest: digest(letter), kind, bytes });
  await store.discard(unpacked);
  return stored;
}

const textOf = (image: PulledImage | undefined): string | undefined =>
  image === undefined ? undefined : readFileSync(join(image.directory, "a"), "utf8");

describe("ImageStore", () => {
  test("holds what was committed, by digest and kind, also for another process", async () => {
    const { store, directory } = aStore();
    assert.equal(store.held(digest("a"), "catalog"), undefined);
    const stored = await put(store, "a");
    assert.ok(!("excess" in stored));
    assert.equal(textOf(stored), "a");
    assert.deepEqual(stored.labels, { l: "a" });
    assert.deepEqual(aStore({ directory }).store.held(digest("a"), "catalog"), stored);
    assert.deepEqual(store.held(digest("a"), "any"), stored);
    assert.equal(store.held(digest("a"), "bundle"), undefined);
    assert.equal(store.held(digest("b"), "catalog"), undefined);
  });

  test("a stored image is read-only, and nothing else stays in the directory", async () => {
    const { store, directory } = aStore();
    await put(store, "a");
    assert.deepEqual(readdirSync(directory), [`${"a".repeat(64)}.catalog`]);
    const image = join(directory, readdirSync(directory)[0] ?? "");
    assert.equal(statSync(image).mode & 0o777, 0o500);
    assert.equal(statSync(join(image, "image.json")).mode & 0o777, 0o400);
  });

  test("what a killed process left is not held", async () => {
    const { store, directory } = aStore();
    const left = await store.scratch();
    mkdirSync(join(left, "root/configs"), { recursive: true });
    mkdirSync(join(directory, `${"b".repeat(64)}.catalog`));
    assert.equal(store.held(digest("a"), "any"), undefined);
    assert.equal(store.held(digest("b"), "any"), undefined, "without its record an image is not complete");
  });

  test("a record that is not one is no image", async () => {
    const { store, directory } = aStore();
    await put(store, "a");
    for (const text of ["{}", "null", "{"]) {
      const record = join(directory, `${"a".repeat(64)}.catalog`, "image.json");
      chmodSync(record, 0o600);
      writeFileSync(record, text);
      assert.equal(store.held(digest("a"), "any"), undefined);
    }
  });

  test("an image that is removed while it is looked up is not held", async () => {
    const { store, directory, clock } = aStore();
    await put(store, "a");
    clock.time += hourMs;
    const { now } = clock;
    clock.now = () => {
      rmSync(join(directory, `${"a".repeat(64)}.catalog`), { recursive: true, force: true });
      return now();
    };
    assert.equal(store.held(digest("a"), "catalog"), undefined);
    assert.deepEqual(await store.collect(new Set([digest("a")])), []);
  });

  const damages: readonly (readonly [given: string, damage: (entry: string) => void])[] = [
    ["a file", (entry) => writeFileSync(entry, "")],
    ["a directory without a record", (entry) => mkdirSync(join(entry, "root"), { recursive: true })],
    [
      "a directory that nobody may write, with a broken record",
      (entry) => {
        mkdirSync(entry);
        writeFileSync(join(entry, "image.json"), "{");
        chmodSync(entry, 0o500);
      },
    ],
  ];
  for (const [given, damage] of damages)
    test(`${given} in the place of an image is no image, and does not stay in its way`, async () => {
      const { store, directory } = aStore();
      mkdirSync(directory, { recursive: true });
      damage(join(directory, `${"a".repeat(64)}.catalog`));
      assert.equal(store.held(digest("a"), "catalog"), undefined);
      const stored = await put(store, "a");
      assert.ok(!("excess" in stored));
      assert.equal(textOf(store.held(digest("a"), "catalog")), "a");
      assert.deepEqual(readdirSync(directory), [`${"a".repeat(64)}.catalog`]);
    });

  test("two processes that store the same image are both right", async () => {
    const { store, directory } = aStore();
    const other = aStore({ directory }).store;
    const [one, two] = await Promise.all([put(store, "a"), put(other, "a")]);
    assert.deepEqual(one, two);
    assert.equal(textOf(store.held(digest("a"), "catalog")), "a");
    assert.equal(readdirSync(directory).length, 1);
  });

  test("collects what is not in use and was not used for an hour", async () => {
    const { store, directory, clock } = aStore();
    await put(store, "a");
    await put(store, "b");
    clock.time += hourMs - 5000;
    assert.deepEqual(await store.collect(new Set([digest("a")])), []);
    clock.time += 10_000;
    assert.deepEqual(await store.collect(new Set([digest("a")])), [`${"b".repeat(64)}.catalog`]);
    assert.equal(textOf(store.held(digest("a"), "catalog")), "a");
    assert.equal(store.held(digest("b"), "catalog"), undefined);
    assert.equal(readdirSync(directory).length, 1);
  });

  test("what another process uses or read within the hour stays", async () => {
    const { store, directory, clock } = aStore();
    const other = aStore({ directory });
    await put(store, "a");
    await put(store, "b");
    clock.time += 2 * hourMs;
    other.clock.time = clock.time;
    await other.store.collect(new Set([digest("a")]));
    assert.equal(textOf(store.held(digest("a"), "catalog")), "a");
    assert.equal(store.held(digest("b"), "catalog"), undefined, "nobody used it");
    other.clock.time = clock.time += hourMs + 60_000;
    assert.ok(other.store.held(digest("a"), "any"));
    assert.deepEqual(await store.collect(new Set()), []);
  });

  test("a process that pulls removes what killed ones left an hour ago, and no image", async () => {
    const { store: killed, directory } = aStore();
    const left = await killed.scratch();
    writeFileSync(join(left, "blob-0"), "half");
    await put(killed, "a");
    const { store, clock } = aStore({ directory });
    clock.time = Date.now() + hourMs + 60_000;
    const own = await store.scratch();
    assert.deepEqual(readdirSync(directory).sort(), [basename(own), `${"a".repeat(64)}.catalog`]);
    const late = await killed.scratch();
    utimesSync(late, 0, 0);
    await store.scratch();
    assert.ok(existsSync(late), "only once");
  });

  test("scratch is removed when it is an hour old, not while something is written to it", async () => {
    const { store, directory, clock } = aStore();
    const other = aStore({ directory }).store;
    const [left, active, own] = [await other.scratch(), await other.scratch(), await store.scratch()];
    for (const path of [left, active]) writeFileSync(join(path, "blob-0"), "x");
    const old = (clock.time - 2 * hourMs) / 1000;
    for (const path of [join(left, "blob-0"), left, active, own]) utimesSync(path, old, old);
    assert.equal((await store.collect(new Set())).length, 1);
    assert.deepEqual([left, active, own].map(existsSync), [false, true, true]);
  });

  test("what is not its own stays", async () => {
    const { store, directory, clock } = aStore();
    mkdirSync(directory);
    writeFileSync(join(directory, "README"), "mine");
    clock.time += 48 * hourMs;
    assert.deepEqual(await store.collect(new Set()), []);
    assert.ok(existsSync(join(directory, "README")));
  });

  test("collecting a directory that does not exist does nothing", async () => {
    assert.deepEqual(await aStore().store.collect(new Set()), []);
  });

  test("an image that does not fit is not stored, and what is used stays", async () => {
    const { store, directory } = aStore({ mostBytes: 100 });
    await put(store, "a", 60);
    assert.deepEqual(await put(store, "b", 50), { excess: 10 });
    assert.ok(store.held(digest("a"), "catalog"));
    assert.equal(store.held(digest("b"), "catalog"), undefined);
    assert.equal(readdirSync(directory).length, 1);
  });

  test("room is made of what nobody uses, the least recently used first", async () => {
    const { store, clock } = aStore({ mostBytes: 100 });
    for (const [index, letter] of ["a", "b", "c"].entries()) {
      await put(store, letter, 30);
      clock.time += index * 1000;
    }
    clock.time += 2 * hourMs;
    await store.collect(new Set([digest("a"), digest("b"), digest("c")]));
    clock.time += 2 * hourMs;
    await store.collect(new Set([digest("a")]));
    assert.deepEqual(
      ["a", "b", "c"].map((letter) => store.held(digest(letter), "catalog") !== undefined),
      [true, false, false],
      "collected before",
    );
    assert.ok(!("excess" in (await put(store, "d", 50))));
    clock.time += 2 * hourMs;
    assert.ok(!("excess" in (await put(store, "e", 60))));
    assert.deepEqual(
      ["a", "d", "e"].map((letter) => store.held(digest(letter), "catalog") !== undefined),
      [true, false, true],
    );
  });
});

describe("storeProblem", () => {
  for (const [code, cause, remedy] of [
    ["ENOSPC", /cannot be stored in \/store: the disk is full$/, /Free space/],
    ["EDQUOT", /quota is used up/, /quota/],
    ["EROFS", /read-only/, /can be written/],
    ["EACCES", /permission denied/, /Allow/],
    ["EIO", /: EIO$/, /Check the disk/],
  ] as const)
    test(`${code} is a problem of this machine`, () => {
      const problem = storeProblem("host/a:1", "/store", code);
      assert.ok(problem);
      assert.equal(problem.kind, "machine");
      assert.equal(problem.isFinal, undefined);
      assert.match(problem.cause, cause);
      assert.match(problem.remedy, remedy);
    });

  test("an error of our own is none", () => {
    assert.equal(storeProblem("a", "/store", "ERR_INVALID_ARG_TYPE"), undefined);
    assert.equal(storeProblem("a", "/store", ""), undefined);
    assert.equal(systemCode(new Error("x")), undefined);
  });
});
