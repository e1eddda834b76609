import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonValue } from "@purser/kubernetes/json";
import { exactInteger } from "@purser/kubernetes/text/go-number";
import { memoryStorage } from "./object-store.ts";
import { openSqliteStorage } from "./sqlite-storage.ts";
import type { Storage, StoredChange } from "./storage.ts";

const table = "configmaps";
const filler = "y".repeat(300_000);

const json = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 0, -1.5, 2 ** 53 - 1, "", "ä😀\u2028", "\ufffd", '"\\\n'),
    fc.constantFrom("9007199254740993", "-123456789012345678901234567890").map(exactInteger),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "2", "constructor", "__proto__", "toString", "ü"), tie("value"), { maxKeys: 3 }),
  ),
})).value;

type Step =
  | { readonly do: "put"; readonly name: string; readonly data: JsonValue; readonly labelled: boolean }
  | { readonly do: "remove"; readonly name: string }
  | { readonly do: "wait" }
  /** So much is read and written elsewhere that nothing stays in use. */
  | { readonly do: "cool" };

const name = fc.constantFrom("a", "b", "c");
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("put"), name, data: json, labelled: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove"), name }) },
  { weight: 1, arbitrary: fc.constant({ do: "wait" }) },
  { weight: 1, arbitrary: fc.constant({ do: "cool" }) },
) as fc.Arbitrary<Step>;

function objectOf(name: string, data: JsonValue, labelled: boolean): KubeObject {
  const metadata = { name, namespace: "n", ...(labelled ? { labels: { of: name } } : {}) };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data } as KubeObject;
}

const inOrder = (texts: ReadonlyMap<string, string>): readonly string[] =>
  ["a", "b", "c"].flatMap((name) => texts.get(name) ?? []);

async function cool(store: Storage): Promise<void> {
  for (let i = 0; i < 4; i++) store.put("secrets", `n/${i}`, objectOf(String(i), filler, false));
  await store.durable();
}

/** @returns the texts that are left. */
async function holds(store: Storage, steps: readonly Step[]): Promise<readonly string[]> {
  const texts = new Map<string, string>();
  const changes: StoredChange[] = [];
  const expected: (string | undefined)[] = [];
  store.feed(table, store.revision(), (change) => void changes.push(change));
  const start = store.revision();
  const states: [number, ReadonlyMap<string, string>][] = [];
  for (const next of steps) {
    if (next.do === "wait") await store.durable();
    else if (next.do === "cool") await cool(store);
    else if (next.do === "remove") {
      if (store.remove(table, `n/${next.name}`) !== undefined) expected.push(undefined);
      texts.delete(next.name);
    } else {
      const written = store.put(table, `n/${next.name}`, objectOf(next.name, next.data, next.labelled));
      texts.set(next.name, JSON.stringify(written));
      expected.push(JSON.stringify(written));
    }
    states.push([store.revision(), new Map(texts)]);
    for (const one of ["a", "b", "c"]) {
      const found = store.get(table, `n/${one}`);
      assert.equal(found === undefined ? undefined : JSON.stringify(found), texts.get(one));
    }
  }
  await cool(store);
  const found = store.scan(table);
  assert.ok(found.ok);
  assert.deepEqual(
    found.value.map(({ text }) => text),
    inOrder(texts),
  );
  for (const version of found.value) {
    assert.equal(JSON.stringify(version.object), version.text);
    assert.equal(JSON.stringify(version.passing), version.text);
    assert.equal(version.object.metadata.resourceVersion, String(version.revision));
    assert.deepEqual(version.labels, version.object.metadata.labels);
  }
  assert.deepEqual(
    changes.map(({ versionAfter }) => versionAfter?.text),
    expected,
  );
  for (const change of changes) {
    assert.equal(JSON.stringify(change.shown), change.versionShown.text);
    assert.equal(change.shown.metadata.resourceVersion, String(change.revision));
  }
  for (const [at, state] of states) {
    if (at <= start) continue;
    const then = store.list(table, { at });
    assert.ok(then.ok);
    assert.deepEqual(
      then.value.map((object) => JSON.stringify(object)),
      inOrder(state),
    );
  }
  const fork = store.fork();
  await store.close();
  const forked = fork.list(table);
  assert.ok(forked.ok);
  const left = inOrder(texts);
  assert.deepEqual(
    forked.value.map((object) => JSON.stringify(object)),
    left,
  );
  return left;
}

test("former states take bounded room: with large ones the history is shorter, but never without any", async () => {
  const store = memoryStorage();
  const large = "z".repeat(2 ** 18);
  for (let i = 0; i < 400; i++) {
    store.put(table, "n/a", objectOf("a", i % 2 === 0 ? large : null, false));
    await store.durable();
  }
  const kept = store.revision() - store.oldest(table);
  assert.ok(kept >= 50 && kept < 300, `${kept} changes`);
});

test("tree, text, history and fork agree after any writes, whether objects are in use, cold or on disk", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
      await holds(memoryStorage(), steps);
      const directory = mkdtempSync(join(tmpdir(), "purser-version-"));
      try {
        const opened = await openSqliteStorage(join(directory, "store.db"));
        assert.ok(opened.ok);
        const left = await holds(opened.value, steps);
        const again = await openSqliteStorage(join(directory, "store.db"));
        assert.ok(again.ok);
        const kept = again.value.list(table);
        assert.deepEqual(kept.ok ? kept.value.map((object) => JSON.stringify(object)) : [], left);
        await again.value.close();
      } finally {
        rmSync(directory, { recursive: true });
      }
    }),
    { numRuns: 20 },
  );
});

test("a large tree that is still referenced is not parsed again, however many others are read meanwhile", async () => {
  const store = memoryStorage();
  const names = ["a", "b", "c", "d", "e"];
  for (const name of names) store.put(table, `n/${name}`, objectOf(name, filler.repeat(3), false));
  await store.durable();
  const trees = (): readonly (KubeObject | undefined)[] => names.map((name) => store.get(table, `n/${name}`));
  const held = trees();
  for (let round = 0; round < 3; round++) trees().forEach((tree, index) => assert.equal(tree, held[index]));
  await store.close();
});
