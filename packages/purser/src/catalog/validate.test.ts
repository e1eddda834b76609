import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "@purser/kubernetes/json";
import { loadCatalog } from "./loading/load.ts";
import { opmProblem } from "./opm/validate.ts";
import { formatTree, type ProblemNode, validateCatalog } from "./validate.ts";

type Blob = Readonly<Record<string, JsonValue>>;

const pack = (name: string, more: Blob = {}): Blob => ({
  schema: "olm.package",
  name,
  defaultChannel: "alpha",
  ...more,
});
const channel = (entries: readonly (string | Blob)[], more: Blob = {}): Blob => ({
  schema: "olm.channel",
  package: "foo",
  name: "alpha",
  entries: entries.map((entry) => (typeof entry === "string" ? { name: entry } : entry)),
  ...more,
});
const own = (version: string, more: Blob = {}, packageName = "foo"): JsonValue => ({
  type: "olm.package",
  value: { packageName, version, ...more },
});
const bundle = (name: string, properties: readonly JsonValue[], more: Blob = {}): Blob => ({
  schema: "olm.bundle",
  package: "foo",
  name,
  image: "registry.example/foo:v1",
  properties,
  ...more,
});
const deprecations = (entries: readonly JsonValue[], more: Blob = {}): Blob => ({
  schema: "olm.deprecations",
  package: "foo",
  entries,
  ...more,
});
const refer = (schema: string, name: string, message = "old"): JsonValue => ({ reference: { schema, name }, message });

const foo = "foo.v0.1.0";
const fooBundle = bundle(foo, [own("0.1.0")]);
const sound = [pack("foo"), channel([foo]), fooBundle];

function said(blobs: readonly Blob[]): string | undefined {
  const text = blobs.map((blob) => JSON.stringify(blob)).join("\n");
  const { blobs: loaded, problems } = loadCatalog([{ file: "c.json", text }]);
  assert.deepEqual(problems, []);
  return opmProblem(loaded.map((value) => ({ ok: true, value })));
}

/** A tree in which every node has one child. */
function tree(...path: readonly string[]): string {
  const node = (at: number): ProblemNode => ({
    message: path[at] ?? "",
    children: at + 1 < path.length ? [node(at + 1)] : [],
  });
  return formatTree(node(0));
}

const index = "invalid index";
const fooNode = 'invalid package "foo"';
const alphaNode = 'invalid channel "alpha"';

test("a valid catalog has no problem", () => {
  assert.equal(said(sound), undefined);
  assert.equal(said([]), undefined);
  assert.equal(
    said([pack("foo", { properties: [] }), channel([foo], { properties: [own("1.0.0")] }), fooBundle]),
    undefined,
  );
});

