import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { done, failed } from "@purser/kubernetes/result";
import { embeddedManifest, madeBundle } from "./testing/made-bundle.ts";
import { convertToTemplate, formatTemplate } from "./convert.ts";
import { expand } from "./expand.ts";
import type { Expansion, RenderReference } from "./template.ts";
import { versionRelease } from "./version-release.ts";

/** `image/NAME:VERSION` is the bundle NAME.vVERSION of package `kiln`. */
const render: RenderReference = (reference) => {
  const [, name = "kiln", version = "1.0.0"] = /^image\/([^:]+):(.+)$/.exec(reference) ?? [];
  if (reference === "nothing") return done([]);
  if (reference === "broken") return failed("cannot pull");
  return done([madeBundle(name, version, reference)]);
};

const lines = (...text: readonly string[]): string => text.join("\n");
const semver = (options: string, versions: Readonly<Record<string, readonly string[]>>): string =>
  lines(
    "schema: olm.semver",
    options,
    ...Object.entries(versions).flatMap(([archetype, list]) => [
      `${archetype}:`,
      "  bundles:",
      ...list.map((version) => `  - image: image/kiln:${version}`),
    ]),
  );

interface Entries {
  readonly [channel: string]: readonly string[];
}

/** Channels with entries as `name <replaces -skips`. */
function channelsOf(expansion: Expansion): { readonly defaultChannel: string; readonly channels: Entries } {
  assert.ok(expansion.ok, expansion.ok ? "" : expansion.problem.message);
  const blobs = expansion.value.blobs;
  const channels: Record<string, readonly string[]> = {};
  for (const { content, name } of blobs) {
    if (content.kind !== "channel") continue;
    channels[name] = content.entries.map((entry) => {
      const replaces = entry.replaces === "" ? "" : ` <${entry.replaces}`;
      const skips = entry.skips.length === 0 ? "" : ` -${entry.skips.join(" -")}`;
      return `${entry.name}${replaces}${skips}`.replaceAll("kiln.v", "");
    });
  }
  const pack = blobs.find(({ content }) => content.kind === "package");
  return { defaultChannel: pack?.content.kind === "package" ? pack.content.defaultChannel : "", channels };
}

const stable = `0.1.0 0.1.1 1.1.0 1.2.1 1.3.1-alpha 1.3.1-beta 1.3.1 1.4.1-beta1 1.4.1-beta2 1.4.1
  2.1.0 2.1.1 2.3.1 2.3.2 3.1.0 3.1.1`.split(/\s+/);

test("the last entry of every minor version replaces the one before and skips the rest of its major version", () => {
  const { defaultChannel, channels } = channelsOf(
    expand({ text: semver("generateMajorChannels: true", { stable }) }, render),
  );
  assert.equal(defaultChannel, "stable-v3");
  assert.deepEqual(channels["stable-v0"], ["0.1.0", "0.1.1 -0.1.0"]);
  assert.deepEqual(channels["stable-v1"], [
    "1.1.0",
    "1.2.1 <1.1.0",
    "1.3.1-alpha",
    "1.3.1-beta",
    "1.3.1 <1.2.1 -1.1.0 -1.3.1-alpha -1.3.1-beta",
    "1.4.1-beta1",
    "1.4.1-beta2",
    "1.4.1 <1.3.1 -1.1.0 -1.2.1 -1.3.1-alpha -1.3.1-beta -1.4.1-beta1 -1.4.1-beta2",
  ]);
  assert.deepEqual(channels["stable-v2"], ["2.1.0", "2.1.1 -2.1.0", "2.3.1", "2.3.2 <2.1.1 -2.1.0 -2.3.1"]);
  assert.deepEqual(channels["stable-v3"], ["3.1.0", "3.1.1 -3.1.0"]);
});

test("minor channels hold the same edges, also to entries of other channels", () => {
  const { defaultChannel, channels } = channelsOf(expand({ text: semver("", { stable }) }, render));
  assert.equal(defaultChannel, "stable-v3.1");
  assert.deepEqual(channels["stable-v1.2"], ["1.2.1 <1.1.0"]);
});

