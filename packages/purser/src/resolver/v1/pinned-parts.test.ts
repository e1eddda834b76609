// Cases of OLM v1's own resolver tests, restated: walking catalogs, dependencies, successors, versions with releases. Cases
// about OLM's local copy of a catalog that is read over HTTP are omitted: Purser has no such copy.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BundleMetadata, CatalogFilter } from "../../apis/v1/cluster-extension.ts";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import { loadCatalog } from "../../catalog/loading/load.ts";
import { indexOf } from "../../catalog/memory-index.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { formatVersion, parseVersion } from "@purser/kubernetes/version";
import { parseMastermindsRange } from "../../version-range.ts";
import { endOf, resolveNow } from "../resolution.ts";
import { bundleVersion, formatRelease, installedVersion, metadataOf } from "./bundle-version.ts";
import { extensionWorld } from "./extension-steps.ts";
import { byPreference, filtered } from "./filters.ts";
import type { ExtensionCatalog, ExtensionInput } from "./input.ts";
import { resolveExtension } from "./resolve-extension.ts";

const packageProperty = (value: JsonValue): JsonObject => ({ type: "olm.package", value });

interface Bundle {
  readonly name: string;
  readonly properties: readonly JsonObject[];
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
  readonly deprecated?: boolean;
}

/** A bundle `p.v<version>`, with a release behind `+`. */
const versioned = (version: string, edges: Partial<Bundle> = {}): Bundle => ({
  name: `p.v${version}`,
  properties: [packageProperty({ packageName: "p", version })],
  ...edges,
});

function indexWith(bundles: readonly Bundle[]): CatalogIndex {
  const blobs: readonly JsonObject[] = [
    { schema: "olm.package", name: "p", defaultChannel: "stable" },
    {
      schema: "olm.channel",
      name: "stable",
      package: "p",
      entries: bundles.map(({ name, replaces, skips, skipRange }) => ({
        name,
        ...(replaces === undefined ? {} : { replaces }),
        ...(skips === undefined ? {} : { skips }),
        ...(skipRange === undefined ? {} : { skipRange }),
      })),
    },
    ...bundles.map(({ name, properties }) => ({ schema: "olm.bundle", name, package: "p", image: "r/p", properties })),
    {
      schema: "olm.deprecations",
      package: "p",
      entries: bundles
        .filter(({ deprecated }) => deprecated)
        .map(({ name }) => ({ reference: { schema: "olm.bundle", name }, message: "old" })),
    },
  ];
  return indexOf(loadCatalog([{ file: "c.json", text: blobs.map((blob) => JSON.stringify(blob)).join("\n") }]).blobs);
}

function catalogNamed(name: string, content: ExtensionCatalog["content"], serving = true): ExtensionCatalog {
  const catalog: ClusterCatalog = {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterCatalog",
    metadata: { name },
    spec: { source: { type: "Image" } },
    status: {
      conditions: [
        { type: "Serving", status: serving ? "True" : "False", reason: "", message: "", lastTransitionTime: "" },
      ],
    },
  };
  return { catalog, content };
}

interface Asked {
  readonly filter?: Omit<CatalogFilter, "packageName">;
  readonly installed?: BundleMetadata;
  readonly gates?: ExtensionInput["gates"];
}

function inputOf(catalogs: readonly ExtensionCatalog[], { filter, installed, gates }: Asked = {}): ExtensionInput {
  return {
    name: "ext",
    filter: { packageName: "p", ...filter },
    catalogs,
    ...(installed === undefined ? {} : { installed }),
    ...(gates === undefined ? {} : { gates }),
  };
}

function answer(catalogs: readonly ExtensionCatalog[], asked?: Asked): string {
  const outcome = resolveNow(resolveExtension(inputOf(catalogs, asked)));
  return outcome.kind === "failed" ? outcome.upstream : outcome.bundle.name;
}

const present = (...bundles: readonly Bundle[]): ExtensionCatalog["content"] => ({
  kind: "present",
  index: indexWith(bundles),
});
const walking = 'error walking catalogs: error getting package "p" from catalog';
const broken: ExtensionCatalog["content"] = { kind: "unavailable", cause: "", upstream: "testing" };

