import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { wantedDirectories } from "./wanted-directories.ts";

test("a directory that is named stands in for the label of a catalog, and must be a path of the image", () => {
  for (const [directory, shows] of [
    ["/other//x/", ["other", "x"]],
    ["/", []],
    ["", 'the directory "" of the catalog cannot be read: the path is empty'],
    ["../x", 'the directory "../x" of the catalog cannot be read: the path holds ".."'],
  ] as const) {
    const found = wantedDirectories("catalog", { [configs]: "/configs" }, directory);
    assert.deepEqual(found.ok ? found.value.directory : found.problem.cause, shows);
  }
});

const configs = "operators.operatorframework.io.index.configs.v1";
const bundle = "operators.operatorframework.io.bundle.";
const database = "operators.operatorframework.io.index.database.v1";

type Labels = Readonly<Record<string, string>>;
const cases: readonly (readonly [
  given: string,
  wanted: "catalog" | "bundle" | "any",
  labels: Labels,
  shows: string,
])[] = [
  ["a catalog label", "catalog", { [configs]: "/configs" }, "catalog configs; in configs"],
  ["a catalog label with slashes", "catalog", { [configs]: "//a//./b/" }, "catalog a/b; in a/b"],
  ["a catalog in the root", "catalog", { [configs]: "/" }, "catalog ; in "],
  ["no catalog label", "catalog", { a: "b" }, `catalog image is missing the required label "${configs}"`],
  ["a catalog label that leaves the image", "catalog", { [configs]: "/configs/../.." }, 'the path holds ".."'],
  ["no bundle labels", "bundle", {}, "bundle manifests metadata; in "],
  [
    "bundle labels",
    "bundle",
    { [`${bundle}manifests.v1`]: "bundle/manifests/", [`${bundle}metadata.v1`]: "bundle/metadata/" },
    "bundle bundle/manifests bundle/metadata; in bundle",
  ],
  [
    "bundle labels with unusual names",
    "bundle",
    { [`${bundle}manifests.v1`]: "deploy/olm/", [`${bundle}metadata.v1`]: "meta/" },
    "bundle deploy/olm meta; in ",
  ],
  ["a bundle label that leaves the image", "bundle", { [`${bundle}manifests.v1`]: "../x" }, 'the path holds ".."'],
  ["either, and a catalog label", "any", { [configs]: "/c", [`${bundle}package.v1`]: "p" }, "catalog c; in c"],
  ["either, and a package label", "any", { [`${bundle}package.v1`]: "p" }, "bundle manifests metadata; in "],
  ["either, and no label", "any", { b: "", a: "" }, "image type could not be determined, found labels [a b]"],
  ["either, and a database", "any", { [database]: "/x.db" }, `found labels [${database}]`],
  [
    "labels named like the prototype's members",
    "any",
    JSON.parse('{"__proto__":"x"}') as Labels,
    "found labels [__proto__]",
  ],
];

describe("wantedDirectories", () => {
  for (const [given, wanted, labels, shows] of cases)
    test(`${given}, wanted as ${wanted}`, () => {
      const found = wantedDirectories(wanted, labels);
      if (!found.ok) {
        assert.ok(found.problem.cause.includes(shows), found.problem.cause);
        return;
      }
      const { kind, required, directory } = found.value;
      const directories = required.map((path) => path.join("/")).join(" ");
      assert.equal(`${kind} ${directories}; in ${directory.join("/")}`, shows);
    });

  test("scorecard tests of a bundle are optional", () => {
    const found = wantedDirectories("bundle", {});
    assert.ok(found.ok);
    assert.deepEqual(found.value.optional, [["tests", "scorecard"]]);
  });

  test("a database is named as what is not supported", () => {
    const found = wantedDirectories("any", { [database]: "/x.db" });
    assert.ok(!found.ok && found.problem.remedy.includes("SQLite"));
  });
});
