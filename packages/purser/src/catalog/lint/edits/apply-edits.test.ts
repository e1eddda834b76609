import assert from "node:assert/strict";
import { test } from "node:test";
import { applyEdits } from "./apply-edits.ts";
import type { Edit } from "./edit.ts";
import { editJson } from "./edit-json.ts";
import { editYaml } from "./edit-yaml.ts";

const file = "catalog";
const set = (pointer: string, key: string, value: string, after: string, document = 0): Edit => ({
  kind: "setMember",
  file,
  document,
  pointer,
  key,
  value,
  after,
});
const removeMember = (pointer: string): Edit => ({ kind: "removeMember", file, document: 0, pointer });
const removeItem = (pointer: string): Edit => ({ kind: "removeItem", file, document: 0, pointer });
const append = (pointer: string, key: string, value: string | Readonly<Record<string, string>>): Edit => ({
  kind: "appendItem",
  file,
  document: 0,
  pointer,
  key,
  value,
  after: "name",
});
const join = (document: number): Edit => ({ kind: "joinDocument", file, document });

/** `refused` when the edit is refused. */
type Row = readonly [what: string, before: string, edit: Edit, after: string];

function check(rows: readonly Row[]): void {
  for (const [what, before, edit, after] of rows) {
    const { text, refused } = applyEdits(file, before, [edit]);
    assert.deepEqual([text, refused], after === "refused" ? [before, [edit]] : [after, []], what);
  }
}

test("an edit of JSON changes only its value, with the comma and the indentation of its neighbours", () =>
  check([
    ["a member gets its value", '{"name":"a","x": "old" }', set("", "x", 'n"w', "name"), '{"name":"a","x": "n\\"w" }'],
    ["an object becomes a text", '{"x":{"y":[1,{"z":"]}"}]},"w":2}', set("", "x", "t", "w"), '{"x":"t","w":2}'],
    ["an empty object becomes a text", '{"x":{},"w":[]}', set("", "x", "t", "w"), '{"x":"t","w":[]}'],
    ["a list becomes a text", '{"x":[[],{}],"w":2}', set("", "x", "t", "w"), '{"x":"t","w":2}'],
    ["a number becomes a text", '{"w":2,"x" : 12}', set("", "x", "t", "w"), '{"w":2,"x" : "t"}'],
    ["a new member on one line", '{"name":"a","x":1}', set("", "y", "n", "name"), '{"name":"a", "y": "n","x":1}'],
    [
      "a new member on its own line",
      '{\n\t"name": {"a": 1},\n\t"x": 1\n}',
      set("", "y", "n", "name"),
      '{\n\t"name": {"a": 1},\n\t"y": "n",\n\t"x": 1\n}',
    ],
    ["a new member without its anchor", '{"x":1}', set("", "y", "n", "name"), "refused"],
    ["the first member is removed", '{"x" : [1], "w":2}', removeMember("/x"), '{"w":2}'],
    ["the last member is removed", '{"w":2 , "x": true }', removeMember("/x"), '{"w":2  }'],
    ["the only member is removed", '{ "x": "}" }', removeMember("/x"), "{ }"],
    ["a missing member", '{"w":2}', removeMember("/x"), "refused"],
    ["the first item is removed", '{"x":[ {"a":1} ,2]}', removeItem("/x/0"), '{"x":[ 2]}'],
    ["the last item is removed", '{"x":["a","b"]}', removeItem("/x/1"), '{"x":["a"]}'],
    ["with the only item its list is removed", '{"w":2,"x":["a"]}', removeItem("/x/0"), '{"w":2}'],
    ["a missing item", '{"x":["a","b"]}', removeItem("/x/2"), "refused"],
    ["an item on one line", '{"x":["a","b"]}', append("", "x", "c"), '{"x":["a","b","c"]}'],
    [
      "an item on its own line",
      '{"x":[\n  "a",\n  {"b":1}\n]}',
      append("", "x", { name: "c", "d]": "[ {" }),
      '{"x":[\n  "a",\n  {"b":1},\n  {"name": "c", "d]": "[ {"}\n]}',
    ],
    ["a new list", '{"name":"a"}', append("", "x", { n: "c" }), '{"name":"a", "x": [{"n": "c"}]}'],
    ["a new list without its anchor", '{"w":2}', append("", "x", "c"), "refused"],
    ["an empty list", '{"x":[]}', append("", "x", "c"), "refused"],
    ["a JSON document is not joined", "{}", join(0), "refused"],
  ]));