const both = "generateMajorChannels: true\ngenerateMinorChannels: true";
const defaults: readonly (readonly [string, string, readonly string[], string])[] = [
  ["minor", both, stable, "stable-v3.1"],
  ["major", `${both}\ndefaultChannelTypePreference: major`, stable, "stable-v3"],
  [
    "a later minor channel over the major one",
    `${both}\ndefaultChannelTypePreference: major`,
    ["1.0.0", "1.1.0"],
    "stable-v1.1",
  ],
];
for (const [what, options, versions, expected] of defaults)
  test(`the default channel prefers ${what}`, () => {
    assert.equal(channelsOf(expand({ text: semver(options, { stable: versions }) }, render)).defaultChannel, expected);
  });

test("candidates below 0.0.0 alone leave the package without default channel", () => {
  const { defaultChannel } = channelsOf(expand({ text: semver("", { candidate: ["0.0.0-alpha"] }) }, render));
  assert.equal(defaultChannel, "");
});

test("an image in two archetypes is rendered once and is in both channels", () => {
  let calls = 0;
  const counting: RenderReference = (reference) => (calls++, render(reference));
  const { channels } = channelsOf(expand({ text: semver("", { candidate: ["1.0.0"], stable: ["1.0.0"] }) }, counting));
  assert.equal(calls, 1);
  assert.deepEqual(channels, { "candidate-v1.0": ["1.0.0"], "stable-v1.0": ["1.0.0"] });
});

test("the package takes description and first icon from the head of its default channel", () => {
  const manifest = {
    kind: "ClusterServiceVersion",
    spec: { description: "Bakes.", icon: [{ base64data: "aWNvbg==", mediatype: "image/png" }, {}] },
  };
  const expansion = expand({ text: semver("", { stable: ["1.0.0"] }) }, (reference) => {
    const [blob] = [madeBundle("kiln", "1.0.0", reference, [embeddedManifest(manifest)])];
    return done([blob]);
  });
  assert.ok(expansion.ok);
  const pack = expansion.value.blobs.find(({ content }) => content.kind === "package");
  assert.equal(pack?.json["description"], "Bakes.");
  assert.deepEqual(pack?.json["icon"], { base64data: "aWNvbg==", mediatype: "image/png" });
});

const ofImages = (...images: readonly string[]): string =>
  `schema: olm.semver\nstable: {bundles: [${images.map((image) => `{image: 'image/${image}'}`).join(", ")}]}`;

const refusedSemver: readonly (readonly [string, string, RegExp])[] = [
  [
    "a preference for what is not made",
    semver("defaultChannelTypePreference: major", { stable }),
    /schema attribute mismatch: .* 'major' doesn't make sense if not generating major-version channels$/,
  ],
  [
    "the other preference",
    semver("generateMajorChannels: true\ndefaultChannelTypePreference: minor", { stable }),
    /'minor' doesn't make sense/,
  ],
  [
    "an unknown preference",
    semver("defaultChannelTypePreference: foo", { stable }),
    /unknown DefaultChannelTypePreference: "foo"\nValid values are 'major' or 'minor'$/,
  ],
  ["an unknown key", "schema: olm.semver\ninvalid: 1", /json: unknown field "invalid"$/],
  [
    "versions that differ in build metadata",
    semver("", { stable: ["1.0.0+a", "1.0.0+b"] }),
    /differ only by build metadata, which cannot be ordered: bundle version "1.0.0\+b" cannot be compared to "1.0.0"$/,
  ],
  [
    "versions that differ in nothing",
    ofImages("a:1.0.0", "b:1.0.0", "c:1.0.0"),
    /cannot be ordered: bundle version "1.0.0" cannot be compared to "1.0.0"$/,
  ],
  [
    "versions that differ in nothing and others in build metadata",
    ofImages("a:1.0.0", "b:1.0.0", "c:1.0.0", "a:2.0.0+a", "a:2.0.0+b", "b:2.0.0+a"),
    /cannot be ordered: \[bundle version "1.0.0" cannot be compared to "1.0.0", bundle version "2.0.0\+b" cannot be compared to "2.0.0", bundle version "2.0.0\+a" cannot be compared to "2.0.0"\]$/,
  ],
  ["no bundles", "schema: olm.semver", /no bundles specified or no bundles could be rendered$/],
  [
    "one name twice",
    "schema: olm.semver\nstable: {bundles: [{image: 'image/kiln:1.0.0'}, {image: 'image/kiln:1.0.0'}]}",
    /duplicate bundle name "kiln.v1.0.0"$/,
  ],
];
for (const [what, text, message] of refusedSemver)
  test(`a semver template with ${what} is refused`, () => {
    const expansion = expand({ text }, render);
    assert.ok(!expansion.ok);
    assert.match(expansion.problem.message, message);
  });

