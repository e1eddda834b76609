import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseMastermindsRange } from "../../version-range.ts";
import { encodeBlob } from "../opm/encode-blob.ts";
import { checkCatalog } from "../lint/check-catalog.ts";
import { loadCatalog } from "../loading/load.ts";
import { smallCatalog } from "../testing/small-catalog.ts";
import { done } from "@purser/kubernetes/result";
import { type Keep, pruneCatalog, type PrunedCatalog } from "./prune-catalog.ts";

const keepOf = (text: string): Keep => {
  const [packageName = "", range = ""] = text.split("@");
  const parsed = range === "" ? undefined : parseMastermindsRange(range);
  assert.ok(parsed?.ok !== false);
  return { packageName, range, includes: (version) => parsed?.value.includes(version) ?? true };
};
const prune = (text: string, ...keeps: readonly string[]): PrunedCatalog =>
  pruneCatalog(loadCatalog([{ file: "in", text }]).blobs, keeps.map(keepOf));

/** What is wrong with what is left, read again from its text. */
const faults = ({ blobs }: PrunedCatalog): readonly string[] => {
  const text = blobs
    .map((blob) => {
      const json = encodeBlob(blob, "none");
      assert.ok(json.ok);
      return json.value;
    })
    .join("\n");
  return checkCatalog([done({ file: "out", text })]).findings.map(({ message }) => message);
};
const entriesOf = ({ blobs }: PrunedCatalog, channel: string) =>
  blobs.flatMap(({ name, content }) => (content.kind === "channel" && name === channel ? content.entries : []));

test("a gap in the chain of replacements is closed and the versions in it are skipped", () => {
  const pruned = prune(smallCatalog("foo", ["1.0.0", "1.1.0", "1.2.0", "1.3.0"]), "foo@1.0.0 || 1.3.0");
  assert.deepEqual(entriesOf(pruned, "stable"), [
    { name: "foo.v1.0.0", replaces: "", skips: [], skipRange: "" },
    { name: "foo.v1.3.0", replaces: "foo.v1.0.0", skips: ["foo.v1.2.0", "foo.v1.1.0"], skipRange: "" },
  ]);
  assert.deepEqual(pruned.packages, [
    {
      name: "foo",
      kept: ["foo.v1.0.0", "foo.v1.3.0"],
      dropped: ["foo.v1.1.0", "foo.v1.2.0"],
      notes: ["channel stable: foo.v1.3.0 now replaces foo.v1.0.0 and skips foo.v1.2.0, foo.v1.1.0"],
    },
  ]);
  assert.deepEqual(faults(pruned), []);
});

test("a note names versions below the kept ones, which do not reach the head any more", () => {
  const pruned = prune(smallCatalog("foo", ["1.0.0", "1.1.0", "1.2.0"]), "foo@>=1.2");
  assert.deepEqual(pruned.packages[0]?.notes, ["channel stable: users on 1.0.0 no longer reach its head"]);
  assert.deepEqual(faults(pruned), []);
});

const bundle = (name: string, version: string, properties = ""): string =>
  `---\nschema: olm.bundle\npackage: ${name}\nname: ${name}.v${version}\nimage: example.com/${name}:v${version}\nproperties:\n- type: olm.package\n  value: {packageName: ${name}, version: ${version}}\n${properties}`;
const requires = (packageName: string, range: string): string =>
  `- type: olm.package.required\n  value: {packageName: ${packageName}, versionRange: '${range}'}\n`;
const pack = (name: string, channels: Readonly<Record<string, string>>, defaultChannel = "stable"): string =>
  `---\nschema: olm.package\nname: ${name}\ndefaultChannel: ${defaultChannel}\n${Object.entries(channels)
    .map(([channel, entries]) => `---\nschema: olm.channel\npackage: ${name}\nname: ${channel}\nentries: ${entries}\n`)
    .join("")}`;

test("requirements add the highest provider of each range and its path to the head", () => {
  const text = [
    pack("foo", { stable: "[{name: foo.v1.0.0}]" }),
    bundle("foo", "1.0.0", requires("bar", ">=0.9.0 <0.9.2") + requires("bar", ">=0.9.2 <1.0.0")),
    smallCatalog("bar", ["0.9.0", "0.9.1", "0.9.2", "0.9.3", "1.0.0"]),
    smallCatalog("other", ["1.0.0"]),
  ].join("");
  const pruned = prune(text, "foo");
  assert.deepEqual(pruned.droppedPackages, ["other"]);
  assert.deepEqual(
    pruned.packages.map(({ name, kept, requiredBy }) => [name, kept, requiredBy]),
    [
      ["foo", ["foo.v1.0.0"], undefined],
      [
        "bar",
        ["bar.v0.9.1", "bar.v0.9.2", "bar.v0.9.3", "bar.v1.0.0"],
        "foo.v1.0.0 requires package bar >=0.9.0 <0.9.2",
      ],
    ],
  );
  assert.deepEqual(faults(pruned), []);
});