test("an edit of YAML changes only the lines of its value; what is not in block style is refused", () =>
  check([
    ["a plain scalar", "name: a\nx: old # why\n", set("", "x", "new", "name"), "name: a\nx: new # why\n"],
    ["a quoted scalar", "x: 'o''ld'\n", set("", "x", "1", "name"), 'x: "1"\n'],
    ["a double quoted scalar", 'x: "o\\"ld"   \n', set("", "x", "new", "name"), "x: new   \n"],
    ["a block scalar", "x: |\n  old\n", set("", "x", "new", "name"), "refused"],
    ["a new member", "  name: a\n  z: 1\n", set("", "x", "new", "name"), "  name: a\n  x: new\n  z: 1\n"],
    ["a new member of an item", "l:\n- name: a\n", set("/l/0", "x", "new", "name"), "l:\n- name: a\n  x: new\n"],
    ["a new member, lines of Windows", "name: a\r\n", set("", "x", "new", "name"), "name: a\r\nx: new\r\n"],
    ["a new member in flow style", "l: {name: a}\n", set("/l", "x", "new", "name"), "refused"],
    ["a new member without its anchor", "z: 1\n", set("", "x", "new", "name"), "refused"],
    [
      "a member is removed with its list, comments behind it stay",
      "a: 1\nx:\n- 1\n\n- 2\n# end\nb: 2\n",
      removeMember("/x"),
      "a: 1\n# end\nb: 2\n",
    ],
    ["a member is removed with its block", "x:\n  y: 1\n  # in\n  z: 2\nb: 2\n", removeMember("/x"), "b: 2\n"],
    ["a member behind a dash", "l:\n- x: 1\n  y: 2\n", removeMember("/l/0/x"), "refused"],
    ["a missing member", "a: 1\n", removeMember("/x"), "refused"],
    ["a member at the end of a document", "a: 1\nx:\n- 1\n---\nb: 2\n", removeMember("/x"), "a: 1\n---\nb: 2\n"],
    ["an item is removed", "x:\n- a\n- b: 1\n  c: 2\n- d\n", removeItem("/x/1"), "x:\n- a\n- d\n"],
    ["with the only item its list is removed", "a: 1\nx:\n- b\n", removeItem("/x/0"), "a: 1\n"],
    ["an item in brackets", "x: [a, b,c] # why\n", removeItem("/x/1"), "x: [a, c] # why\n"],
    ["an item in brackets with quotes", "x: [a, 'b']\n", removeItem("/x/1"), "refused"],
    ["a missing item", "x:\n- a\n- b\n", removeItem("/x/2"), "refused"],
    [
      "a new item",
      "x:\n  - a\n  - b: 1\n    c: 2\ny: 1\n",
      append("", "x", { d: "e", f: "g" }),
      "x:\n  - a\n  - b: 1\n    c: 2\n  - d: e\n    f: g\ny: 1\n",
    ],
    ["a new item, lines of Windows", "x:\r\n- a\r\n", append("", "x", "b"), "x:\r\n- a\r\n- b\r\n"],
    ["a new item in brackets", "y: [c]\nx: [a, b]\n", append("", "x", "d"), "y: [c]\nx: [a, b, d]\n"],
    ["a new item in the second brackets", "{y: [c], x: [a, b]}\n", append("", "x", "d"), "{y: [c], x: [a, b, d]}\n"],
    ["a new object in brackets", "x: [a, b]\n", append("", "x", { d: "e" }), "refused"],
    ["a new item with a blank in brackets", "x: [a, b]\n", append("", "x", "d e"), "refused"],
    ["a new list", "name: a\n", append("", "x", "b"), "name: a\nx:\n- b\n"],
    ["an empty list", "x: []\n", append("", "x", "b"), "refused"],
    ["an empty document goes with the separator behind it", "---\n---\na: 1\n", join(0), "---\na: 1\n"],
    ["an empty last document goes with the separator before it", "a: 1\n---\n# end\n", join(1), "a: 1\n# end\n"],
    ["a document with content is not joined", "a: 1\n---\nb: 1\n", join(0), "refused"],
  ]));

test("of several edits the last in the text is made first, equal ones once, and refused ones change nothing", () => {
  const edits = [
    removeItem("/x/1"),
    removeItem("/x/10"),
    removeItem("/x/9"),
    removeItem("/x/1"),
    set("", "y", "new", "x"),
    set("/x", "y", "new", "x"),
    set("", "z", "new", "z", 1),
    set("", "z", "new", "z", 7),
  ];
  const text = `{"x":[0,1,2,3,4,5,6,7,8,9,10],"y":"old"}\n{"z":"old"}\n`;
  const { text: edited, done, refused } = applyEdits(file, text, edits);
  assert.equal(edited, `{"x":[0,2,3,4,5,6,7,8],"y":"new"}\n{"z":"new"}\n`);
  assert.deepEqual(done, [edits[6], edits[1], edits[2], edits[0], edits[4]]);
  assert.deepEqual(refused, [edits[7], edits[5]]);
});

test("a file with a document that cannot be read is left as it is", () => {
  const edit = set("", "x", "new", "name");
  assert.deepEqual(applyEdits(file, "x: 1\n---\n{", [edit]), { text: "x: 1\n---\n{", done: [], refused: [edit] });
});

test("an edit at a pointer that does not exist, or that joins documents, has no text", () => {
  const nowhere = () => undefined;
  const two = () => 2;
  for (const edit of [removeMember("/x"), removeItem("/x/0"), append("", "x", "c"), join(0)]) {
    assert.equal(editJson('{"x":1}', edit, nowhere, two), undefined);
    assert.equal(editYaml(["x: 1"], edit, nowhere, two), undefined);
  }
});
