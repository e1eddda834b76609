import assert from "node:assert/strict";
import { test } from "node:test";
import { done, failed } from "@purser/kubernetes/result";
import { decodeResults, encodeResults, type EntryResult, takeFiles } from "./entry-batch.ts";

const entry = {
  schema: "olm.package",
  packageName: "a",
  name: "b\n",
  place: { file: "f", line: 2 },
  content: { n: "\n" },
};
const problem = { rule: "schema", message: "wrong\nline", place: { file: "f" } };

test("results are the same on the other side, entries and problems in their order", () => {
  const results = [done(entry), failed(problem), done({ ...entry, name: "c" })] as unknown as readonly EntryResult[];
  const text = encodeResults(results);
  assert.equal(text.split("\n").length, 3);
  assert.deepEqual(JSON.parse(JSON.stringify(decodeResults(text))), JSON.parse(JSON.stringify(results)));
});

test("no results are an empty text", () => {
  assert.equal(encodeResults([]), "");
  assert.deepEqual(decodeResults(""), []);
});

test("no file is given to two readers", () => {
  const next = new SharedArrayBuffer(4);
  const [first, second] = [takeFiles(next, 3), takeFiles(next, 3)];
  assert.deepEqual([first.next().value, second.next().value, first.next().value, second.next().done], [0, 1, 2, true]);
  assert.deepEqual([...takeFiles(new SharedArrayBuffer(4), 0)], []);
});
