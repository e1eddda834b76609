import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { largeDirectories } from "./large-directories.ts";

const filesOf = (directory: string, count: number, ending = ".ts"): readonly string[] =>
  Array.from({ length: count }, (_, i) => `packages/one/${directory}/file-${i}${ending}`);

suite("large directories", () => {
  test("a directory of 25 source files is accepted, whatever lies below and beside them", () => {
    const files = [
      ...filesOf("src/room", 25),
      ...filesOf("src/room/part", 25),
      ...filesOf("src/room", 9, ".test.ts"),
      ...filesOf("conformance/rows", 40),
    ];
    assert.deepEqual(largeDirectories(files), []);
  });

  test("a directory of 26 source files is refused with its count", () => {
    assert.deepEqual(largeDirectories([...filesOf("src/room", 26), ...filesOf("src/other", 3)]), [
      "packages/one/src/room: 26 files; divide what is more than 25 into sub-rooms",
    ]);
  });
});
