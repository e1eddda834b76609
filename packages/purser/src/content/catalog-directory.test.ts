import assert from "node:assert/strict";
import { test } from "node:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@purser/kubernetes/clock";
import { smallCatalog } from "../catalog/testing/small-catalog.ts";
import { catalogDirectory } from "./catalog-directory.ts";
import { sourceContract } from "./testing/source-contract.ts";

/** A clock whose sleep returns at once: the files do not change while the directory settles. */
const instant: Clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };

sourceContract("directory", async (context) => {
  const root = await mkdtemp(join(tmpdir(), "purser-catalog-"));
  context.after(() => rm(root, { recursive: true }));
  const path = join(root, "catalog");
  const hold = async (text: string): Promise<void> => {
    await rm(path, { recursive: true, force: true });
    await mkdir(path);
    await writeFile(join(path, "a.yaml"), text);
  };
  return {
    reader: catalogDirectory({ name: "mine", path, indexes: join(root, "indexes"), clock: instant }),
    clock: instant,
    hold: (versions) => hold(smallCatalog("a", versions)),
    spoil: () => hold("---\nschema: olm.channel\n  oops: ["),
    remove: () => rm(path, { recursive: true, force: true }),
  };
});

test("what was kept without a faulty package is not the index of a reader that refuses faulty packages", async (context) => {
  const root = await mkdtemp(join(tmpdir(), "purser-catalog-"));
  context.after(() => rm(root, { recursive: true }));
  const path = join(root, "catalog");
  await mkdir(path);
  await writeFile(join(path, "good.yaml"), smallCatalog("good", ["1.0.0"]));
  await writeFile(join(path, "bad.yaml"), smallCatalog("bad", ["1.0.0"]).replace("defaultChannel: stable", ""));
  const lookAs = async (form: "catalog" | "lenient") => {
    const reader = catalogDirectory({ name: "mine", path, form, indexes: join(root, "indexes"), clock: instant });
    const look = await reader.look({ mark: undefined, hasContent: false }, new AbortController().signal);
    if (look?.found?.ok === true) look.found.value.close();
    return look?.found;
  };
  assert.equal((await lookAs("lenient"))?.ok, true);
  const strict = await lookAs("catalog");
  assert.match(
    strict?.ok === false ? strict.problem.cause : "",
    /^catalog mine cannot be used: .*default channel must be set/,
  );
});

test("a package that was good and is faulty now refuses the change; one that is new or was faulty before does not", async (context) => {
  const root = await mkdtemp(join(tmpdir(), "purser-catalog-"));
  context.after(() => rm(root, { recursive: true }));
  const path = join(root, "catalog");
  await mkdir(path);
  const write = (name: string, text: string): Promise<void> => writeFile(join(path, `${name}.yaml`), text);
  const faulty = (name: string): string => smallCatalog(name, ["1.0.0"]).replace("defaultChannel: stable", "");
  await write("old", smallCatalog("old", ["1.0.0"]));
  await write("other", smallCatalog("other", ["1.0.0"]));
  await write("spoilt", faulty("spoilt"));
  const reader = catalogDirectory({
    name: "mine",
    path,
    form: "lenient",
    indexes: join(root, "indexes"),
    clock: instant,
  });
  const signal = new AbortController().signal;
  const first = await reader.look({ mark: undefined, hasContent: false }, signal);
  assert.ok(first?.found?.ok === true);
  const lastGood = first.found.value;
  context.after(() => lastGood.close());
  assert.deepEqual(lastGood.packages(), ["old", "other"]);

  await write("new", faulty("new"));
  const second = await reader.look({ mark: first.mark, hasContent: true, lastGood }, signal);
  assert.ok(second?.found?.ok === true);
  second.found.value.close();

  await write("old", smallCatalog("old", ["1.0.0", "1.1.0"]).replace("defaultChannel: stable", ""));
  const third = await reader.look({ mark: second.mark, hasContent: true, lastGood }, signal);
  assert.ok(third?.found?.ok === false);
  assert.match(third.found.problem.cause, /^catalog mine cannot be used: package old: .*default channel must be set/);
  assert.equal(
    third.found.problem.remedy,
    `Correct package old in ${path}; it is read again within 5 seconds of a change.`,
  );
});

test("an index that cannot be kept is a problem of this machine, and built again when there is room", async (context) => {
  const root = await mkdtemp(join(tmpdir(), "purser-catalog-"));
  context.after(() => rm(root, { recursive: true }));
  const [path, indexes] = [join(root, "catalog"), join(root, "indexes")];
  await mkdir(path);
  await writeFile(join(path, "a.yaml"), smallCatalog("a", ["1.0.0"]));
  await writeFile(indexes, "");
  const reader = catalogDirectory({ name: "mine", path, indexes, clock: instant });
  const { signal } = new AbortController();
  const look = await reader.look({ mark: undefined, hasContent: false }, signal);
  assert.ok(look?.found?.ok === false);
  assert.deepEqual(look.found.problem, {
    cause: `catalog mine cannot be used: the index cannot be written to ${indexes}: mkdir ${indexes}: file exists`,
    remedy: "Free space in the cache directory, or make it writable; the write is retried automatically.",
  });
  assert.equal(reader.pauseMs(1), 30_000);
  await rm(indexes);
  const again = await reader.look({ mark: look.mark, hasContent: false }, signal);
  assert.ok(again?.found?.ok === true, "the files are as before, and it was not looked at");
  again.found.value.close();
  assert.equal(reader.pauseMs(0), 0);
});