const walks: readonly (readonly [
  id: string,
  sentence: string,
  catalogs: readonly ExtensionCatalog[],
  expected: string,
])[] = [
  ["2", "what goes wrong while catalogs are walked is wrapped", [catalogNamed("a", broken)], `${walking} "a": testing`],
  [
    "3",
    "one catalog that cannot be read refuses all",
    [catalogNamed("a", present(versioned("1.0.0"))), catalogNamed("b", broken)],
    `${walking} "b": testing`,
  ],
  [
    "6",
    "a chosen bundle with a dependency is refused and the next one is not tried",
    [
      catalogNamed(
        "a",
        present(versioned("1.0.0"), {
          name: "p.v2.0.0",
          properties: [
            packageProperty({ packageName: "p", version: "2.0.0" }),
            { type: "olm.gvk.required", value: { group: "g", version: "v1", kind: "K" } },
          ],
        }),
      ),
    ],
    'validating bundle "p.v2.0.0": bundle "p.v2.0.0" has a dependency declared via property "olm.gvk.required" which is currently not supported',
  ],
  [
    "52",
    "a catalog that is not served is named",
    [catalogNamed("a", { kind: "unavailable", cause: "" }, false)],
    `${walking} "a": catalog "a" is not being served`,
  ],
  [
    "52",
    "one that is served without content here lacks its cache",
    [catalogNamed("a", { kind: "unavailable", cause: "" })],
    `${walking} "a": cache for catalog "a" not found`,
  ],
  [
    "52",
    "a catalog without the package is no error",
    [catalogNamed("a", { kind: "present", index: indexOf([]) })],
    'no bundles found for package "p"',
  ],
];

for (const [id, sentence, catalogs, expected] of walks)
  test(`pinned, v1 resolution: ${id}, ${sentence}`, () => assert.equal(answer(catalogs), expected));

test("pinned, v1 resolution: 24, every selected catalog is asked once, by name, and what it lacks is no offer", () => {
  const asked: string[] = [];
  const watched = (name: string, ...bundles: readonly Bundle[]): ExtensionCatalog => {
    const index = indexWith(bundles);
    const counting: CatalogIndex = {
      ...index,
      digest: index.digest,
      package: (wanted) => {
        asked.push(`${name} ${wanted}`);
        return wanted === "p" && bundles.length > 0 ? index.package(wanted) : undefined;
      },
    };
    return catalogNamed(name, { kind: "present", index: counting });
  };
  const world = endOf(
    extensionWorld(inputOf([watched("c", versioned("1.0.0")), watched("a"), watched("b", versioned("2.0.0"))])),
  );
  assert.deepEqual(asked, ["a p", "b p", "c p"]);
  assert.deepEqual(world.kind === "world" ? world.offers.map(({ catalog }) => catalog.catalog.metadata.name) : world, [
    "b",
    "c",
  ]);
});

test("no bundle of a channel is read from the index to resolve its package", () => {
  const index = indexWith(["1.0.0", "1.1.0", "1.2.0"].map((version) => versioned(version)));
  const read: unknown[] = [];
  const counting: CatalogIndex = {
    ...index,
    digest: index.digest,
    package: (name) => index.package(name),
    blob: (id) => {
      const blob = index.blob(id);
      read.push(blob["schema"]);
      return blob;
    },
  };
  assert.equal(answer([catalogNamed("a", { kind: "present", index: counting })]), "p.v1.2.0");
  assert.ok(read.includes("olm.deprecations"));
  assert.ok(!read.includes("olm.bundle"), `read ${read.join(", ")}`);
});

for (const type of ["", "olm.package.required", "olm.gvk.required", "olm.constraint"])
  test(`pinned, v1 resolution: 34, a bundle ${type === "" ? "without dependencies is taken" : `with ${type} is refused by that name`}`, () => {
    const bundle = versioned("1.0.0");
    const properties = type === "" ? bundle.properties : [...bundle.properties, { type, value: {} }];
    const found = answer([catalogNamed("a", present({ ...bundle, properties }))]);
    if (type === "") assert.equal(found, "p.v1.0.0");
    else assert.match(found, new RegExp(`declared via property "${type}" which is currently not supported$`));
  });

const inRange: readonly (readonly [range: string, version: string])[] = [
  ["1.0.0+1", "1.0.0"],
  ["1.0.0+1", "1.0.0+1"],
  ["1.0.0+1", "1.0.0+2"],
  ["1.0.0", "1.0.0+1"],
];