test("keys of a semver template may be written in upper camel case", () => {
  const text = "Schema: olm.semver\nGenerateMajorChannels: true\nStable:\n  Bundles:\n  - Image: image/kiln:1.0.0\n";
  assert.deepEqual(channelsOf(expand({ text }, render, "semver")).channels, { "stable-v1": ["1.0.0"] });
});

const catalog = lines(
  "- schema: olm.package",
  "  name: kiln",
  "  defaultChannel: stable",
  "- schema: olm.channel",
  "  name: stable",
  "  package: kiln",
  "  entries:",
  "  - name: kiln.v1.0.0",
  "  - {name: kiln.v1.1.0, replaces: kiln.v1.0.0, skips: [kiln.v0.9.0], skipRange: <1.1.0}",
  "  - {name: kiln.v1.2.0, replaces: kiln.v1.1.0}",
  "  - {name: kiln.v1.3.0, replaces: kiln.v1.2.0, skips: [kiln.v1.1.0, kiln.v1.0.0]}",
  ...["1.0.0", "1.1.0", "1.2.0", "1.3.0"].map(
    (version) =>
      `- {schema: olm.bundle, package: kiln, name: kiln.v${version}, image: 'i:${version}', properties: [{type: olm.package, value: {packageName: kiln, version: ${version}}}]}`,
  ),
);
const substitutes = (list: string): string =>
  `schema: olm.template.substitutes\nentries:\n${catalog}\nsubstitutions: ${list}\n`;

test("a substitute takes over the edges of its base, and entries that referred to the base refer to it", () => {
  const { channels } = channelsOf(
    expand({ text: substitutes("[{name: 'image/kiln:1.1.5', base: kiln.v1.1.0}]") }, render),
  );
  assert.deepEqual(channels["stable"], [
    "1.0.0",
    "1.1.0",
    "1.2.0 <1.1.5 -1.1.0",
    "1.3.0 <1.2.0 -1.0.0 -1.1.5",
    "1.1.5 <1.0.0 -0.9.0 -1.1.0",
  ]);
});

test("a channel that names the base only as replaced or skipped refers to the substitute, and others stay", () => {
  const more = lines(
    "- schema: olm.channel",
    "  name: replaces",
    "  package: kiln",
    "  entries: [{name: kiln.v1.2.0, replaces: kiln.v1.1.0}]",
    "- schema: olm.channel",
    "  name: skips",
    "  package: kiln",
    "  entries: [{name: kiln.v1.2.0, skips: [kiln.v1.1.0]}]",
    "- schema: olm.channel",
    "  name: neither",
    "  package: kiln",
    "  entries: [{name: kiln.v1.2.0, skips: [kiln.v1.0.0]}]",
  );
  const text = substitutes("[{name: 'image/kiln:1.1.5', base: kiln.v1.1.0}]");
  const { channels } = channelsOf(expand({ text: text.replace("substitutions:", `${more}\nsubstitutions:`) }, render));
  assert.deepEqual(channels["replaces"], ["1.2.0 <1.1.5 -1.1.0"]);
  assert.deepEqual(channels["skips"], ["1.2.0 -1.1.5"]);
  assert.deepEqual(channels["neither"], ["1.2.0 -1.0.0"]);
});

