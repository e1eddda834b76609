import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { openIndex } from "../../catalog-store/open.ts";
import { writeIndex } from "../../catalog-store/write-index.ts";
import { CatalogQueries, type CatalogQueriesOptions, type QueriedIndex } from "./catalog-queries.ts";

function indexOf(context: TestContext, lines: readonly string[]): QueriedIndex {
  const root = mkdtempSync(join(tmpdir(), "purser-queries-"));
  context.after(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "catalog"));
  mkdirSync(join(root, "indexes"));
  writeFileSync(join(root, "catalog", "a.json"), lines.join("\n"));
  const written = writeIndex(join(root, "catalog"), join(root, "indexes"));
  assert.ok(written.ok, JSON.stringify(written));
  const index = openIndex(written.value.file);
  assert.ok(index.ok);
  const { file, digest } = index.value;
  index.value.close();
  return { file, digest };
}

const loom = [
  '{"defaultChannel":"stable","name":"loom","schema":"olm.package"}',
  '{"entries":[{"name":"loom.v1"}],"name":"stable","package":"loom","schema":"olm.channel"}',
  '{"image":"example.com/loom:1","name":"loom.v1","package":"loom","properties":[{"type":"olm.package","value":{"packageName":"loom","version":"1.0.0"}}],"schema":"olm.bundle"}',
];

function queriesOf(context: TestContext, options: Partial<CatalogQueriesOptions> = {}): CatalogQueries {
  const queries = new CatalogQueries({ clock: new VirtualClock(), ...options });
  context.after(() => queries.stop());
  return queries;
}

/** A thread of this text, in place of the one that executes queries. */
const threadOf = (text: string): URL => new URL(`data:text/javascript,${encodeURIComponent(text)}`);
const answering = (outcomes: string): URL =>
  threadOf(
    `import { parentPort } from "node:worker_threads"; parentPort.on("message", ({ question, file }) => { ${outcomes} });`,
  );
const discovers =
  'if (question.kind === "discover") return parentPort.postMessage({ kind: "discovered", schemas: new Map() });';

test("queries about two catalogs are answered in turn, each from its own", async (context) => {
  const queries = queriesOf(context);
  const [one, two] = [
    indexOf(context, loom),
    indexOf(
      context,
      loom.map((line) => line.replaceAll("loom", "kiln")),
    ),
  ];
  const replies = await Promise.all(
    [one, two, one].map((index) => queries.answer(index, "{olmbundles{name properties{value}}}")),
  );
  const replyOf = (name: string) => ({
    kind: "answered",
    response: `{"data":{"olmbundles":[{"name":"${name}.v1","properties":[{"value":"{\\"packageName\\":\\"${name}\\",\\"version\\":\\"1.0.0\\"}"}]}]}}\n`,
  });
  assert.deepEqual(replies, [replyOf("loom"), replyOf("kiln"), replyOf("loom")]);
});

test("the fields of a catalog are discovered once, also for the thread that follows", async (context) => {
  const clock = new VirtualClock();
  const seen: string[] = [];
  const queries = queriesOf(context, {
    clock,
    thread: answering(
      'globalThis.asked = (globalThis.asked ?? "") + question.kind + " "; if (question.kind === "discover") parentPort.postMessage({ kind: "discovered", schemas: new Map() }); else parentPort.postMessage({ kind: "executed", response: globalThis.asked });',
    ),
  });
  const ask = async (digest: string): Promise<void> => {
    const reply = await queries.answer({ file: digest, digest }, "{a}");
    seen.push(reply.kind === "answered" ? reply.response : reply.kind);
  };
  await ask("a");
  await ask("a");
  await ask("b");
  clock.advance(30_000);
  await setImmediate();
  await ask("b");
  assert.deepEqual(seen, [
    "discover execute ",
    "discover execute execute ",
    "discover execute execute discover execute ",
    "execute ",
  ]);
});

