import assert from "node:assert/strict";
import { test } from "node:test";
import { type Invocation, UsageError } from "../command.ts";
import { type Listing, printListing } from "./listing.ts";
import { systemTerminal, terminalModes } from "./terminal.ts";

interface Item {
  readonly name: string;
  readonly size: number;
  readonly note?: string;
}

const listing: Listing<Item> = {
  kind: "ItemList",
  items: [
    { name: "b", size: 10 },
    { name: "a", size: 9, note: "x" },
    { name: "c", size: 10 },
  ],
  columns: [
    { heading: "NAME", cell: ({ name }) => name },
    { heading: "SIZE", cell: ({ size }) => String(size), compare: (left, right) => left.size - right.size },
    { heading: "TEXT", cell: ({ size }) => String(size) },
  ],
  nameOf: ({ name }) => `item/${name}`,
  labelsOf: ({ size }) => ({ size: String(size) }),
  document: ({ name, size, note }) => ({ name, size, ...(note === undefined ? {} : { note }) }),
  about: { of: "all" },
  footer: ["the end"],
};

function printed(options: Invocation["options"], one: Listing<Item> = listing) {
  const terminal = systemTerminal(terminalModes({}, {}));
  return printListing({ arguments: [], options, terminal, signal: new AbortController().signal }, one);
}

const all = "NAME  SIZE  TEXT\nb     10    10\na     9     9\nc     10    10\nthe end";
const texts: readonly (readonly [options: Invocation["options"], text: string])[] = [
  [{}, all],
  [{ output: "wide" }, all],
  [{ headers: false }, "b  10  10\na  9   9\nc  10  10\nthe end"],
  [{ output: "name" }, "item/b\nitem/a\nitem/c"],
  [{ output: "name", "sort-by": "name" }, "item/a\nitem/b\nitem/c"],
  [{ output: "name", "sort-by": "Size" }, "item/a\nitem/b\nitem/c"],
  [{ output: "name", "sort-by": "text" }, "item/b\nitem/c\nitem/a"],
  [{ output: "name", limit: "2" }, "item/b\nitem/a"],
  [{ output: "name", limit: "1", "sort-by": "name" }, "item/a"],
  [{ output: "name", selector: "size=10" }, "item/b\nitem/c"],
  [{ fields: "size, name" }, "SIZE  NAME\n10    b\n9     a\n10    c\nthe end"],
  [{ fields: "help" }, "table      name, size, text\njson|yaml  name, note, size"],
];
for (const [options, text] of texts)
  test(`${JSON.stringify(options)} prints ${JSON.stringify(text)}`, () =>
    assert.deepEqual([printed(options).exitCode, String(printed(options).human)], [0, text]));

test("an empty list has headings and its footer, and no field", () => {
  const empty = { ...listing, items: [] };
  assert.equal(printed({}, empty).human, "NAME  SIZE  TEXT\nthe end");
  assert.equal(printed({ fields: "help" }, empty).human, "table      name, size, text\njson|yaml  the list is empty");
});

test("the document has the items in the order of the table, and the named fields of each", () => {
  const document = { apiVersion: "purser.dev/v1alpha1", kind: "ItemList", of: "all" };
  assert.deepEqual(printed({ output: "json", "sort-by": "name", limit: "1" }).data, {
    ...document,
    items: [{ name: "a", size: 9, note: "x" }],
  });
  for (const output of ["json", "yaml"])
    assert.deepEqual(printed({ output, fields: "name,note" }).data, {
      ...document,
      items: [{ name: "b" }, { name: "a", note: "x" }, { name: "c" }],
    });
});

for (const [options, message, hint] of [
  [{ limit: "0" }, '--limit "0" is not a positive number', undefined],
  [{ limit: "1x" }, '--limit "1x" is not a positive number', undefined],
  [{ "sort-by": "sise" }, 'there is no column "sise"', 'did you mean "size"? columns: name, size, text'],
  [{ "sort-by": "zzzzzzzz" }, 'there is no column "zzzzzzzz"', "columns: name, size, text"],
  [{ fields: "name,," }, '--fields "name,," names an empty field', "write --fields name,version"],
  [{ fields: "note" }, 'there is no column "note"', "columns: name, size, text"],
  [{ fields: "text", output: "json" }, 'there is no field "text"', "fields: name, note, size"],
  [{ selector: "a=b=c" }, undefined, "write it as app=etcd,tier!=test"],
] as const)
  test(`${JSON.stringify(options)} is refused`, () =>
    assert.throws(
      () => printed(options),
      (error: unknown) => {
        assert.ok(error instanceof UsageError);
        if (message !== undefined) assert.equal(error.message, message);
        assert.deepEqual(error.hints, hint === undefined ? [] : [hint]);
        return true;
      },
    ));
