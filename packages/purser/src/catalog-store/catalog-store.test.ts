import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { loadCatalog } from "../catalog/loading/load.ts";
import { indexOf } from "../catalog/memory-index.ts";
import { smallCatalog } from "../catalog/testing/small-catalog.ts";
import { buildIndex } from "./build.ts";
import { collectIndexes } from "./collect.ts";
import { openIndex, type StoredIndex, verifyIndex } from "./open.ts";

function directory(context: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "purser-store-"));
  context.after(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, "catalog", name, ".."), { recursive: true });
    writeFileSync(join(root, "catalog", name), text);
  }
  return root;
}

const never = new AbortController().signal;

async function stored(context: TestContext, root: string): Promise<StoredIndex> {
  const built = await buildIndex({ directory: join(root, "catalog"), into: join(root, "indexes"), signal: never });
  assert.ok(built.ok, JSON.stringify(built));
  const opened = openIndex(built.value.file);
  assert.ok(opened.ok, JSON.stringify(opened));
  context.after(() => opened.value.close());
  return opened.value;
}

const two = {
  "b/catalog.yaml": smallCatalog("b", ["1.0.0", "1.1.0", "2.0.0"]),
  "a/catalog.yaml": smallCatalog("a", ["0.1.0"], "---\nschema: custom\npackage: a\nname: x\nbig: 9007199254740993\n"),
  ".indexignore": "*.md\n",
  "README.md": "not a catalog: [",
};

test("a stored index answers everything as the index in memory does", async (context) => {
  const index = await stored(context, directory(context, two));
  const memory = indexOf(
    loadCatalog([
      { file: "a", text: two["a/catalog.yaml"] },
      { file: "b", text: two["b/catalog.yaml"] },
    ]).blobs,
  );
  assert.equal(index.digest, memory.digest);
  assert.deepEqual(index.packages(), memory.packages());
  for (const name of [...memory.packages(), "absent", "", "z"]) {
    assert.deepEqual(index.package(name), memory.package(name), name);
    for (const blob of memory.package(name)?.blobs ?? []) assert.deepEqual(index.blob(blob), memory.blob(blob));
  }
  for (const group of ["a.example.com", "b.example.com", "c.example.com"]) {
    const api = { group, version: "v1", kind: "Thing" };
    assert.deepEqual(index.providers(api), memory.providers(api), group);
  }
  assert.deepEqual(index.packagesOfBundle("b.v1.1.0"), ["b"]);
  assert.deepEqual(index.packagesOfBundle("b.v9"), []);
  assert.ok(verifyIndex(index).ok);
});

test("problems come back with file and line, and no file is left behind", async (context) => {
  const root = directory(context, {
    ...two,
    "c/broken.yaml": "---\nschema: olm.package\nname: c\n---\nschema: olm.channel\nname: [\n",
  });
  const built = await buildIndex({ directory: join(root, "catalog"), into: join(root, "indexes"), signal: never });
  assert.ok(!built.ok);
  assert.match(built.problem[0]?.place?.file ?? "", /c\/broken\.yaml$/);
  assert.ok((built.problem[0]?.place?.line ?? 0) >= 5);
  assert.deepEqual(readdirSync(join(root, "indexes")), []);
});

test("of many problems the first 200 come back", async (context) => {
  const names = Array.from({ length: 250 }, (_, index) => `p${index}`);
  const packages = names.map((name) => `---\nschema: olm.package\nname: ${name}\ndefaultChannel: stable\n`);
  const root = directory(context, { "all.yaml": packages.join("") });
  const built = await buildIndex({ directory: join(root, "catalog"), into: join(root, "indexes"), signal: never });
  assert.equal(!built.ok && built.problem.length, 200);
});