test("problems of joining the blobs are reported alone, in upstream's words and order", () => {
  const withBundle = (more: Blob, properties: readonly JsonValue[] = [own("0.1.0")]): readonly Blob[] => [
    pack("foo"),
    channel([foo]),
    bundle(foo, properties, more),
  ];
  const cases: readonly (readonly [string, readonly Blob[], string])[] = [
    ["package without name", [pack("")], "config contains package with no name"],
    [
      "bundle without package",
      [...sound.slice(0, 2), bundle(foo, [], { package: "" })],
      `package name must be set for bundle "${foo}"`,
    ],
    [
      "bundle of an undeclared package",
      [pack("foo"), bundle("bar.v0.1.0", [], { package: "bar" })],
      'unknown package "bar" for bundle "bar.v0.1.0"',
    ],
    [
      "package without channels",
      [pack("foo"), fooBundle],
      `package "foo", bundle "${foo}" not found in any channel entries`,
    ],
    [
      "property without value",
      withBundle({}, [own("0.1.0"), { type: "olm.foo", value: 1 }, { type: "olm.foo" }]),
      `parse properties for bundle "${foo}": parse property[2] of type "olm.foo": unexpected end of JSON input`,
    ],
    [
      "property of another package",
      withBundle({}, [own("0.1.0", {}, "foooperator")]),
      'package "foo" does not match "olm.package" property "foooperator"',
    ],
    [
      "four-part version",
      withBundle({}, [own("0.1.0.1")]),
      `error parsing bundle "${foo}" version "0.1.0.1": Invalid character(s) found in patch number "0.1"`,
    ],
    ["empty version", withBundle({}, [own("")]), `error parsing bundle "${foo}" version "": Version string empty`],
    [
      "no package property",
      withBundle({}, []),
      `package "foo" bundle "${foo}" must have exactly 1 "olm.package" property, found 0`,
    ],
    [
      "two package properties",
      withBundle({}, [own("0.1.0"), own("0.1.0")]),
      `package "foo" bundle "${foo}" must have exactly 1 "olm.package" property, found 2`,
    ],
    [
      "entry without bundle",
      [pack("foo"), channel([foo])],
      `no olm.bundle blobs found in package "foo" for olm.channel entries [${foo}]`,
    ],
    [
      "bundle without entry",
      [...sound, bundle("foo.v0.2.0", [own("0.2.0")])],
      'package "foo", bundle "foo.v0.2.0" not found in any channel entries',
    ],
    [
      "channel without name",
      [pack("foo"), channel([foo], { name: "" })],
      'package "foo" contains channel with no name',
    ],
    [
      "channel without package",
      [pack("foo"), channel([foo], { package: "" })],
      'unknown package "" for channel "alpha"',
    ],
    [
      "channel of nothing",
      [pack("foo"), channel([foo], { package: "non-existent" })],
      'unknown package "non-existent" for channel "alpha"',
    ],
    [
      "repeated entry",
      [pack("foo"), channel([foo, foo]), fooBundle],
      `invalid package "foo", channel "alpha": duplicate entry "${foo}"`,
    ],
    ["repeated package", [pack("foo"), pack("foo")], 'duplicate package "foo"'],
    ["dots in a package name", [pack("foo.bar")], 'invalid package name "foo.bar": [must not contain dots]'],
    ["repeated channel", [pack("foo"), channel([foo]), channel([foo])], 'package "foo" has duplicate channel "alpha"'],
    ["repeated bundle", [...sound, fooBundle], `package "foo" has duplicate bundle "${foo}"`],
    [
      "deprecations without package",
      [...sound, deprecations([], { package: "" })],
      "package name must be set for deprecation item 0",
    ],
    [
      "deprecated bundle that is missing",
      [...sound, deprecations([refer("olm.bundle", "foo.v2.0.0")])],
      'cannot deprecate bundle "foo.v2.0.0" for package "foo": bundle not found',
    ],
    [
      "deprecated channel that is missing",
      [...sound, deprecations([refer("olm.channel", "beta")])],
      'cannot deprecate channel "beta" for package "foo": channel not found',
    ],
    [
      "deprecated package with a name",
      [...sound, deprecations([refer("olm.package", "foo")])],
      'package name must be empty for deprecated package "foo" (specified "foo")',
    ],
    [
      "deprecations of nothing",
      [...sound, deprecations([], { package: "nyarl" })],
      'cannot apply deprecations to an unknown package "nyarl"',
    ],
    [
      "two deprecations",
      [...sound, deprecations([]), deprecations([])],
      'expected a maximum of one deprecation per package: "foo"',
    ],
    [
      "no reference schema",
      [...sound, deprecations([refer("", foo)])],
      'schema must be set for deprecation entry [0] for package "foo"',
    ],
    [
      "unknown reference schema",
      [...sound, deprecations([refer("badschema", "foo.v2.0.0")])],
      'cannot deprecate object declcfg.PackageScopedReference{Schema:"badschema", Name:"foo.v2.0.0"} referenced by entry 0 for package "foo": object schema unknown',
    ],
    [
      "same reference twice",
      [...sound, deprecations([refer("olm.bundle", foo), refer("olm.bundle", foo)])],
      `duplicate deprecation entry declcfg.PackageScopedReference{Schema:"olm.bundle", Name:"${foo}"} for package "foo"`,
    ],
    [
      "release of no known form",
      withBundle({}, [own("0.1.0", { release: "!!!" })]),
      `error parsing bundle "${foo}" release version "!!!": invalid release "!!!": segment 0: Invalid character(s) found in prerelease "!!!"`,
    ],
  ];
  for (const [name, blobs, message] of cases) assert.equal(said(blobs), message, name);
});

