import assert from "node:assert/strict";
import { test } from "node:test";
import { documentsOf, withKeptValues } from "./documents.ts";

const keptValues = { list: "items", type: "bulk" };
const bulk = { type: "bulk", value: { a: "é", b: [1] } };
const document = (value: unknown, indent = 4): string => `${JSON.stringify(value, undefined, indent)}\n`;

/** Of each document its kept values, and the text with them put back into it. */
function reread(text: string): readonly { readonly kept: number; readonly text: string | undefined }[] {
  return [...documentsOf(text, { keptValues })].map((read) => {
    assert.ok(read.ok);
    const { value, kept = [] } = read.value;
    const pieces = withKeptValues(document(value), kept);
    return { kept: kept.length, text: pieces?.map((piece) => new TextDecoder().decode(piece)).join("") };
  });
}

test("values of the type stay bytes and come back where they were", () => {
  const first = document({ items: [{ type: "other", value: { c: {} } }, bulk, bulk], more: [bulk] });
  const second = document({ z: [1], items: [bulk] });
  assert.deepEqual(reread(first + second), [
    { kept: 2, text: first },
    { kept: 1, text: second },
  ]);
});

test("values that are laid out or written otherwise are read", () => {
  const others = [
    document({ items: [bulk] }, 2),
    document({ items: [{ value: bulk.value, type: "bulk" }] }),
    document({ items: [{ ...bulk, more: 1 }] }),
    document({ items: [{ type: "bulk", value: { b: 1, a: 1 } }] }),
    document({ items: [{ type: "bulk", value: "text" }] }),
    document({ others: [bulk] }),
  ];
  for (const text of others) assert.deepEqual(reread(text), [{ kept: 0, text: document(JSON.parse(text)) }]);
});

test("a string that looks like the place of a value is not taken for one", () => {
  const text = document({ items: [{ type: "other", value: "kept value 0" }, bulk] });
  assert.deepEqual(reread(text), [{ kept: 1, text: undefined }]);
  assert.deepEqual(reread(text.replace("kept", String.raw`\u006bept`)), [{ kept: 1, text: undefined }]);
});

test("values at another level, missing ones and repeated ones are not put back", () => {
  const kept = [new Uint8Array(1)];
  const item = { type: "bulk", value: "kept value 0" };
  const place = document({ items: [item] });
  assert.ok(withKeptValues(place, kept));
  const others = [document([[{ items: [item] }]]), document({ items: [] }), document({ items: [item, item] })];
  for (const text of others) assert.equal(withKeptValues(text, kept), undefined, text);
  assert.equal(withKeptValues(document({ items: [item, item] }), [...kept, ...kept]), undefined);
});

test("the whole document and its places are those of a document without kept values", () => {
  const text = `${document({ items: [bulk, bulk], last: 1 })}${document({ items: [bulk], next: 2 })}`;
  const whole = [...documentsOf(text)];
  for (const [index, read] of [...documentsOf(text, { keptValues })].entries()) {
    const other = whole[index];
    assert.ok(read.ok && other?.ok);
    assert.deepEqual(read.value.whole?.().value, other.value.value);
    const pointers = ["/items/0/value/b/0", "/last", "/next"];
    assert.deepEqual(read.value.locateAll(pointers), other.value.locateAll(pointers));
    assert.deepEqual(read.value.locate("/last"), other.value.locate("/last"));
    assert.deepEqual([read.value.place, read.value.duplicateKeys()], [other.value.place, other.value.duplicateKeys()]);
  }
});

test("invalid JSON around a kept value is refused with its place", () => {
  const text = document({ items: [bulk], last: 1 }).replace('"last": 1', '"last": ]');
  const [read] = [...documentsOf(text, { keptValues })];
  assert.equal(read?.ok, false);
  assert.deepEqual([read], [...documentsOf(text)]);
});
