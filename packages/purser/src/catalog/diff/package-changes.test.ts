import assert from "node:assert/strict";
import { test } from "node:test";
import { viewOf } from "../catalog-view.ts";
import { loadCatalog } from "../loading/load.ts";
import { changedParts, isBreaking, type PackageChange, packageChanges } from "./package-changes.ts";

interface BundleText {
  readonly version?: string;
  readonly properties?: readonly string[];
  readonly related?: readonly string[];
  readonly image?: string;
}

interface PackageText {
  readonly defaultChannel?: string;
  readonly head?: string;
  readonly channels: Readonly<Record<string, string>>;
  readonly bundles?: Readonly<Record<string, BundleText>>;
  readonly deprecations?: readonly string[];
}

const bundleText = (
  name: string,
  { version = name.slice(1), properties = [], related = [], image = name }: BundleText,
) =>
  `---
schema: olm.bundle
package: foo
name: ${name}
image: ${image}
properties: [{type: olm.package, value: {packageName: foo, version: ${version}}}${properties.map((one) => `, ${one}`).join("")}]
relatedImages: [${related.join(", ")}]
`;

/** The view of a package \`foo\`, with every bundle that a channel names. */
function packageOf({ defaultChannel = "stable", head = "", channels, bundles = {}, deprecations = [] }: PackageText) {
  const named = Object.values(channels).flatMap((entries) =>
    [...entries.matchAll(/name: (v[^,}]+)/g)].map(([, name = ""]) => name),
  );
  const text = [
    `schema: olm.package\nname: foo\ndefaultChannel: ${defaultChannel}\n${head}`,
    ...Object.entries(channels).map(
      ([name, entries]) => `---\nschema: olm.channel\npackage: foo\nname: ${name}\nentries: [${entries}]\n`,
    ),
    ...[...new Set([...named, ...Object.keys(bundles)])].map((name) => bundleText(name, bundles[name] ?? {})),
    deprecations.length === 0
      ? ""
      : `---\nschema: olm.deprecations\npackage: foo\nentries: [${deprecations.join(", ")}]\n`,
  ].join("");
  const found = viewOf(loadCatalog([{ file: "c", text }]).blobs).packages.get("foo");
  assert.ok(found !== undefined, text);
  return found;
}

const stable = (entries: string, more: Partial<PackageText> = {}): PackageText => ({
  channels: { stable: entries },
  ...more,
});
const changes = (old: PackageText, next: PackageText): readonly PackageChange[] =>
  packageChanges(packageOf(old), packageOf(next));
const chain = "{name: v1.0.0}, {name: v1.1.0, replaces: v1.0.0}";

test("packages that are equal do not differ", () => assert.deepEqual(changes(stable(chain), stable(chain)), []));

test("versions and channels that are added, and a head that is no new version", () => {
  const next = {
    channels: {
      stable: `${chain}, {name: v1.2.0, replaces: v1.1.5}, {name: v1.1.5, replaces: v1.1.0, skips: [v9]}`,
      fast: chain,
    },
  };
  assert.deepEqual(
    changes(stable(chain), next).filter(({ kind }) => kind !== "pathLost"),
    [
      { kind: "versionAdded", channel: "stable", bundle: "v1.2.0", version: "1.2.0", isHead: true },
      { kind: "versionAdded", channel: "stable", bundle: "v1.1.5", version: "1.1.5", isHead: false },
      { kind: "channelAdded", channel: "fast", versions: 2 },
    ],
  );
  assert.deepEqual(
    changes(stable(chain), stable("{name: v1.0.0}", { bundles: { "v1.1.0": {} } })).filter(
      ({ kind }) => kind !== "pathLost",
    ),
    [
      { kind: "versionRemoved", channel: "stable", bundle: "v1.1.0", version: "1.1.0" },
      { kind: "headChanged", channel: "stable", from: "1.1.0", to: "1.0.0" },
    ],
  );
});

test("edges that change are listed with a sign, new ones first", () => {
  const next = "{name: v1.0.0}, {name: v1.1.0, skips: [v0.9.0], skipRange: '<1.1.0'}";
  assert.deepEqual(
    changes(stable(chain), stable(next)).filter(({ kind }) => kind === "edgesChanged"),
    [
      {
        kind: "edgesChanged",
        channel: "stable",
        bundle: "v1.1.0",
        version: "1.1.0",
        edges: ["+skips v0.9.0", "+skipRange <1.1.0", "-replaces v1.0.0"],
      },
    ],
  );
});