test("image references are checked where there are any", () => {
  const digest = "0".repeat(64);
  const withImage = (image: string, related: string): string | undefined =>
    said([
      ...sound.slice(0, 2),
      {
        ...fooBundle,
        image,
        relatedImages: [
          { name: "", image: "" },
          { name: "r", image: related },
        ],
      },
    ]);
  const good = [`a/b@sha256:${digest}`, `registry.example/a:v1@sha256:${digest}`, "foo:v1", "localhost:5000/a"];
  for (const image of good) assert.equal(withImage(image, image), undefined, image);
  const bad = [
    "a@sha256:abc",
    "a@md5:0123456789abcdef0123456789abcdef",
    `a@sha256:${digest.slice(1)}`,
    "A/b",
    "a b",
    `a@sha256:${digest.slice(1)}G`,
  ];
  for (const image of bad) {
    const [own_, related] = [withImage(image, ""), withImage("a", image)];
    assert.match(own_ ?? "", new RegExp(`^package "foo" bundle "${foo}" image: invalid image pull spec `), image);
    assert.match(related ?? "", /relatedImages\[1\]\.image: invalid image pull spec /, image);
  }
  // A name that was good before says nothing about a digest.
  assert.match(withImage(`a/b@sha256:${digest}`, `a/b@sha256:${digest.slice(1)}g`) ?? "", /relatedImages\[1\]/);
});

test("default channels, missing images and empty deprecation messages are leaves of the tree", () => {
  assert.equal(
    said([pack("foo", { defaultChannel: "" }), ...sound.slice(1)]),
    tree(index, fooNode, "default channel must be set"),
  );
  assert.equal(
    said([pack("foo", { defaultChannel: "bar" }), ...sound.slice(1)]),
    tree(index, fooNode, 'invalid channel "bar"', "channel must contain at least one bundle"),
  );
  assert.equal(
    said([...sound.slice(0, 2), { ...fooBundle, image: "" }]),
    tree(index, fooNode, alphaNode, `invalid bundle "${foo}"`, "bundle image must be set"),
  );
  const objects = { type: "olm.bundle.object", value: { data: btoa('{"kind":"ConfigMap"}') } };
  assert.equal(said([...sound.slice(0, 2), bundle(foo, [own("0.1.0"), objects], { image: "" })]), undefined);
  const empty = "invalid deprecation: message must be set";
  const deprecate = (schema: string, name: string): string | undefined =>
    said([...sound, deprecations([refer(schema, name, "")])]);
  assert.equal(deprecate("olm.package", ""), tree(index, fooNode, empty));
  assert.equal(deprecate("olm.channel", "alpha"), tree(index, fooNode, alphaNode, empty));
  assert.equal(deprecate("olm.bundle", foo), tree(index, fooNode, alphaNode, `invalid bundle "${foo}"`, empty));
  // The empty channel that stands in for a missing default may be deprecated.
  const inDefault = [
    pack("foo", { defaultChannel: "bar" }),
    ...sound.slice(1),
    deprecations([refer("olm.channel", "bar")]),
  ];
  assert.match(said(inDefault) ?? "", /channel must contain at least one bundle$/);
});

test("a bundle with a release is named after package, version and release, and its version has no build metadata", () => {
  const named = (name: string, version: string, release: string): string | undefined =>
    said([pack("foo"), channel([name]), bundle(name, [own(version, { release })])]);
  assert.equal(named("foo-v0.1.0-alpha.1.0.0", "0.1.0", "alpha.1.0.0"), undefined);
  assert.equal(
    named("foo.v0.1.0-alpha.1.0.0", "0.1.0", "alpha.1.0.0"),
    tree(
      index,
      fooNode,
      alphaNode,
      'invalid bundle "foo.v0.1.0-alpha.1.0.0"',
      'name "foo.v0.1.0-alpha.1.0.0" does not match normalized name "foo-v0.1.0-alpha.1.0.0"',
    ),
  );
  const both = named("foo.v0.1.0", "0.1.0+alpha.1.0.0", "0.0.1") ?? "";
  assert.match(both, /name "foo\.v0\.1\.0" does not match normalized name "foo-v0\.1\.0\+alpha\.1\.0\.0-0\.0\.1"/);
  assert.match(both, /cannot use build metadata in version with a release version$/);
});

