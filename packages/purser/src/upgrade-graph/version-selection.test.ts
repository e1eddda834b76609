import assert from "node:assert/strict";
import { test } from "node:test";
import { shortPackage } from "./testing/short-package.ts";
import { upgradeGraph } from "./upgrade-graph.ts";
import { selectBundles } from "./version-selection.ts";

const declared = shortPackage("c: 1.2.0 r=1.1.0; 1.2.0+1; 1.1.0; 1.1.0-rc.1; 1.10.0; 0.9.0 | d: 2.0.0 r=1.5.0");
const released = { name: "released", version: "1.3.0", release: "2" };
const graph = upgradeGraph({ ...declared, bundles: [...declared.bundles, released] });

const tables: readonly (readonly [what: string, text: string, versions: readonly string[]])[] = [
  ["the name of a bundle", "p.v1.1.0", ["p.v1.1.0"]],
  ["a version", "1.1.0", ["p.v1.1.0"]],
  ["a version with a v", "v1.1.0", ["p.v1.1.0"]],
  ["a version with spaces around it", " 1.1.0 ", ["p.v1.1.0"]],
  ["a version with its build", "1.2.0+1", ["p.v1.2.0+1"]],
  ["a version as it is written before one of the same precedence", "1.2.0", ["p.v1.2.0"]],
  ["a version with the release that a bundle states apart", "1.3.0+2", ["released"]],
  ["a version without the release of its bundle", "1.3.0", ["released"]],
  ["a version with another release", "1.3.0+3", []],
  ["a version that no bundle has", "1.4.0", []],
  ["the version in the name of a bundle that the catalog does not have", "1.5.0", ["p.v1.5.0"]],
  ["a prerelease", "1.1.0-rc.1", ["p.v1.1.0-rc.1"]],
  ["a minor, not those that begin like it", "1.1", ["p.v1.1.0", "p.v1.1.0-rc.1"]],
  ["a minor with zeros", "v01.01", ["p.v1.1.0", "p.v1.1.0-rc.1"]],
  ["a major", "0", ["p.v0.9.0"]],
  ["a range", ">=1.10 <3", ["p.v2.0.0", "p.v1.10.0"]],
  ["a text that is none of them", "newest", []],
];
for (const [what, text, names] of tables)
  test(`bundles are selected by ${what}`, () =>
    assert.deepEqual(
      selectBundles(graph, text).map(({ name }) => name),
      names,
    ));
