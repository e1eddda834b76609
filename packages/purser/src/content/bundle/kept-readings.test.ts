import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { KeptReadings } from "./kept-readings.ts";

const digest = digestOf("a bundle");
const other = digestOf("another bundle");

function opened(
  context: TestContext,
  largestBytes?: number,
): { readonly directory: string; readonly kept: KeptReadings; readonly path: (extension: string) => string } {
  const parent = mkdtempSync(join(tmpdir(), "purser-kept-"));
  context.after(() => rmSync(parent, { recursive: true, force: true }));
  const directory = join(parent, "bundles");
  const kept = new KeptReadings(
    { directory, code: "one", ...(largestBytes === undefined ? {} : { largestBytes }) },
    systemClock,
  );
  const path = (extension: string): string =>
    join(directory, readdirSync(directory).find((name) => name.endsWith(`.${extension}`)) ?? "");
  return { directory, kept, path };
}

test("a kept reading comes back as it was, by digest and kind of reading", (context) => {
  const { directory, kept } = opened(context);
  assert.equal(kept.reading("unpacked", digest), undefined);
  assert.equal(kept.sizeOf("unpacked", digest), 0);
  kept.keepReading("unpacked", digest, '{"text":"\\n\u00e4\u{1f600}"}');
  assert.equal(kept.reading("unpacked", digest), '{"text":"\\n\u00e4\u{1f600}"}');
  assert.equal(kept.reading("registry", digest), undefined);
  assert.equal(kept.reading("unpacked", other), undefined);
  assert.ok(kept.sizeOf("unpacked", digest) > 0);
  assert.equal(statSync(directory).mode & 0o777, 0o700);
});

test("the digest of a directory is known for the fingerprint that it was kept with", (context) => {
  const { kept } = opened(context);
  kept.keepDigest("/bundles/a", "print", digest);
  assert.equal(kept.digestOf("/bundles/a", "print"), digest);
  assert.equal(kept.digestOf("/bundles/a", "other print"), undefined);
  assert.equal(kept.digestOf("/bundles/b", "print"), undefined);
});

test("a damaged file counts as missing until it is written again", (context) => {
  const { kept, path } = opened(context);
  kept.keepReading("unpacked", digest, '{"a":"reading"}');
  const whole = readFileSync(path("unpacked"));
  const flipped = Buffer.from(whole);
  flipped[flipped.length - 3] = 0x21;
  const damages = [Buffer.alloc(0), whole.subarray(0, -1), whole.subarray(0, 20), flipped, Buffer.from("\n{}")];
  for (const damaged of damages) {
    writeFileSync(path("unpacked"), damaged);
    assert.equal(kept.reading("unpacked", digest), undefined);
  }
  kept.keepReading("unpacked", digest, '{"a":"reading"}');
  assert.equal(kept.reading("unpacked", digest), '{"a":"reading"}');
});

test("a file of another format or of other code counts as missing", (context) => {
  const { directory, kept, path } = opened(context);
  kept.keepReading("unpacked", digest, "{}");
  assert.equal(new KeptReadings({ directory, code: "two" }, systemClock).reading("unpacked", digest), undefined);
  const text = readFileSync(path("unpacked"), "utf8");
  writeFileSync(path("unpacked"), text.replace("purser-bundle 1 ", "purser-bundle 0 "));
  assert.equal(kept.reading("unpacked", digest), undefined);
});

test("the files not used for longest are deleted when all together exceed the limit", (context) => {
  const { kept, directory } = opened(context, 10_000);
  const text = "x".repeat(3000);
  const digests = ["one", "two", "three", "four"].map(digestOf);
  const [one = digest, two = digest, three = digest, four = digest] = digests;
  const usedAt = (of: string, seconds: number): void =>
    utimesSync(join(directory, `${of.slice(7)}.a`), seconds, seconds);
  for (const [index, of] of [one, two, three].entries()) {
    kept.keepReading("a", of, text);
    usedAt(of, 1000 + index);
  }
  assert.equal(kept.reading("a", one), text);
  kept.keepReading("a", four, text);
  assert.deepEqual(
    digests.map((of) => kept.reading("a", of) !== undefined),
    [true, false, true, true],
  );
});

test("a reading of more than a third of the limit is not kept, and the others stay", (context) => {
  const { kept } = opened(context, 9000);
  kept.keepReading("a", digest, "x".repeat(2000));
  kept.keepReading("a", other, "x".repeat(3001));
  assert.equal(kept.reading("a", other), undefined);
  assert.notEqual(kept.reading("a", digest), undefined);
});

test("what a process that was killed had begun to write is deleted after an hour", (context) => {
  const { kept, directory } = opened(context);
  kept.keepReading("a", digest, "{}");
  const [old, young] = [".writing-old", ".writing-young"];
  for (const name of [old, young]) writeFileSync(join(directory, name), "half");
  for (const [name, minutes] of [
    [old, 61],
    [young, 30],
  ] as const) {
    const before = systemClock.now() / 1000 - minutes * 60;
    utimesSync(join(directory, name), before, before);
  }
  kept.keepReading("b", digest, "{}");
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.startsWith(".")),
    [young],
  );
});

test("a directory that cannot be written is no failure", (context) => {
  const { directory } = opened(context);
  writeFileSync(directory, "a file");
  const kept = new KeptReadings({ directory, code: "one" }, systemClock);
  kept.keepReading("a", digest, "{}");
  assert.equal(kept.reading("a", digest), undefined);
});

test("two processes that write the same reading never give a reader half of it", async (context) => {
  const { kept, directory } = opened(context);
  const texts = ["a", "b"].map((letter) => JSON.stringify(letter.repeat(200_000)));
  const program = `
    import { systemClock } from ${JSON.stringify(import.meta.resolve("@purser/kubernetes/system/system-clock"))};
    import { KeptReadings } from ${JSON.stringify(new URL("./kept-readings.ts", import.meta.url).href)};
    const kept = new KeptReadings({ directory: process.argv[1], code: "one" }, systemClock);
    const text = JSON.stringify(process.argv[2].repeat(200_000));
    for (let left = 40; left > 0; left--) kept.keepReading("a", process.argv[3], text);
    if (kept.reading("a", process.argv[3]) === undefined) process.exit(3);
  `;
  const writers = ["a", "b"].map((letter) =>
    spawn(process.execPath, ["--input-type=module", "-e", program, directory, letter, digest], { stdio: "inherit" }),
  );
  let isDone = false;
  const ended = Promise.all(writers.map((writer) => once(writer, "exit"))).finally(() => (isDone = true));
  let hits = 0;
  while (!isDone) {
    const path = join(directory, `${digest.slice(7)}.a`);
    const exists = statSync(path, { throwIfNoEntry: false }) !== undefined;
    const text = kept.reading("a", digest);
    if (text !== undefined) hits++;
    if (exists) assert.ok(texts.includes(text ?? ""), "a file that exists is read as a whole");
    await new Promise((done) => setImmediate(done));
  }
  assert.deepEqual(await ended, [
    [0, null],
    [0, null],
  ]);
  assert.ok(hits > 0);
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.startsWith(".")),
    [],
  );
});