for (const [range, version] of inRange)
  test(`pinned, v1 resolution: 35, range ${range} includes ${version}`, () => {
    const parsed = parseMastermindsRange(range);
    const wanted = parseVersion(version);
    assert.ok(parsed.ok && wanted.ok && parsed.value.includes(wanted.value));
    assert.equal(
      answer([catalogNamed("a", present(versioned(version)))], { filter: { version: range } }),
      `p.v${version}`,
    );
  });

function sorted(...bundles: readonly Bundle[]): string {
  const world = endOf(extensionWorld(inputOf([catalogNamed("a", present(...bundles))])));
  if (world.kind !== "world") return world.upstream;
  const [offer] = world.offers;
  return offer === undefined
    ? ""
    : offer.content.candidates
        .toSorted(byPreference)
        .map(({ name }) => name)
        .join(" ");
}

test("pinned, v1 resolution: 36, newest first by version and release, without a version last", () => {
  const nameless: Bundle = { name: "p.none", properties: [] };
  assert.equal(
    sorted(nameless, versioned("1.0.0-alpha+1"), versioned("0.0.1"), versioned("1.0.0-alpha+2"), versioned("1.0.0")),
    "p.v1.0.0 p.v1.0.0-alpha+2 p.v1.0.0-alpha+1 p.v0.0.1 p.none",
  );
});

test("pinned, v1 resolution: 37, deprecated ones come after all others, and keep their order among themselves", () => {
  const old = { deprecated: true };
  assert.equal(
    sorted(versioned("3.0.0", old), versioned("1.0.0"), versioned("2.0.0"), versioned("4.0.0", old)),
    "p.v2.0.0 p.v1.0.0 p.v4.0.0 p.v3.0.0",
  );
});

/** Bundles that may follow on the installed one (staying is one of them). */
function successors(bundles: readonly Bundle[], installed: BundleMetadata): string {
  const input = inputOf([catalogNamed("a", present(...bundles))], { installed });
  const world = endOf(extensionWorld(input));
  if (world.kind !== "world") return world.upstream;
  const [offer] = world.offers;
  if (offer === undefined) return "";
  return filtered(offer.content, world.rules, world.active)
    .map(({ name }) => name)
    .join(" ");
}

const line: readonly Bundle[] = [
  versioned("2.0.0"),
  versioned("2.1.0", { replaces: "p.v2.0.0" }),
  versioned("2.2.1"),
  versioned("2.3.0", { skips: ["p.v2.2.1"] }),
  versioned("2.4.0", { skipRange: ">=2.3.0 <2.4.0" }),
];

const following: readonly (readonly [
  id: string,
  sentence: string,
  bundles: readonly Bundle[],
  installed: BundleMetadata,
  expected: string | RegExp,
])[] = [
  ["38", "by replaces", line, { name: "p.v2.0.0", version: "2.0.0" }, "p.v2.0.0 p.v2.1.0"],
  ["39", "by skips", line, { name: "p.v2.2.1", version: "2.2.1" }, "p.v2.2.1 p.v2.3.0"],
  ["40", "by skipRange", line, { name: "p.v2.3.0", version: "2.3.0" }, "p.v2.3.0 p.v2.4.0"],
  [
    "41",
    "a release is part of the name that edges speak of",
    [versioned("2.0.0+1"), versioned("2.1.0", { replaces: "p.v2.0.0" }), versioned("2.2.0", { skips: ["p.v2.0.0+1"] })],
    { name: "p.v2.0.0+1", version: "2.0.0+1" },
    "p.v2.0.0+1 p.v2.2.0",
  ],
  ["42", "what the catalog does not know has none", line, { name: "other.v9.9.9", version: "9.9.9" }, ""],
  [
    "43",
    "a version that cannot be read is an error",
    line,
    { name: "p.vinvalid", version: "invalid" },
    /^error walking catalogs: error finding upgrade edges: failed to get version and release of installed bundle/,
  ],
  [
    "44",
    "so is a release that cannot",
    line,
    { name: "p.v2.0.0", version: "2.0.0", release: "001" },
    /failed to parse installed bundle version and release/,
  ],
  [
    "45",
    "replaces, skips and skipRange all count, others do not",
    [
      versioned("0.0.2", { replaces: "p.v0.0.1" }),
      versioned("0.0.3", { replaces: "p.v0.0.2" }),
      versioned("0.0.4", { skips: ["p.v0.0.1"] }),
      versioned("0.0.5", { skipRange: "<=0.0.1" }),
    ],
    { name: "p.v0.0.1", version: "0.0.1" },
    "p.v0.0.2 p.v0.0.4 p.v0.0.5",
  ],
];

