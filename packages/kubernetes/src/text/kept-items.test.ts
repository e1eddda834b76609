import assert from "node:assert/strict";
import { test } from "node:test";
import { documentsOf, withKeptItems } from "./documents.ts";

const keptItems = { list: "items", apart: "bulk", read: "checked" };
const bulk = { type: "bulk", value: { a: "é", b: [1] } };
const small = { type: "small", value: { c: { d: 1 } } };
const text = { type: "<text>", value: "4.16" };
const checked = { type: "checked", value: { data: "e30=" } };
const document = (value: unknown, indent = 4): string => `${JSON.stringify(value, undefined, indent)}\n`;

/** Of each document its kept items, and the text with them put back into it. */
function reread(text: string): readonly { readonly kept: number; readonly text: string | undefined }[] {
  return [...documentsOf(text, { keptItems })].map((read) => {
    assert.ok(read.ok);
    const { value, kept = [] } = read.value;
    const pieces = withKeptItems(document(value), kept);
    return { kept: kept.length, text: pieces?.map((piece) => new TextDecoder().decode(piece)).join("") };
  });
}

test("items stay bytes together and come back where they were", () => {
  const first = document({ items: [small, text, small, bulk, bulk], more: [bulk] });
  const second = document({ z: [1], items: [bulk, small] });
  assert.deepEqual(reread(first + second), [
    { kept: 2, text: first },
    { kept: 2, text: second },
  ]);
});

test("what stands for items has the type of the first of them", () => {
  const [read] = [...documentsOf(document({ items: [text, small, bulk, checked, small] }), { keptItems })];
  assert.ok(read?.ok);
  assert.deepEqual(read.value.value, {
    items: [
      { type: "<text>", value: "kept items 0" },
      { type: "bulk", value: "kept items 1" },
      checked,
      { type: "small", value: "kept items 2" },
    ],
  });
});

test("items that are laid out or written otherwise are read", () => {
  const others = [
    document({ items: [bulk] }, 2),
    document({ items: [{ value: bulk.value, type: "bulk" }] }),
    document({ items: [{ ...bulk, more: 1 }] }),
    document({ items: [{ type: "bulk", value: { b: 1, a: 1 } }] }),
    document({ items: [{ type: "bulk", value: [1] }] }),
    document({ items: [{ type: "bulk", value: 1.5 }] }),
    document({ items: [{ type: "bulk" }] }),
    document({ items: [{ type: 1, value: {} }] }),
    document({ items: [checked, checked] }),
    document({ items: [] }),
    document({ others: [bulk] }),
  ];
  for (const text of others) assert.deepEqual(reread(text), [{ kept: 0, text: document(JSON.parse(text)) }]);
});

test("items around one that is read stay bytes", () => {
  for (const read of [checked, { type: "other", value: { b: [{ e: {} }], a: 1 } }, { type: "other", value: [small] }]) {
    const text = document({ items: [small, small, read, bulk, read, small], more: 1 });
    assert.deepEqual(reread(text), [{ kept: 3, text }]);
  }
});

test("a string that looks like what stands for items is not taken for it", () => {
  const text = document({ items: [checked, { type: "checked", value: "kept items 0" }, bulk] });
  assert.deepEqual(reread(text), [{ kept: 1, text: undefined }]);
  assert.deepEqual(reread(text.replace("kept", String.raw`\u006bept`)), [{ kept: 1, text: undefined }]);
});

test("items at another level, missing ones and repeated ones are not put back", () => {
  const kept = [new Uint8Array(1)];
  const item = { type: "bulk", value: "kept items 0" };
  const place = document({ items: [item] });
  assert.ok(withKeptItems(place, kept));
  const others = [document([[{ items: [item] }]]), document({ items: [] }), document({ items: [item, item] })];
  for (const text of others) assert.equal(withKeptItems(text, kept), undefined, text);
  assert.equal(withKeptItems(document({ items: [item, item] }), [...kept, ...kept]), undefined);
});

test("the whole document and its places are those of a document without kept items", () => {
  const text = `${document({ items: [bulk, bulk, small], last: 1 })}${document({ items: [bulk], next: 2 })}`;
  const whole = [...documentsOf(text)];
  for (const [index, read] of [...documentsOf(text, { keptItems })].entries()) {
    const other = whole[index];
    assert.ok(read.ok && other?.ok);
    assert.deepEqual(read.value.whole?.().value, other.value.value);
    const pointers = ["/items/0/value/b/0", "/items/2/value/c", "/last", "/next"];
    assert.deepEqual(read.value.locateAll(pointers), other.value.locateAll(pointers));
    assert.deepEqual(read.value.locate("/last"), other.value.locate("/last"));
    assert.deepEqual([read.value.place, read.value.duplicateKeys()], [other.value.place, other.value.duplicateKeys()]);
  }
});

test("invalid JSON around a kept item is refused with its place", () => {
  const text = document({ items: [bulk], last: 1 }).replace('"last": 1', '"last": ]');
  const [read] = [...documentsOf(text, { keptItems })];
  assert.equal(read?.ok, false);
  assert.deepEqual([read], [...documentsOf(text)]);
});