test("links out of the catalog, link loops and sockets are problems, not reads", async (context) => {
  for (const [name, target] of [
    ["outside.yaml", "../../secret"],
    ["loop.yaml", "loop.yaml"],
    ["gone.yaml", "nowhere.yaml"],
  ] as const) {
    const root = directory(context, two);
    writeFileSync(join(root, "secret"), "schema: x\n");
    symlinkSync(target, join(root, "catalog", name));
    const built = await buildIndex({ directory: join(root, "catalog"), into: join(root, "indexes"), signal: never });
    assert.equal(!built.ok && built.problem[0]?.rule, "unreadable", name);
  }
  const root = directory(context, two);
  execFileSync("mkfifo", [join(root, "catalog/pipe")]);
  const built = await buildIndex({ directory: join(root, "catalog"), into: join(root, "indexes"), signal: never });
  assert.match(JSON.stringify(built), /not a regular file/);
});

test("a catalog that needs more memory than the builder may take is a problem of that catalog", async (context) => {
  const root = directory(context, { "huge.json": `{"schema":"x","list":[${"[1],".repeat(3_000_000)}0]}` });
  const built = await buildIndex({
    directory: join(root, "catalog"),
    into: join(root, "indexes"),
    signal: never,
    memoryLimitMiB: 40,
  });
  assert.match(JSON.stringify(built), /needs more than 40 MiB/);
});

/** Paths of the files that this process holds open, on Linux. */
const openFiles = (): readonly string[] =>
  readdirSync("/proc/self/fd").flatMap((number) => {
    try {
      return [readlinkSync(`/proc/self/fd/${number}`)];
    } catch {
      // The directory itself was open while it was listed.
      return [];
    }
  });

test("a damaged, truncated or foreign file is reported differently from an older format", async (context) => {
  const index = await stored(context, directory(context, two));
  const bytes = readFileSync(index.file);
  const damagedBy = (change: (copy: Buffer) => Buffer): string => {
    const copy = join(dirname(index.file), "copy.index");
    writeFileSync(copy, change(Buffer.from(bytes)));
    const opened = openIndex(copy);
    if (!opened.ok) {
      if (existsSync("/proc/self/fd")) assert.ok(!openFiles().includes(copy), "the refused file is still open");
      return opened.problem.kind;
    }
    const verified = verifyIndex(opened.value);
    opened.value.close();
    return verified.ok ? "good" : verified.problem.kind;
  };
  assert.equal(
    damagedBy((copy) => copy),
    "good",
  );
  assert.equal(
    damagedBy((copy) => copy.subarray(0, copy.length - 1)),
    "damaged",
  );
  assert.equal(
    damagedBy((copy) => copy.subarray(0, 10)),
    "damaged",
  );
  assert.equal(
    damagedBy((copy) => copy.fill(7, 60, 61)),
    "damaged",
  );
  assert.equal(
    damagedBy((copy) => copy.fill(7, copy.length - 5, copy.length - 4)),
    "damaged",
  );
  assert.equal(
    damagedBy((copy) => (copy.writeUInt32LE(99, 8), copy)),
    "otherVersion",
  );
  assert.equal(
    damagedBy(() => Buffer.from("schema: olm.package\n")),
    "damaged",
  );
  const missing = openIndex(join(index.file, "..", "none.index"));
  assert.equal(!missing.ok && missing.problem.kind, "missing");
});

test("collection removes old unused indexes and leftovers of dead builders", async (context) => {
  const root = directory(context, two);
  const index = await stored(context, root);
  const indexes = join(root, "indexes");
  const other = join(indexes, `${"0".repeat(64)}.index`);
  for (const name of [other, join(indexes, ".building-1.lines")]) {
    writeFileSync(name, "");
    utimesSync(name, 0, 0);
  }
  const removed = collectIndexes(indexes, new Set([index.digest]), Date.now());
  assert.equal(removed.length, 2);
  assert.ok(existsSync(index.file));
});

test("collection goes on when another process removes a file meanwhile", async (context) => {
  const root = directory(context, two);
  await stored(context, root);
  const indexes = join(root, "indexes");
  // A link to nothing is listed and cannot be looked at, like a file that was removed after the directory was read.
  symlinkSync(join(root, "absent"), join(indexes, `${"1".repeat(64)}.index`));
  assert.deepEqual(collectIndexes(indexes, new Set(), Date.now()), []);
});

