import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMastermindsRange } from "../../version-range.ts";
import type { Version } from "@purser/kubernetes/version";
import { viewOf } from "../catalog-view.ts";
import { loadCatalog } from "../loading/load.ts";
import { pruneCatalog } from "../prune/prune-catalog.ts";
import { smallCatalog } from "../testing/small-catalog.ts";
import { diffCatalogs } from "./catalog-diff.ts";
import { diffRows, formatDiff } from "./diff-text.ts";

// Cases of opm's former `alpha diff`, which printed a catalog of what is new. Here `catalog diff` reports what is new, and
// `catalog prune` makes the catalog.
const blobsOf = (text: string) => loadCatalog([{ file: "c", text }]).blobs;

function diffLines(old: string, next: string): readonly string[] {
  const text = formatDiff(diffRows(diffCatalogs(viewOf(blobsOf(old)), viewOf(blobsOf(next)))));
  return text === "" ? [] : text.split("\n");
}

/** What is left of a catalog, as `channel: entry<replaced`, with the default channel first. */
function pruned(text: string, ...keeps: readonly string[]): readonly string[] {
  const wanted = keeps.map((keep) => {
    const [packageName = "", range = ""] = keep.split("@");
    const parsed = range === "" ? undefined : parseMastermindsRange(range);
    assert.ok(parsed?.ok !== false);
    return {
      packageName,
      range,
      includes: (version: Version) => parsed?.value.includes(version) ?? true,
    };
  });
  return pruneCatalog(blobsOf(text), wanted).blobs.flatMap(({ content, name, packageName }) => {
    if (content.kind === "package") return [`${name} by ${content.defaultChannel}`];
    if (content.kind !== "channel") return [];
    const entries = content.entries.map((entry) =>
      entry.replaces === "" ? entry.name : `${entry.name}<${entry.replaces}`,
    );
    return [`${packageName} ${name}: ${entries.join(" ")}`];
  });
}

const bundle = (name: string, version: string, more = ""): string =>
  `---\nschema: olm.bundle\npackage: ${name}\nname: ${name}.v${version}\nimage: example.com/${name}:v${version}\nproperties:\n- type: olm.package\n  value: {packageName: ${name}, version: ${version}}\n${more}`;
const requires = (name: string, range: string): string =>
  `- type: olm.package.required\n  value: {packageName: ${name}, versionRange: '${range}'}\n`;
const pack = (name: string, defaultChannel: string, channels: Readonly<Record<string, string>>): string =>
  `---\nschema: olm.package\nname: ${name}\ndefaultChannel: ${defaultChannel}\n${Object.entries(channels)
    .map(([channel, entries]) => `---\nschema: olm.channel\npackage: ${name}\nname: ${channel}\nentries: ${entries}\n`)
    .join("")}`;

const one = smallCatalog("foo", ["0.1.0"]);
const reordered = one.replace(/(- type: olm\.package\n(?: {2}.*\n)+)(- type: olm\.gvk\n.*\n)/, "$2$1");
const grown = one + requires("etcd", ">=0.9.0");
const older =
  pack("foo", "stable", {
    stable: "[{name: foo.v0.1.0}]",
    fast: "[{name: foo.v0.1.0-alpha.0}, {name: foo.v0.1.0-alpha.1, replaces: foo.v0.1.0-alpha.0}]",
  }) +
  bundle("foo", "0.1.0") +
  bundle("foo", "0.1.0-alpha.0") +
  bundle("foo", "0.1.0-alpha.1");
const newer =
  pack("foo", "stable", {
    stable: "[{name: foo.v0.1.0}, {name: foo.v0.2.0, replaces: foo.v0.1.0, skips: [foo.v0.1.0]}]",
    fast: "[{name: foo.v0.1.0-alpha.0}, {name: foo.v0.1.0-alpha.1, replaces: foo.v0.1.0-alpha.0}]",
    clusterwide: "[{name: foo.v0.1.0}]",
  }) +
  bundle("foo", "0.1.0", "- type: extra\n  value: 1\n") +
  bundle("foo", "0.1.0-alpha.0") +
  bundle("foo", "0.1.0-alpha.1") +
  bundle("foo", "0.2.0");