test("the fields of eight catalogs stay known", async (context) => {
  const queries = queriesOf(context, {
    thread: answering(
      'globalThis.asked ??= []; if (question.kind === "discover") { globalThis.asked.push(file); parentPort.postMessage({ kind: "discovered", schemas: new Map() }); } else parentPort.postMessage({ kind: "executed", response: globalThis.asked.join() });',
    ),
  });
  const ask = (name: string) => queries.answer({ file: name, digest: name }, "{a}");
  for (const name of "abcdefgh") await ask(name);
  assert.deepEqual(await ask("a"), { kind: "answered", response: "a,b,c,d,e,f,g,h" });
  await ask("i");
  assert.deepEqual(await ask("b"), { kind: "answered", response: "a,b,c,d,e,f,g,h,i" });
  assert.deepEqual(await ask("a"), { kind: "answered", response: "a,b,c,d,e,f,g,h,i,a" });
});

test("an index that was collected after it was opened still answers", async (context) => {
  const queries = queriesOf(context);
  const index = indexOf(context, loom);
  const first = await queries.answer(index, "{olmpackages{name}}");
  rmSync(index.file);
  assert.deepEqual(await queries.answer(index, "{olmpackages{name}}"), first);
});

test("a query that takes more than 5 seconds ends with its thread, and the next one is answered", async (context) => {
  const clock = new VirtualClock();
  const queries = queriesOf(context, {
    clock,
    thread:
      answering(`${discovers} if (question.query === "{a}") parentPort.postMessage({ kind: "executed", response: "done" });
      else { for (;;); }`),
  });
  const index = { file: "f", digest: "d" };
  await queries.answer(index, "{a}");
  const endless = queries.answer(index, "{endless}");
  const next = queries.answer(index, "{a}");
  let isOver = false;
  void endless.finally(() => (isOver = true));
  while (!isOver) {
    clock.advance(1000);
    await setImmediate();
  }
  assert.deepEqual(await endless, {
    kind: "answered",
    response:
      '{"data":null,"errors":[{"message":"context deadline exceeded: the query took more than 5 seconds; ask for less at once","locations":[]}]}\n',
  });
  assert.deepEqual(await next, { kind: "answered", response: "done" });
});

test("a thread that runs out of memory fails its query and no other", async (context) => {
  const queries = queriesOf(context, {
    memoryLimitMiB: 16,
    thread:
      answering(`${discovers} if (question.query === "{a}") return parentPort.postMessage({ kind: "executed", response: "done" });
      const all = []; for (;;) all.push(new Array(1e5).fill({}));`),
  });
  const index = { file: "f", digest: "d" };
  await assert.rejects(queries.answer(index, "{large}"), /memory/);
  assert.deepEqual(await queries.answer(index, "{a}"), { kind: "answered", response: "done" });
});

test("the 18th query at a time is turned away, and one after that answered", async (context) => {
  const queries = queriesOf(context, {
    thread: answering(`${discovers} parentPort.postMessage({ kind: "executed", response: "done" });`),
  });
  const index = { file: "f", digest: "d" };
  const kinds = (await Promise.all(Array.from({ length: 18 }, () => queries.answer(index, "{a}")))).map(
    ({ kind }) => kind,
  );
  assert.deepEqual(kinds, [...Array.from({ length: 17 }, () => "answered"), "busy"]);
  assert.equal((await queries.answer(index, "{a}")).kind, "answered");
});

test("a catalog whose schemas share a name, and an index that does not exist, fail with the reason", async (context) => {
  const queries = queriesOf(context);
  const clash = indexOf(context, [...loom, '{"schema":"a.b","package":"loom"}', '{"schema":"a_b","package":"loom"}']);
  await assert.rejects(
    queries.answer(clash, "{summary{totalSchemas}}"),
    /type name collision: schemas "a.b" and "a_b"/,
  );
  await assert.rejects(queries.answer({ file: "/nowhere", digest: "x" }, "{a}"), /cannot open the catalog index/);
});
