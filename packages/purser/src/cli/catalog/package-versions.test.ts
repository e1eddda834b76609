import assert from "node:assert/strict";
import { test } from "node:test";
import { workInDirectory, write } from "../testing/working-directory.ts";
import { problemWords, readPackageVersions } from "./package-versions.ts";

workInDirectory();

const read = (packageName?: string) => readPackageVersions({ reference: "REF", path: "catalog" } as never, packageName);
const packages = (...names: readonly string[]): void =>
  void write(
    "catalog/catalog.yaml",
    names.map((name) => `schema: olm.package\nname: ${name}\ndefaultChannel: stable\n`).join("---\n"),
  );
const letters = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `p${index}`).toReversed();

test("the only package of a catalog needs no name, one of several does", () => {
  packages("kiln");
  const only = read();
  assert.ok(only.ok);
  assert.deepEqual([only.value.content.name, only.value.content.defaultChannel], ["kiln", "stable"]);
  packages("loom", "kiln");
  assert.throws(() => read(), { message: "REF holds 2 packages: name one with --package", hints: ["kiln, loom"] });
  packages(...letters(8));
  assert.throws(() => read(), { hints: ["p0, p1, p2, p3, p4, p5, p6, p7"] });
  packages(...letters(9));
  assert.throws(() => read(), { hints: ["p0, p1, p2, p3, p4, p5, p6, p7 and 1 more"] });
  write("catalog/catalog.yaml", "");
  assert.throws(() => read(), { message: "REF holds no package", hints: [""] });
});

test("a package that the catalog does not have is refused with what it holds and names that are near", () => {
  packages("loom", "kiln");
  assert.deepEqual(read("kilm"), {
    ok: false,
    problem: {
      code: "PackageNotFound",
      summary: "The catalog REF has no package kilm",
      facts: { wanted: "kilm", packages: ["kiln", "loom"], nearest: ["kiln"] },
      derivation: [{ relation: "fact", subject: "REF", text: "It holds kiln, loom" }],
      remedies: [{ summary: "Did you mean --package kiln?" }],
    },
  });
  write("catalog/catalog.yaml", "");
  const empty = read("kiln");
  assert.deepEqual(empty.ok ? [] : empty.problem.derivation.map(({ text }) => text), ["It holds none"]);
});

test("documents that cannot be read are problems of a package that can, and a refusal of a catalog without one", () => {
  write("catalog/catalog.yaml", "schema: olm.package\nname: kiln\n---\nschema: [\n");
  const found = read("kiln");
  assert.deepEqual(found.ok && found.value.problems.map(({ rule }) => rule), ["syntax"]);
  write("catalog/catalog.yaml", "schema: [\n");
  const none = read("kiln");
  assert.equal(none.ok ? "" : none.problem.derivation.length, 1);
  write("catalog/catalog.yaml", "schema: olm.package\nname: 5\n");
  assert.equal(read("kiln").ok, false);
});

test("a problem is one line, with its place where there is one", () => {
  const place = { file: "a.yaml", line: 3, pointer: "" };
  assert.deepEqual(
    [
      problemWords({ rule: "syntax", message: "a\n  b" } as never),
      problemWords({ rule: "syntax", message: "a", place } as never),
    ],
    ["a b", "a.yaml:3: a"],
  );
});