const diffs: readonly (readonly [what: string, old: string, next: string, lines: readonly RegExp[]])[] = [
  ["two empty catalogs do not differ", "", "", []],
  ["a bundle does not differ from itself", one, one, []],
  ["the order of properties does not count", one, reordered, []],
  [
    "a new requirement of a published bundle is reported with its package",
    one,
    grown,
    [/^! foo {2}.*foo\.v0\.1\.0 changed: properties/],
  ],
  [
    "a new version, a new channel and a changed bundle are reported, an unchanged channel is not",
    older,
    newer,
    [/foo\.v0\.1\.0 changed: properties/, /\+0\.2\.0 in stable \(head\)/, /clusterwide/],
  ],
];
for (const [what, old, next, lines] of diffs)
  test(what, () => {
    const text = diffLines(old, next);
    if (lines.length === 0) assert.deepEqual(text, []);
    for (const line of lines) assert.match(text.join("\n"), line);
    assert.doesNotMatch(text.join("\n"), /fast/);
  });

const etcd = smallCatalog("etcd", ["0.9.0", "0.9.1", "0.9.2", "0.9.3"]);
const foo = pack("foo", "stable", { stable: "[{name: foo.v0.1.0}]" });
const bar =
  pack("bar", "alpha", {
    stable: "[{name: bar.v0.1.0}, {name: bar.v0.2.0, replaces: bar.v0.1.0}]",
    alpha: "[{name: bar.v0.3.0-alpha}]",
  }) + ["0.1.0", "0.2.0", "0.3.0-alpha"].map((version) => bundle("bar", version)).join("");

const prunings: readonly (readonly [what: string, text: string, keeps: readonly string[], left: readonly string[]])[] =
  [
    [
      "a requirement that is already met adds no bundle",
      etcd + foo + bundle("foo", "0.1.0", requires("etcd", ">=0.9.0")),
      ["foo", "etcd@0.9.0"],
      ["etcd by stable", "etcd stable: etcd.v0.9.0", "foo by stable", "foo stable: foo.v0.1.0"],
    ],
    [
      "each of two required ranges adds its highest provider",
      etcd + foo + bundle("foo", "0.1.0", requires("etcd", ">=0.9.0 <0.9.2") + requires("etcd", ">=0.9.2")),
      ["foo"],
      [
        "etcd by stable",
        "etcd stable: etcd.v0.9.1<etcd.v0.9.0 etcd.v0.9.2<etcd.v0.9.1 etcd.v0.9.3<etcd.v0.9.2",
        "foo by stable",
        "foo stable: foo.v0.1.0",
      ],
    ],
    [
      "a required API adds its provider",
      etcd +
        foo +
        bundle(
          "foo",
          "0.1.0",
          "- type: olm.gvk.required\n  value: {group: etcd.example.com, kind: Thing, version: v1}\n",
        ),
      ["foo"],
      ["etcd by stable", "etcd stable: etcd.v0.9.3<etcd.v0.9.2", "foo by stable", "foo stable: foo.v0.1.0"],
    ],
    [
      "one package alone; another channel becomes the default when the default one is removed",
      etcd + bar,
      ["bar@0.2.0"],
      ["bar by stable", "bar stable: bar.v0.2.0<bar.v0.1.0"],
    ],
    [
      "the graph from a version up to the head is kept",
      smallCatalog("foo", ["0.1.0", "0.1.1", "0.2.0", "0.3.0"]),
      ["foo@>=0.2.0"],
      ["foo by stable", "foo stable: foo.v0.2.0<foo.v0.1.1 foo.v0.3.0<foo.v0.2.0"],
    ],
    ["pruning an empty catalog gives an empty catalog", "", ["foo"], []],
    ["keeping a version that does not exist gives an empty catalog and no error", one, ["foo@9.9.9"], []],
  ];
for (const [what, text, keeps, left] of prunings)
  test(what, () => {
    assert.deepEqual(pruned(text, ...keeps), left);
  });