test("collection keeps an index that another process used within a day", async (context) => {
  const root = directory(context, two);
  const index = await stored(context, root);
  const anHourAgo = Date.now() / 1000 - 3600;
  utimesSync(index.file, anHourAgo, anHourAgo);
  assert.deepEqual(collectIndexes(join(root, "indexes"), new Set(), Date.now()), []);
  collectIndexes(join(root, "indexes"), new Set([index.digest]), Date.now());
  assert.ok(statSync(index.file).mtimeMs > anHourAgo * 1000 + 1000, "a kept index is marked as used");
});

test("an aborted build rejects with the reason", async (context) => {
  const root = directory(context, two);
  const reason = new Error("enough");
  const controller = new AbortController();
  const building = buildIndex({
    directory: join(root, "catalog"),
    into: join(root, "indexes"),
    signal: controller.signal,
  });
  controller.abort(reason);
  await assert.rejects(building, reason);
});

test("a lenient index leaves faulty packages out of all tables, names them, and still serves their lines", async (context) => {
  const bad = (note: string): string =>
    smallCatalog("bad", ["1.0.0"]).replace("defaultChannel: stable", `defaultChannel: ${note}`);
  const build = async (note: string): Promise<StoredIndex> => {
    const root = directory(context, { ...two, "bad/catalog.yaml": bad("stable"), "bad/more.yaml": note });
    const request = { directory: join(root, "catalog"), into: join(root, "indexes"), signal: never };
    assert.equal((await buildIndex(request)).ok, false);
    const built = await buildIndex({ ...request, form: "lenient" });
    assert.ok(built.ok, JSON.stringify(built));
    const opened = openIndex(built.value.file);
    assert.ok(opened.ok);
    context.after(() => opened.value.close());
    assert.equal(opened.value.digest, built.value.digest);
    return opened.value;
  };
  const index = await build("---\nschema: [\n");
  assert.deepEqual(index.packages(), ["a", "b"]);
  assert.equal(index.package("bad"), undefined);
  assert.deepEqual(index.packagesOfBundle("bad.v1.0.0"), []);
  assert.deepEqual(index.providers({ group: "bad.example.com", version: "v1", kind: "Thing" }), []);
  assert.match(JSON.stringify(index.faults), /^\[\{"packageName":"bad","cause":"bad\/more\.yaml:\d+:\d+: [^"]+"\}\]$/);
  const lines = [...index.lines()].map((row) => Buffer.from(index.readLine(row)).toString());
  assert.ok(lines.some((line) => line.includes('"name":"bad.v1.0.0"')));
  assert.ok(verifyIndex(index).ok);
  // The same documents can be read, but what is wrong is something else.
  assert.notEqual((await build("---\n\n\nschema: [\n")).digest, index.digest);
});

test("a lenient index of a sound catalog is the index", async (context) => {
  const root = directory(context, two);
  const request = { directory: join(root, "catalog"), into: join(root, "indexes"), signal: never };
  const [strict, lenient] = [await buildIndex(request), await buildIndex({ ...request, form: "lenient" })];
  assert.deepEqual(lenient, strict);
});

test("a lenient index holds what comes after hundreds of faults", async (context) => {
  const faults = Array.from(
    { length: 300 },
    (_, index) => `---\nschema: olm.bundle\npackage: bad\nname: b${index}\nproperties: 3\n`,
  );
  const root = directory(context, { "bad.yaml": faults.join(""), "good.yaml": smallCatalog("good", ["1.0.0"]) });
  const built = await buildIndex({
    directory: join(root, "catalog"),
    form: "lenient",
    into: join(root, "indexes"),
    signal: never,
  });
  assert.ok(built.ok, JSON.stringify(built));
  const opened = openIndex(built.value.file);
  assert.ok(opened.ok);
  assert.deepEqual(opened.value.packages(), ["good"]);
  opened.value.close();
});