/** What is said of one channel; `skips` and `replaces` by short names such as `4`. */
function graph(
  entries: Readonly<Record<string, { replaces?: string; skips?: readonly string[] }>>,
): string | undefined {
  const name = (short: string): string => (short === "" ? "" : `foo.v0.0.${short}`);
  const listed = Object.entries(entries).map(([short, { replaces, skips }]) => ({
    name: name(short),
    ...(replaces === undefined ? {} : { replaces: name(replaces) }),
    ...(skips === undefined ? {} : { skips: skips.map(name) }),
  }));
  const bundles = Object.keys(entries).map((short) => bundle(name(short), [own(`0.0.${short}`)]));
  const text = said([pack("foo"), channel(listed), ...bundles]);
  const prefix = tree(index, fooNode, alphaNode, "");
  return text?.startsWith(prefix.trimEnd()) ? text.slice(prefix.length) : text;
}

test("a channel has one head, no cycle below it and nothing stranded", () => {
  const cases: readonly (readonly [string, Parameters<typeof graph>[0], string | undefined])[] = [
    ["a chain of skips", { 1: {}, 2: { skips: ["1"] }, 3: { skips: ["2"] }, 4: { replaces: "3" } }, undefined],
    [
      "an entry that replaces itself below the head",
      { 4: { replaces: "4" }, 5: { replaces: "4" } },
      "detected cycle in replaces chain of upgrade graph: foo.v0.0.4 -> foo.v0.0.4",
    ],
    [
      "a cycle of three",
      { 1: { replaces: "3" }, 2: { replaces: "1" }, 3: { replaces: "2" }, 4: { replaces: "3" } },
      "detected cycle in replaces chain of upgrade graph: foo.v0.0.3 -> foo.v0.0.2 -> foo.v0.0.1 -> foo.v0.0.3",
    ],
    [
      "a skipped entry replaces one",
      { 1: {}, 2: { replaces: "1" }, 3: { skips: ["2"] } },
      "channel contains one or more stranded bundles: foo.v0.0.1",
    ],
    [
      "replaced and skipped",
      { 1: {}, 2: { replaces: "1" }, 3: { replaces: "2", skips: ["2"] } },
      "channel contains one or more stranded bundles: foo.v0.0.1",
    ],
    ["every entry is replaced", { 1: { replaces: "2" }, 2: { replaces: "1" } }, "no channel head found in graph"],
    ["one entry that replaces itself", { 1: { replaces: "1" } }, "no channel head found in graph"],
    ["two heads", { 2: {}, 1: {} }, "multiple channel heads found in graph: foo.v0.0.1, foo.v0.0.2"],
    ["a tail that replaces what is elsewhere", { 2: { replaces: "1" } }, undefined],
  ];
  for (const [name, entries, message] of cases) assert.equal(graph(entries), message, name);
});

test("versions are unique among the bundles of a package, with their releases", () => {
  const versions = (list: readonly (readonly [string, string, string?])[]): string | undefined => {
    const chain = list.map(([name], at) => ({ name, ...(at === 0 ? {} : { replaces: list[at - 1]?.[0] ?? "" }) }));
    const bundles = list.map(([name, version, release]) =>
      bundle(name, [own(version, release === undefined ? {} : { release })]),
    );
    return said([pack("foo"), channel(chain), ...bundles]);
  };
  assert.equal(
    versions([
      ["foo.v0.0.1", "0.0.1"],
      ["foo.v0.0.2", "0.0.1"],
      ["foo.v1.0.1", "1.0.1"],
      ["foo.v1.0.2", "1.0.1"],
    ]),
    tree(
      index,
      fooNode,
      "duplicate versions found in bundles: [{0.0.1: [foo.v0.0.1, foo.v0.0.2]} {1.0.1: [foo.v1.0.1, foo.v1.0.2]}]",
    ),
  );
  assert.equal(
    versions([
      ["foo-v0.0.1-1", "0.0.1", "1"],
      ["foo-v0.0.1-2", "0.0.1", "2"],
    ]),
    undefined,
  );
  const same =
    versions([
      ["foo-v0.0.1-100", "0.0.1", "100"],
      ["other", "0.0.1", "100"],
    ]) ?? "";
  assert.match(same, /duplicate versions found in bundles: \[\{0\.0\.1-100: \[foo-v0\.0\.1-100, other\]\}\]/);
});

