import assert from "node:assert/strict";
import { test } from "node:test";
import { viewOf } from "../../catalog-view.ts";
import { loadCatalog } from "../../loading/load.ts";
import { smallCatalog } from "../../testing/small-catalog.ts";
import { againstFindings } from "./against-findings.ts";

const foo = (...versions: readonly string[]): string => smallCatalog("foo", versions);
const image = (version: string): string => `image: example.com/foo:v${version}\n`;
const viewIn = (text: string) => viewOf(loadCatalog([{ file: "c", text }]).blobs);

/** `RULE message; why; remedy` of each finding, with its package. */
const findingsOf = (old: string, next: string): readonly string[] =>
  againstFindings(viewIn(next), viewIn(old)).map(({ rule, message, why, remedy, packageName }) => {
    assert.equal(packageName, "foo");
    return [`${rule} ${message}`, ...(why === undefined ? [] : [why]), ...(remedy === undefined ? [] : [remedy])].join(
      "; ",
    );
  });

const two = foo("1.0.0", "1.1.0");
const tables: readonly (readonly [what: string, old: string, next: string, findings: readonly string[]])[] = [
  ["an equal catalog takes nothing from users", two, two, []],
  ["a new version takes nothing from users", two, foo("1.0.0", "1.1.0", "1.2.0"), []],
  ["removing a whole package is a decision", two + smallCatalog("bar", ["1.0.0"]), two, []],
  [
    "another image is reported with the one before",
    two,
    two.replace(image("1.0.0"), "image: example.com/other:v1\n"),
    ['PBN122 the published bundle "foo.v1.0.0" has another image; it was example.com/foo:v1.0.0'],
  ],
  [
    "a first image is reported as such",
    two.replace(image("1.0.0"), ""),
    two,
    ['PBN122 the published bundle "foo.v1.0.0" has another image; it was none'],
  ],
  [
    "other properties and related images are one finding, beside that of the image",
    two,
    two
      .replace(image("1.0.0"), `${image("2")}relatedImages: [{name: a, image: example.com/a:1}]\n`)
      .replace("kind: Thing", "kind: Other"),
    [
      'PBN122 the published bundle "foo.v1.0.0" has another image; it was example.com/foo:v1.0.0',
      'PBN123 the published bundle "foo.v1.0.0" has other properties and relatedImages',
    ],
  ],
  [
    "a removed version is reported, in its channel as well, and so is the lost path of its users",
    foo("1.0.0", "1.1.0"),
    foo("1.1.0"),
    [
      'PBN121 the published bundle "foo.v1.0.0" of package "foo" was removed',
      'PCH122 channel "stable" no longer has foo.v1.0.0',
      'PCH121 users on foo.v1.0.0 in channel "stable" lost their path (v0 and v1); no update follows on it any more',
    ],
  ],
  [
    "a removed channel is reported once",
    `${foo("1.0.0")}---\nschema: olm.channel\npackage: foo\nname: fast\nentries: [{name: foo.v1.0.0}]\n`,
    foo("1.0.0"),
    [
      'PCH121 channel "fast" of package "foo" was removed, and with it every upgrade of its users; keep the channel, and deprecate it',
    ],
  ],
];
for (const [what, old, next, findings] of tables)
  test(`against an older catalog, ${what}`, () => assert.deepEqual(findingsOf(old, next), findings));
