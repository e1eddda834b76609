import assert from "node:assert/strict";
import { test } from "node:test";
import { entrancesIn, judgesOf, roomOf } from "./test-order.ts";

const src = "packages/purser/src";
const graph = new Map(
  Object.entries({
    [`${src}/bundle/a.test.ts`]: [`${src}/bundle/b.ts`],
    [`${src}/bundle/b.ts`]: [`${src}/bundle/x.ts`, `${src}/bundle/c.ts`],
    [`${src}/bundle/c.ts`]: [`${src}/bundle/b.ts`],
    [`${src}/bundle/c.test.ts`]: [`${src}/bundle/c.ts`],
    [`${src}/bundle/x.test.ts`]: [`${src}/bundle/x.ts`],
    [`${src}/bundle/other.test.ts`]: [`${src}/bundle/other.ts`],
    [`${src}/apis/x.test.ts`]: [`${src}/bundle/x.ts`],
    [`${src}/apis/far.test.ts`]: [`${src}/bundle/b.ts`],
    "packages/purser/conformance/suites/v0/some.ts": [`${src}/bundle/b.ts`],
    "packages/purser/conformance/suites/v0/case.ts": [`${src}/bundle/b.ts`],
  }).map(([file, targets]) => [file, new Set(targets)]),
);

test("tests run before suites, importing files first, then the room's own by distance", () =>
  assert.deepEqual(
    judgesOf(`${src}/bundle/x.ts`, graph, new Set(["some", "unrelated"])),
    [`${src}/bundle/x.test.ts`, `${src}/apis/x.test.ts`, `${src}/bundle/a.test.ts`, `${src}/bundle/c.test.ts`]
      .map((name): { name: string; args: string[] } => ({ name, args: [name] }))
      .concat([{ name: "suite some", args: ["packages/purser/conformance/main.ts", "some"] }]),
  ));

test("a room is a directory of a package's sources, or its leaves", () => {
  assert.equal(roomOf(`${src}/bundle/deep/x.ts`), "purser/bundle");
  assert.equal(roomOf("packages/kubernetes/src/result.ts"), "kubernetes/leaves");
  assert.equal(roomOf("packages/purser/conformance/x.ts"), "packages/purser/conformance");
});

test("the entrance of a thread or process is reached by the file that starts it", () => {
  const start = (name: string): string => `const entrance = new URL(${name}, import.meta.url);`;
  assert.deepEqual(
    entrancesIn(
      `${src}/bundle/a.ts`,
      [start("`./b-child.${extension}`"), start('"./c.ts"'), start('"data.json"')].join("\n"),
    ),
    [`${src}/bundle/b-child.ts`, `${src}/bundle/c.ts`],
  );
});