const refusedSubstitutes: readonly (readonly [string, string, RegExp])[] = [
  [
    "a base that is not there",
    "[{name: 'image/kiln:9.0.0', base: kiln.v8.0.0}]",
    /base bundle "kiln.v8.0.0" does not exist in catalog$/,
  ],
  [
    "a base that is not lower",
    "[{name: 'image/kiln:1.1.0', base: kiln.v1.1.0}]",
    /base bundle "kiln.v1.1.0" is not less than substitute bundle "image\/kiln:1.1.0"$/,
  ],
  [
    "a substitute without a version, before its base is looked for",
    "[{name: 'image/kiln:x', base: kiln.v8.0.0}]",
    /failed to get VersionRelease for substitute bundle "image\/kiln:x": invalid semver version "x" in "olm.package" property for bundle "kiln.vx": No Major.Minor.Patch elements found$/,
  ],
  ["an empty name", "[{name: '', base: kiln.v1.1.0}]", /substitution name cannot be empty$/],
  ["an empty base", "[{name: x, base: ''}]", /substitution base cannot be empty$/],
  ["one thing for both", "[{name: x, base: x}]", /substitution name and base cannot be the same$/],
  [
    "a base twice",
    "[{name: 'image/kiln:1.1.5', base: kiln.v1.1.0}, {name: 'image/kiln:1.1.6', base: kiln.v1.1.0}]",
    /cannot reuse the same substitution base "kiln.v1.1.0"$/,
  ],
  [
    "a name twice",
    "[{name: 'image/kiln:1.1.5', base: kiln.v1.1.0}, {name: 'image/kiln:1.1.5', base: kiln.v1.0.0}]",
    /cannot reuse the same substitution "image\/kiln:1.1.5" for different bases/,
  ],
  [
    "a reference that fails",
    "[{name: broken, base: kiln.v1.1.0}]",
    /failed to render bundle image reference "broken": cannot pull$/,
  ],
  [
    "a reference without bundles",
    "[{name: nothing, base: kiln.v1.1.0}]",
    /rendered bundle image reference "nothing" contains no bundles$/,
  ],
];
for (const [what, list, message] of refusedSubstitutes)
  test(`a substitutes template with ${what} is refused at its place`, () => {
    const expansion = expand({ text: substitutes(list), file: "t.yaml" }, render);
    assert.ok(!expansion.ok);
    assert.match(expansion.problem.message, message);
    assert.equal(expansion.problem.place.file, "t.yaml");
    assert.ok((expansion.problem.place.line ?? 0) > 1);
  });

test("a second package property of a bundle is refused once the first could be read", () => {
  const second = { type: "olm.package", value: { packageName: "kiln", version: "1.0.0" } };
  const problems = ["1.0.0", "x"].map((version) => {
    const read = versionRelease(madeBundle("kiln", version, "i", [second]));
    return read.ok ? undefined : read.problem;
  });
  assert.deepEqual(problems, [
    'must be exactly one property of type "olm.package"',
    'invalid semver version "x" in "olm.package" property for bundle "kiln.vx": No Major.Minor.Patch elements found',
  ]);
});

test("entries of a substitutes template must be a valid catalog, and without substitutions they stay as they are", () => {
  const bad = expand(
    { text: "schema: olm.template.substitutes\nentries:\n- {schema: olm.package, name: kiln}\n" },
    render,
  );
  assert.ok(!bad.ok && bad.problem.message.includes("render: entries are not valid FBC: invalid index:"));
  assert.equal(channelsOf(expand({ text: substitutes("[]") }, render)).channels["stable"]?.length, 4);
});

test("a basic template replaces images by bundles and keeps the rest", () => {
  const text = lines(
    "schema: olm.template.basic",
    "entries:",
    "- {schema: olm.package, name: kiln, defaultChannel: stable}",
    "- {schema: olm.bundle, image: 'image/kiln:1.0.0', name: forgotten}",
    "- {schema: example.note, text: kept}",
  );
  const expansion = expand({ text }, render);
  assert.ok(expansion.ok);
  assert.deepEqual(
    expansion.value.blobs.map(({ schema, name }) => [schema, name]),
    [
      ["olm.package", "kiln"],
      ["example.note", ""],
      ["olm.bundle", "kiln.v1.0.0"],
    ],
  );
});

