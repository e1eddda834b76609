import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "./loading/load.ts";
import { faultsText, maxFaultyPackages, packageFaults } from "./package-fault.ts";
import { smallCatalog } from "./testing/small-catalog.ts";
import { validateCatalog } from "./validate.ts";

const broken = "---\nschema: olm.channel\n  oops: [";
const noVersion = (name: string): string =>
  smallCatalog(name, ["1.0.0"]).replace(/properties:\n[^]*version: 1\.0\.0\n/, "properties:\n");
const odd = (name: string): string => `---\nschema: olm.bundle\npackage: ${name}\nname: ${name}.v2\nproperties: 3\n`;

function faultsIn(files: Readonly<Record<string, string>>): readonly string[] | undefined {
  const { blobs, problems } = loadCatalog(
    Object.entries(files).map(([file, text]) => ({ file: `/root/${file}`, text })),
  );
  return packageFaults([...problems, ...validateCatalog(blobs)], blobs, "/root")?.map(
    ({ packageName, cause }) => `${packageName}: ${cause}`,
  );
}

const good = smallCatalog("good", ["1.0.0"]);

const table: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[] | undefined])[] = [
  [
    "a rule that a package breaks belongs to the package",
    { "all.yaml": good + noVersion("bad") },
    ['bad: all.yaml:34: package "bad" bundle "bad.v1.0.0" must have exactly 1 "olm.package" property, found 0'],
  ],
  [
    "a document of a wrong type belongs to the package that it names",
    { "all.yaml": good + smallCatalog("bad", ["1.0.0"], odd("bad")) },
    [
      "bad: all.yaml:49:1 /properties: parse bundle: json: cannot unmarshal number into Go struct field Bundle.properties of type []property.Property",
    ],
  ],
  [
    "a file that cannot be read belongs to the packages of its other documents",
    { "x.yaml": good, "y.yaml": smallCatalog("bad", ["1.0.0"]) + broken },
    ["bad: y.yaml:25:7: mapping values are not allowed in this context"],
  ],
  [
    "a file without a readable document belongs to the packages of its directory",
    { "x.yaml": good, "dir/a.yaml": smallCatalog("bad", ["1.0.0"]), "dir/b.yaml": broken },
    ["bad: dir/b.yaml:3:7: mapping values are not allowed in this context"],
  ],
  [
    "a file alone in a directory belongs to the package that the directory is named after",
    { "x.yaml": good, "dir/bad/b.yaml": broken },
    ["bad: dir/bad/b.yaml:3:7: mapping values are not allowed in this context"],
  ],
  [
    "a file in the root without a readable document belongs to the catalog",
    { "x.yaml": good, "y.yaml": broken },
    undefined,
  ],
  [
    "such a file does not belong to the packages of other files in the root",
    { "dir/x.yaml": good, "x.yaml": smallCatalog("other", ["1.0.0"]), "y.yaml": broken },
    undefined,
  ],
  ["a catalog without a sound package is at fault itself", { "x.yaml": noVersion("bad") }, undefined],
  [
    "a document of no package belongs to the packages of its file only",
    { "x.yaml": `${good}---\nschema: olm.package\n`, "y.yaml": smallCatalog("other", ["1.0.0"]) },
    ["good: x.yaml:24: config contains package with no name"],
  ],
];

for (const [claim, files, expected] of table) test(claim, () => assert.deepEqual(faultsIn(files), expected));

test("a text names ten packages and counts the others", () => {
  const faults = Array.from({ length: 12 }, (_, index) => ({ packageName: `p${index}`, cause: "broken" }));
  assert.equal(faultsText(faults.slice(0, 2)), "p0: broken; p1: broken");
  assert.ok(faultsText(faults).endsWith("; p9: broken; and 2 more"));
});

test("a long cause is cut to 500 characters, and problems beside the first are counted", () => {
  const problem = { rule: "property", message: "x".repeat(600), packageName: "bad" } as const;
  const { blobs } = loadCatalog([{ file: "a", text: good }]);
  assert.deepEqual(packageFaults([problem, problem, problem], blobs, "/root"), [
    { packageName: "bad", cause: `${"x".repeat(499)}… (and 2 more)` },
  ]);
});

test("with too many faulty packages the catalog is at fault itself", () => {
  const { blobs } = loadCatalog([{ file: "a", text: good }]);
  const problems = (count: number) =>
    Array.from(
      { length: count },
      (_, index) => ({ rule: "property", message: "m", packageName: `p${index}` }) as const,
    );
  assert.equal(packageFaults(problems(maxFaultyPackages), blobs, "/root")?.length, maxFaultyPackages);
  assert.equal(packageFaults(problems(maxFaultyPackages + 1), blobs, "/root"), undefined);
});