test("channels and bundles that are removed come before bundles that changed; an unreadable version is the bundle's name", () => {
  const old = {
    channels: { stable: "{name: v1.0.0}", old: "{name: v1.0.0}" },
    bundles: { gone: { version: "none" }, "v1.0.1": {}, odd: { version: "none" } },
  };
  const next = stable("{name: v1.0.0}", {
    bundles: { "v1.0.0": { image: "other", related: ["{name: a, image: b}"] }, odd: { version: "none", image: "new" } },
  });
  assert.deepEqual(changes(old, next), [
    { kind: "channelRemoved", channel: "old" },
    { kind: "bundleRemoved", bundle: "gone", version: "gone" },
    { kind: "bundleRemoved", bundle: "v1.0.1", version: "1.0.1" },
    { kind: "bundleChanged", bundle: "v1.0.0", version: "1.0.0", parts: ["image", "relatedImages"] },
    { kind: "bundleChanged", bundle: "odd", version: "odd", parts: ["image"] },
  ]);
});

test("the default channel, the description, the icon and deprecations of every subject", () => {
  const reference = (schema: string, name: string, message: string) =>
    `{reference: {schema: ${schema}${name === "" ? "" : `, name: ${name}`}}, message: ${message}}`;
  const both = { stable: "{name: v1.0.0}", fast: "{name: v1.0.0}" };
  const old = {
    channels: both,
    head: "description: old\n",
    deprecations: [
      reference("olm.package", "", "p"),
      reference("olm.channel", "fast", "c"),
      reference("olm.bundle", "v1.0.0", "same"),
    ],
  };
  const next = {
    channels: both,
    defaultChannel: "fast",
    head: "description: new\n",
    deprecations: [
      reference("olm.channel", "fast", "reworded"),
      reference("olm.channel", "stable", "new"),
      reference("olm.bundle", "v1.0.0", "same"),
    ],
  };
  assert.deepEqual(changes(old, next), [
    { kind: "defaultChannel", from: "stable", to: "fast" },
    { kind: "deprecationReworded", subject: "channel fast", message: "reworded" },
    { kind: "deprecationAdded", subject: "channel stable", message: "new" },
    { kind: "deprecationRemoved", subject: "the package" },
    { kind: "description" },
  ]);
  const icon = (data: string) => ({ ...stable(chain), head: `icon: {base64data: ${data}, mediatype: image/png}\n` });
  assert.deepEqual(changes(icon("YQ=="), icon("YQ==")), []);
  assert.deepEqual(changes(icon("YQ=="), icon("Yg==")), [{ kind: "description" }]);
  assert.deepEqual(changes(icon("YQ=="), stable(chain)), [{ kind: "description" }]);
});

test("a change of an edge that leaves users without a path is a lost path, and comes first", () => {
  const [first] = changes(stable(chain), stable("{name: v1.1.0}", { bundles: { "v1.0.0": {} } }));
  assert.deepEqual(first, {
    kind: "pathLost",
    channel: "stable",
    bundle: "v1.0.0",
    version: "1.0.0",
    rules: ["v0", "v1"],
    end: "v1.0.0",
  });
});

test("what breaks installations, pins or mirrors is breaking", () => {
  const kinds = ["pathLost", "channelRemoved", "bundleRemoved", "bundleChanged", "versionRemoved", "defaultChannel"];
  assert.deepEqual(
    kinds.map((kind) => isBreaking({ kind } as PackageChange)),
    [true, true, true, true, false, false],
  );
});

test("properties differ in any order; made from manifests they are not compared with the manifests", () => {
  const bundle = (...properties: readonly string[]) => {
    const found = packageOf(stable("{name: v1.0.0}", { bundles: { "v1.0.0": { properties } } })).bundles.get("v1.0.0");
    assert.ok(found !== undefined);
    return found;
  };
  const [a, b] = ["{type: a, value: 1}", "{type: b, value: 1}"];
  // {"kind":"x"}
  const object = "{type: olm.bundle.object, value: {data: eyJraW5kIjoieCJ9}}";
  const other = "{type: olm.bundle.object, value: {data: eyJraW5kIjoieSJ9}}";
  const metadata = "{type: olm.csv.metadata, value: {}}";
  const parts = (before: readonly string[], after: readonly string[]) =>
    changedParts(bundle(...before), bundle(...after));
  assert.deepEqual(parts([a, b], [b, a]), []);
  assert.deepEqual(parts([a], [b]), ["properties"]);
  assert.deepEqual(parts([a, object], [a, metadata]), []);
  assert.deepEqual(parts([a, metadata], [object, a]), []);
  assert.deepEqual(parts([a, object], [b, metadata]), ["properties"]);
  assert.deepEqual(parts([a, object], [a, other]), ["properties"]);
  assert.deepEqual(parts([a], [a, metadata]), ["properties"]);
});
