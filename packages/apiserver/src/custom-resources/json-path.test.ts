import assert from "node:assert/strict";
import { test } from "node:test";
import type { CustomResourceDefinitionVersion } from "@purser/kubernetes/apis/apiextensions";
import type { JsonValue } from "@purser/kubernetes/json";
import { customPrinter } from "./custom-printer.ts";
import { jsonPath } from "@purser/kubernetes/text/json-path";

const items: JsonValue = [
  { n: 1, s: "one" },
  { n: 2, s: "two" },
  { n: 3, s: "three", f: true },
];
const value: JsonValue = {
  list: ["x", "y", "z"],
  none: null,
  text: "t",
  int: 7,
  "a.b/c": "dotted",
  items,
};

const paths: readonly (readonly [path: string, found: readonly JsonValue[]])[] = [
  [".text", ["t"]],
  ["{.text}", ["t"]],
  [String.raw`.a\.b/c`, ["dotted"]],
  ["['a.b/c']", ["dotted"]],
  [".list[0]", ["x"]],
  [".list[-1]", ["z"]],
  [".list[5]", []],
  [".list[-1:]", ["z"]],
  [".list[0:2]", ["x", "y"]],
  [".list[0:3:2]", ["x", "z"]],
  // An out-of-range bound is an error in kubectl, and errors yield no value.
  [".list[0:9]", []],
  [".list[*]", ["x", "y", "z"]],
  [".list[0,2]", ["x", "z"]],
  ["['text','int']", ["t", 7]],
  ["['text', 'missing']", ["t"]],
  [".text[0]", []],
  [".none[0]", []],
  [".none.more", []],
  [".items[?(@.n>1)].s", ["two", "three"]],
  ['.items[?(@.s=="two")].n', [2]],
  [".items[?(@.s!='two')].n", [1, 3]],
  [".items[?(@.f)].n", [3]],
  // Comparing a string with a number is an error, so nothing is found.
  ['.items[?(@.n=="1")].s', []],
  [".text[?(@.n>1)]", []],
  ["..s", ["one", "two", "three"]],
  [".*", [["x", "y", "z"], null, "t", 7, "dotted", items]],
];
for (const [path, found] of paths)
  test(`${path} finds ${JSON.stringify(found)}`, () => {
    assert.deepEqual(jsonPath(path)?.(value), found);
  });

test("an invalid path returns undefined", () => {
  for (const path of ["text", ".a b", ".list[x]", ".list[0", "[0,x]"]) assert.equal(jsonPath(path), undefined, path);
});

test("numbers in string columns are formatted as in Go", () => {
  const version = {
    name: "v1",
    served: true,
    storage: true,
    additionalPrinterColumns: [{ name: "N", type: "string", jsonPath: ".n" }],
  } as CustomResourceDefinitionVersion;
  const shown = (n: number): unknown =>
    customPrinter(version).row({ apiVersion: "a/v1", kind: "A", metadata: { name: "x" }, n } as never, 0).cells[1];
  assert.deepEqual([12345678, 1.5, 0.0001, 0.000001, -0.00000123, 100000000000, 0].map(shown), [
    "12345678",
    "1.5",
    "0.0001",
    "1e-06",
    "-1.23e-06",
    "100000000000",
    "0",
  ]);
});