const refusedBasic: readonly (readonly [string, string, RegExp])[] = [
  [
    "a bundle with properties",
    "[{schema: olm.bundle, image: x, properties: [{type: a, value: 1}]}]",
    /^rendering template: unexpected fields present in basic template bundle$/,
  ],
  ["a bundle with a package", "[{schema: olm.bundle, image: x, package: kiln}]", /unexpected fields present/],
  ["a null entry", "[null]", /entries\[0\] is null$/],
  ["an entry without schema", "[{name: a}]", /is missing root schema field$/],
];
for (const [what, entries, message] of refusedBasic)
  test(`a basic template with ${what} is refused`, () => {
    const expansion = expand({ text: `schema: olm.template.basic\nentries: ${entries}\n` }, render);
    assert.ok(!expansion.ok);
    assert.match(expansion.problem.message, message);
  });

const kinds: readonly (readonly [string, string, string | undefined, string])[] = [
  ["an unknown type", "schema: olm.semver", "x", "creating template by type: unknown template type: x"],
  ["an unknown schema", "schema: x", undefined, "auto-detecting template type: unknown template schema: x"],
  ["no schema", "a: 1", undefined, "auto-detecting template type: template input missing required 'schema' field"],
  ["nothing", "", undefined, "auto-detecting template type: decoding template input: EOF"],
];
for (const [what, text, kind, message] of kinds)
  test(`a template of ${what} is refused`, () => {
    const expansion = expand({ text }, render, kind);
    assert.equal(expansion.ok ? "" : expansion.problem.message, message);
  });

test("a template of unknown type is refused at its first line", () => {
  for (const [text, kind] of [
    ["schema: olm.semver", "x"],
    ["schema: x", undefined],
  ] as const) {
    const [named, unnamed] = [expand({ text, file: "t.yaml" }, render, kind), expand({ text }, render, kind)];
    assert.deepEqual(named.ok || named.problem.place, { file: "t.yaml", line: 1 });
    assert.deepEqual(unnamed.ok || unnamed.problem.place, { line: 1 });
  }
});

test("a catalog becomes a basic template whose bundles are images, and expands to itself again", () => {
  const text = lines(
    '{"schema":"olm.package","name":"kiln","description":"<b>"}',
    '{"schema":"olm.bundle","name":"kiln.v1.0.0","package":"kiln","image":"image/kiln:1.0.0"}',
  );
  const converted = convertToTemplate({ text }, "basic");
  assert.ok(converted.ok);
  const value = JSON.parse(converted.value) as JsonValue;
  assert.deepEqual(isJsonObject(value) ? value["entries"] : [], [
    { description: "<b>", name: "kiln", schema: "olm.package" },
    { schema: "olm.bundle", image: "image/kiln:1.0.0" },
  ]);
  assert.match(converted.value, /\\u003cb\\u003e/);
  const yaml = formatTemplate(converted.value, "yaml");
  assert.ok(yaml.ok && yaml.value.startsWith("---\nentries:\n") && yaml.value.endsWith("\n\n"));
  const expansion = expand({ text: converted.value }, render);
  assert.ok(expansion.ok);
  assert.equal(expansion.value.rendered.size, 1);
});

test("a substitutes template keeps all blobs and substitutes nothing yet", () => {
  const converted = convertToTemplate({ text: '{"schema":"a","x":1}' }, "substitutes");
  assert.equal(
    converted.ok && converted.value,
    '{"schema":"olm.template.substitutes","entries":[{"schema":"a","x":1}],"substitutions":[]}',
  );
});

test("decoding a template never throws", () => {
  const words = [
    "schema",
    "entries",
    "substitutions",
    "stable",
    "bundles",
    "image",
    "name",
    "base",
    "__proto__",
    "constructor",
  ];
  const key = fc.constantFrom(...words);
  const leaf = fc.oneof(
    fc.constantFrom("olm.semver", "olm.template.basic", "olm.template.substitutes", "olm.bundle", "x"),
    fc.integer(),
    fc.constant(null),
    fc.boolean(),
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const template = fc
    .tuple(fc.constantFrom("olm.semver", "olm.template.basic", "olm.template.substitutes"), value, value)
    .map(([schema, entries, other]) =>
      JSON.stringify({ schema, entries, stable: other, substitutions: other } as JsonObject),
    );
  fc.assert(
    fc.property(
      fc.oneof(template, fc.string()),
      fc.constantFrom(undefined, "basic", "semver", "substitutes"),
      (text, kind) => {
        expand({ text }, render, kind);
        convertToTemplate({ text }, "basic");
      },
    ),
    { numRuns: 300 },
  );
});