test("a required API adds its provider unless a kept bundle provides it, and unmet requirements are reported", () => {
  const gvk = "- type: olm.gvk.required\n  value: {group: bar.example.com, kind: Thing, version: v1}\n";
  const text = [
    pack("foo", { stable: "[{name: foo.v1.0.0}]" }),
    bundle("foo", "1.0.0", gvk + requires("nothing", ">=1.0.0")),
    smallCatalog("bar", ["1.0.0", "2.0.0"]),
  ].join("");
  assert.deepEqual(prune(text, "foo").packages[1]?.kept, ["bar.v2.0.0"]);
  assert.deepEqual(prune(text, "foo", "bar@1.0.0").packages[1]?.kept, ["bar.v1.0.0"]);
  assert.deepEqual(prune(text, "foo").unmet, ["foo.v1.0.0 requires package nothing >=1.0.0"]);
});

test("a default channel that is left stays the default, also below another one", () => {
  const text = [
    pack("foo", { stable: "[{name: foo.v1.0.0}]", fast: "[{name: foo.v2.0.0}]" }),
    bundle("foo", "1.0.0"),
    bundle("foo", "2.0.0"),
  ].join("");
  const pruned = prune(text, "foo");
  assert.deepEqual(pruned.packages[0]?.notes, []);
  assert.deepEqual(
    pruned.blobs.flatMap(({ content }) => (content.kind === "package" ? [content.defaultChannel] : [])),
    ["stable"],
  );
});

test("the channel with the highest version becomes the default, and deprecations of removed objects are removed", () => {
  const text = [
    pack("foo", { stable: "[{name: foo.v1.0.0}]", fast: "[{name: foo.v2.0.0}]", beta: "[{name: foo.v2.0.0}]" }),
    bundle("foo", "1.0.0"),
    bundle("foo", "2.0.0"),
    "---\nschema: olm.deprecations\npackage: foo\nentries:\n- reference: {schema: olm.bundle, name: foo.v1.0.0}\n  message: old\n- reference: {schema: olm.channel, name: fast}\n  message: old\n",
  ].join("");
  const pruned = prune(text, "foo@>=2");
  assert.deepEqual(pruned.packages[0]?.notes, [
    "channel stable is removed: none of its versions is kept",
    "the default channel is now beta, because stable is removed",
  ]);
  assert.deepEqual(
    pruned.blobs.flatMap(({ content }) => (content.kind === "deprecations" ? content.entries : [])),
    [{ schema: "olm.channel", name: "fast", message: "old" }],
  );
  assert.deepEqual(faults(pruned), []);
});

test("a skipped version whose skipping entry is removed is skipped by the new head", () => {
  const text = [
    pack("foo", {
      stable: "[{name: foo.v1.0.0}, {name: foo.v1.1.0}, {name: foo.v1.2.0, replaces: foo.v1.0.0, skips: [foo.v1.1.0]}]",
    }),
    ...["1.0.0", "1.1.0", "1.2.0"].map((version) => bundle("foo", version)),
  ].join("");
  const pruned = prune(text, "foo@<1.2.0");
  assert.deepEqual(entriesOf(pruned, "stable"), [
    { name: "foo.v1.0.0", replaces: "", skips: [], skipRange: "" },
    { name: "foo.v1.1.0", replaces: "", skips: ["foo.v1.0.0"], skipRange: "" },
  ]);
  assert.deepEqual(faults(pruned), []);
});

const graph = fc.array(
  fc.record({ replaces: fc.nat(), skips: fc.array(fc.nat(), { maxLength: 2 }), keep: fc.boolean() }),
  {
    minLength: 1,
    maxLength: 9,
  },
);

test("any pruned part of a valid catalog validates", () => {
  fc.assert(
    fc.property(graph, (nodes) => {
      const name = (index: number): string => `foo.v1.${index}.0`;
      const entries = nodes.map(({ replaces, skips }, index) => ({
        name: name(index),
        ...(index === 0 ? {} : { replaces: name(replaces % index), skips: skips.map((skip) => name(skip % index)) }),
      }));
      const text =
        pack("foo", { stable: JSON.stringify(entries) }) +
        nodes.map((_, index) => bundle("foo", `1.${index}.0`)).join("");
      const isValid = checkCatalog([done({ file: "in", text })]).findings.length === 0;
      fc.pre(isValid && nodes.some(({ keep }) => keep));
      const { blobs } = loadCatalog([{ file: "in", text }]);
      const pruned = pruneCatalog(blobs, [
        { packageName: "foo", range: "", includes: ({ minor }) => nodes[Number(minor)]?.keep === true },
      ]);
      assert.deepEqual(faults(pruned), []);
    }),
    { numRuns: 400 },
  );
});