for (const [id, sentence, bundles, installed, expected] of following)
  test(`pinned, v1 resolution: ${id}, successors: ${sentence}`, () => {
    const found = successors(bundles, installed);
    if (typeof expected === "string") assert.equal(found, expected);
    else assert.match(found, expected);
  });

/** `VERSION | RELEASE`; build metadata that stayed shows in the version, `-` is no release. */
function read(value: JsonValue | undefined, gate: boolean): string {
  const found = bundleVersion("b", value === undefined ? [] : [{ type: "olm.package", value }], gate);
  if (!found.ok) return found.problem;
  const { version, release } = found.value;
  return `${formatVersion(version)} | ${release === undefined ? "-" : formatRelease(release)}`;
}

const stated = (version: JsonValue, release?: string): JsonObject => ({
  packageName: "p",
  version,
  ...(release === undefined ? {} : { release }),
});

const versions: readonly (readonly [
  id: string,
  sentence: string,
  value: JsonValue | undefined,
  gate: boolean,
  expected: string | RegExp,
])[] = [
  ["46", "build metadata is a release", stated("1.0.0-pre+1.alpha.2"), false, "1.0.0-pre | 1.alpha.2"],
  ["47", "what is no release stays build metadata", stated("1.0.0+001"), false, "1.0.0+001 | -"],
  ["48", "a version that cannot be read is an error", stated("abcd"), false, /No Major\.Minor\.Patch elements found/],
  ["48", "a value of another kind is an error", "no object", false, /cannot unmarshal string into Go value/],
  ["48", "a bundle without the property is an error", undefined, false, 'no package property found in bundle "b"'],
  ["49", "with the gate a stated release counts", stated("1.0.0+ignored", "2"), true, "1.0.0+ignored | 2"],
  ["49", "and must be one", stated("1.0.0", "001"), true, /error parsing release "001"/],
  ["49", "and may be empty", stated("1.0.0+2", ""), true, "1.0.0+2 | "],
  ["50", "without the gate it is not looked at", stated("1.0.0+2", "999"), false, "1.0.0 | 2"],
];

for (const [id, sentence, value, gate, expected] of versions)
  test(`pinned, v1 resolution: ${id}, versions: ${sentence}`, () => {
    const found = read(value, gate);
    if (typeof expected === "string") assert.equal(found, expected);
    else assert.match(found, expected);
  });

const recorded: readonly (readonly [version: string, release: string | undefined, gate: boolean, expected: object])[] =
  [
    ["1.0.0", "2", true, { version: "1.0.0", release: "2" }],
    ["1.0.0", undefined, true, { version: "1.0.0" }],
    ["1.0.0", "", true, { version: "1.0.0", release: "" }],
    ["1.0.0+2", undefined, false, { version: "1.0.0+2" }],
  ];

for (const [version, release, gate, expected] of recorded)
  test(`pinned, v1 resolution: 51, ${version} with release ${release ?? "none"} is recorded ${gate ? "apart" : "in the version"} and read back`, () => {
    const found = bundleVersion("b", [{ type: "olm.package", value: stated(version, release) }], gate);
    assert.ok(found.ok);
    const metadata = metadataOf("b", found.value, gate);
    assert.deepEqual(metadata, { name: "b", ...expected });
    const back = installedVersion(metadata);
    assert.deepEqual(back.ok ? back.value.release : back.problem, found.value.release);
  });

test("pinned, v1 resolution: 54, content that changed is what the next resolution sees, and deleted content is not", () => {
  assert.equal(answer([catalogNamed("a", present(versioned("1.0.0")))]), "p.v1.0.0");
  assert.equal(answer([catalogNamed("a", present(versioned("2.0.0")))]), "p.v2.0.0");
  assert.equal(answer([]), 'no bundles found for package "p"');
});