test("skips are not empty and skipRanges are ranges of blang's grammar", () => {
  const entry = (more: Blob): string | undefined => said([pack("foo"), channel([{ name: foo, ...more }]), fooBundle]);
  const at = (message: string): string => tree(index, fooNode, alphaNode, `invalid bundle "${foo}"`, message);
  assert.equal(entry({ skips: [""] }), at("skip[0] is empty"));
  assert.equal(entry({ skipRange: "" }), undefined);
  assert.equal(entry({ skipRange: ">=0.0.1 <0.1.0" }), undefined);
  const ranges: readonly (readonly [string, string])[] = [
    [">v0.1.0", 'Could not parse Range ">v0.1.0": Could not parse comparator ">v" in ">v0.1.0"'],
    [
      ">1.00.1",
      'Could not parse Range ">1.00.1": Could not parse version "1.00.1" in ">1.00.1": Minor number must not contain leading zeroes "00"',
    ],
  ];
  for (const [range, reason] of ranges)
    assert.equal(entry({ skipRange: range }), at(`invalid skipRange "${range}": ${reason}`));
  for (const range of ["^1.0.0", "~1.0", ">=1.0, <2.0", "1.0 - 2.0", "latest", "||", ">=1.0.0 || ", "1.0"])
    assert.match(entry({ skipRange: range }) ?? "", /invalid skipRange /, range);
});

test("icons and related images are not checked, as upstream", () => {
  const icons: readonly JsonValue[] = [
    { base64data: "", mediatype: "image/png" },
    { base64data: btoa("text"), mediatype: "" },
    { base64data: btoa("no image"), mediatype: "image/png" },
    { base64data: btoa("<svg xmlns='http://www.w3.org/2000/svg'/>"), mediatype: "image/jpeg" },
  ];
  for (const icon of icons) assert.equal(said([pack("foo", { icon }), ...sound.slice(1)]), undefined);
  assert.equal(said([...sound.slice(0, 2), { ...fooBundle, relatedImages: [{ name: "x", image: "" }] }]), undefined);
});

test("all problems come at once, each with its rule and where its blob begins", () => {
  const blobs = [
    pack("foo"),
    channel([foo, "foo.v9.9.9"]),
    channel(["gone"], { name: "beta" }),
    { ...fooBundle, image: "A b" },
    pack("bar", { defaultChannel: "" }),
    channel([], { package: "nope" }),
  ];
  const text = blobs.map((blob) => JSON.stringify(blob, null, 1)).join("\n");
  const problems = validateCatalog(loadCatalog([{ file: "c.json", text }]).blobs);
  assert.deepEqual(
    problems.map(({ rule, place, message }) => [rule, place?.document, message.slice(0, 36)]),
    [
      ["unknown-package", 5, 'unknown package "nope" for channel "'],
      ["image-reference", 3, 'package "foo" bundle "foo.v0.1.0" im'],
      ["entry-without-bundle", 0, "no olm.bundle blobs found in package"],
      ["default-channel", 4, "default channel must be set"],
      ["package-without-channels", 4, "package must contain at least one ch"],
    ],
  );
  assert.match(problems[2]?.message ?? "", /\[foo\.v9\.9\.9 gone\]$/, "every channel counts, not the last alone");
  for (const { place } of problems) assert.ok((place?.line ?? 0) >= 1);
});

test("the tree draws branches as upstream does", () => {
  const leafNode = (message: string): ProblemNode => ({ message, children: [] });
  assert.equal(formatTree(leafNode("a")), "a");
  assert.equal(formatTree({ message: "a", children: [leafNode("b"), leafNode("c")] }), "a:\n├── b\n└── c");
  const nested = {
    message: "a",
    children: [
      { message: "b", children: [leafNode("c")] },
      { message: "d", children: [leafNode("")] },
    ],
  };
  assert.equal(formatTree(nested), "a:\n├── b:\n│   └── c\n└── d:\n    └── ");
});
