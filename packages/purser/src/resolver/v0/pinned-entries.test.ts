// Cases of OLM v0's own resolver tests, restated. Letter and number only identify the case. OLM's tests use messages of the
// registry API with API lists; here catalogs state the same as properties.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import { loadCatalog } from "../../catalog/loading/load.ts";
import { indexOf } from "../../catalog/memory-index.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { Pace } from "../pace.ts";
import { endOf, resolveNow } from "../resolution.ts";
import type { ShortNamespace } from "../testing/short-world.ts";
import { shortNamespace } from "../testing/short-world.ts";
import { shortCatalog } from "../testing/short-catalog.ts";
import { CatalogSnapshot } from "./catalog-snapshot.ts";
import { effectiveProperties } from "./entry.ts";
import { installedEntries } from "./installed-snapshot.ts";
import { parseConstraint } from "./olm-constraint.ts";
import { formatPredicate } from "./predicate.ts";
import { propertiesText } from "./properties.ts";
import { resolveNamespace } from "./resolve-namespace.ts";

/** Chosen bundles as `name@namespace/catalog`, or the refusal. */
function answer(world: ShortNamespace): string {
  const outcome = resolveNow(resolveNamespace(shortNamespace(world)));
  if (outcome.kind !== "resolved") return `${outcome.kind}: ${outcome.upstream}`;
  return outcome.operators
    .map(({ bundle, catalog }) => `${bundle.name}@${catalog.namespace}/${catalog.name}`)
    .join(" ");
}

const wholeNamespace: readonly (readonly [id: string, sentence: string, world: ShortNamespace, expected: string])[] = [
  [
    "A14",
    "an update of one operator and a new one with its dependency come together",
    {
      catalogs: {
        "olm/cat": {
          "t/alpha": ["t.v1 1.0.0", "t.v1.0.1 1.0.1 r=t.v1"],
          "a/alpha": ["a.v1 1.0.0 dep=c:0.1.0"],
          "c/alpha": ["c.v0.1.0 0.1.0"],
        },
      },
      installed: ["t.v1 1.0.0 t"],
      subscriptions: ["t t/alpha at=t.v1", "a a/alpha"],
    },
    "a.v1@olm/cat c.v0.1.0@olm/cat t.v1.0.1@olm/cat",
  ],
  [
    "A15",
    "a required API brings its provider",
    {
      catalogs: { "olm/cat": { "a/alpha": ["a.v1 1.0.0 R=K"], "c/alpha": ["c.v1 1.0.0 P=K"] } },
      subscriptions: ["a a/alpha"],
    },
    "a.v1@olm/cat c.v1@olm/cat",
  ],
  [
    "A18",
    "dependencies of dependencies come from the own catalog, and a bundle meets its own requirement",
    {
      catalogs: {
        "olm/cat": {
          "a/alpha": ["a.v1 1.0.0 R=K"],
          "c/alpha": ["c.v1 1.0.0 P=K R=K2"],
          "d/alpha": ["d.v1 1.0.0 P=K2 R=K2"],
        },
        "olm/aaa": { "c/alpha": ["c.v1 1.0.0 P=K R=K2"], "d/alpha": ["d.v1 1.0.0 P=K2 R=K2"] },
      },
      subscriptions: ["a a/alpha"],
    },
    "a.v1@olm/cat c.v1@olm/cat d.v1@olm/cat",
  ],
  [
    "A24",
    "an update comes from the catalog in scope, not from one of another namespace",
    {
      catalogs: {
        "ns/cat": { "a/alpha": ["a.v1 1.0.0", "a.v2 2.0.0 r=a.v1"] },
        "elsewhere/cat 100": { "a/alpha": ["a.v1 1.0.0", "a.v2 2.0.0 r=a.v1"] },
      },
      installed: ["a.v1 1.0.0 a"],
      subscriptions: ["a a/alpha from=ns/cat at=a.v1"],
    },
    "a.v2@ns/cat",
  ],
  [
    "D14, skips",
    "a failed plan is left behind when a later bundle skips what is installed",
    {
      catalogs: {
        "olm/cat": {
          "a/alpha": ["a.v0.1.0 0.1.0", "a.v0.2.0 0.2.0 r=a.v0.1.0", "a.v0.3.0 0.3.0 r=a.v0.2.0 s=a.v0.1.0"],
        },
      },
      installed: ["a.v0.1.0 0.1.0 a"],
      subscriptions: ["a a/alpha at=a.v0.1.0"],
      groups: ["og failforward"],
    },
    "a.v0.3.0@olm/cat",
  ],
  [
    "D14, skipRange",
    "the same by a range",
    {
      catalogs: {
        "olm/cat": {
          "a/alpha": ["a.v0.1.0 0.1.0", "a.v0.2.0 0.2.0 r=a.v0.1.0", "a.v0.3.0 0.3.0 r=a.v0.2.0 sr=<0.3.0"],
        },
      },
      installed: ["a.v0.1.0 0.1.0 a"],
      subscriptions: ["a a/alpha at=a.v0.1.0"],
      groups: ["og failforward"],
    },
    "a.v0.3.0@olm/cat",
  ],
  [
    "D15",
    "it stays where it is when the later bundle only replaces the one that failed",
    {
      catalogs: {
        "olm/cat": { "a/alpha": ["a.v0.1.0 0.1.0", "a.v0.2.0 0.2.0 r=a.v0.1.0", "a.v0.3.0 0.3.0 r=a.v0.2.0"] },
      },
      installed: ["a.v0.1.0 0.1.0 a"],
      subscriptions: ["a a/alpha at=a.v0.1.0"],
      groups: ["og failforward"],
    },
    "a.v0.2.0@olm/cat",
  ],
];

for (const [id, sentence, world, expected] of wholeNamespace)
  test(`pinned: ${id}, ${sentence}`, () => assert.equal(answer(world), expected));

test("pinned: A25, entries keep the key of the catalog they were read from, so no bundle is found under another", () => {
  // Upstream can load entries under another key and then finds none; here the key is the snapshot's own.
  const snapshot = new CatalogSnapshot(
    { key: { namespace: "ns", name: "one" }, priority: 0, content: { kind: "unavailable", cause: "" } },
    shortCatalog({ "a/alpha": ["a.v1 1.0.0"] }),
  );
  for (const entry of snapshot.entriesNow("a")) assert.equal(entry.origin, snapshot.origin);
});

/** `NAME PHASE[ replaces]`; the phases that a chain of CSVs is in. */
function afterFailForward(...lines: readonly string[]): string {
  const csvs = lines.map((line): ClusterServiceVersion => {
    const [name = "", phase = "", replaces] = line.split(" ");
    return {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "ClusterServiceVersion",
      metadata: { name, namespace: "bar" },
      spec: { displayName: "", install: { strategy: "deployment" }, ...(replaces === undefined ? {} : { replaces }) },
      status: { phase: phase as "Failed" },
    };
  });
  const entries = installedEntries(csvs, [], { namespace: "bar", failForward: true });
  return entries.ok ? entries.value.map(({ name }) => name).join(" ") : entries.problem.message;
}

const chains: readonly (readonly [id: string, sentence: string, chain: readonly string[], left: string])[] = [
  ["D7", "no CSV, nothing to walk", [], ""],
  ["D8", "a single CSV that failed stays", ["v1 Failed"], "v1"],
  ["D9", "a single CSV that succeeded stays", ["v1 Succeeded"], "v1"],
  [
    "D10",
    "a chain that ends in success stays whole",
    ["v1 Replacing", "v2 Replacing v1", "v3 Succeeded v2"],
    "v1 v2 v3",
  ],
  [
    "D11",
    "a chain that ends in failure leaves only its end",
    ["v1 Replacing", "v2 Replacing v1", "v3 Failed v2"],
    "v3",
  ],
  [
    "D12",
    "a failure in the middle is refused",
    ["v1 Replacing", "v2 Failed v1", "v3 Failed v2"],
    "csv bar/v2 in phase Failed instead of Replacing",
  ],
  [
    "D13",
    "a circle is refused",
    ["foo-v1 Replacing foo-v2", "foo-v2 Replacing foo-v1"],
    "csv bar/foo-v1 has already been seen",
  ],
];

for (const [id, sentence, chain, left] of chains)
  test(`pinned: ${id}, ${sentence}`, () => assert.equal(afterFailForward(...chain), left));

interface Installed {
  readonly version?: string;
  readonly annotation?: string;
  readonly owned?: boolean;
  readonly required?: boolean;
  /** `PACKAGE CSV[ NAMESPACE]` of each Subscription. */
  readonly claims?: readonly string[];
}

function propertiesOfCsv({ version, annotation, owned, required, claims = [] }: Installed): string {
  const crd = (kind: string) => ({ name: `${kind.toLowerCase()}s.g.io`, version: "v1", kind });
  const service = (kind: string) => ({ name: "v1.s.io", group: "s.io", version: "v1", kind, deploymentName: "" });
  const csv: ClusterServiceVersion = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      name: "csv",
      namespace: "ns",
      ...(annotation === undefined ? {} : { annotations: { "operatorframework.io/properties": annotation } }),
    },
    spec: {
      displayName: "",
      install: { strategy: "deployment" },
      ...(version === undefined ? {} : { version }),
      customresourcedefinitions: {
        ...(owned === true ? { owned: [crd("Own")] } : {}),
        ...(required === true ? { required: [crd("Need")] } : {}),
      },
      apiservicedefinitions: {
        ...(owned === true ? { owned: [service("OwnService")] } : {}),
        ...(required === true ? { required: [service("NeedService")] } : {}),
      },
    },
  };
  const subscriptions = claims.map((claim, index): Subscription => {
    const [name = "", installedCSV = "", sourceNamespace = "ns"] = claim.split(" ");
    return {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "Subscription",
      metadata: { name: `s${index}`, namespace: "ns" },
      spec: { name, source: "cat", sourceNamespace },
      status: { installedCSV, currentCSV: installedCSV, lastUpdated: "" },
    };
  });
  const entries = installedEntries([csv], subscriptions, { namespace: "ns", failForward: false });
  if (!entries.ok) return entries.problem.message;
  return entries.value
    .flatMap((entry) => entry.properties.map(({ type, value }) => `${type} ${JSON.stringify(value)}`))
    .join("\n");
}

const gvk = (type: string, group: string, kind: string): string =>
  `${type} ${JSON.stringify({ group, kind, version: "v1" })}`;
const provides = [gvk("olm.gvk", "g.io", "Own"), gvk("olm.gvk", "s.io", "OwnService")].join("\n");
const requires = [gvk("olm.gvk.required", "g.io", "Need"), gvk("olm.gvk.required", "s.io", "NeedService")].join("\n");

const csvs: readonly (readonly [id: string, sentence: string, csv: Installed, expected: string | RegExp])[] = [
  ["E1", "without a Subscription no package is inferred", { version: "1.2.3" }, ""],
  ["E2", "nor from a Subscription of another CSV", { version: "1.2.3", claims: ["x other"] }, ""],
  ["E3", "nor from one without a package", { version: "1.2.3", claims: [" csv"] }, ""],
  ["E4", "nor from two that disagree", { version: "1.2.3", claims: ["x csv", "y csv"] }, ""],
  [
    "E5",
    "one that claims it gives package and version",
    { version: "1.2.3", claims: ["x csv"] },
    'olm.package {"packageName":"x","version":"1.2.3"}',
  ],
  [
    "E6",
    "also when its catalog lies in another namespace",
    { version: "1.2.3", claims: ["x csv far"] },
    'olm.package {"packageName":"x","version":"1.2.3"}',
  ],
  [
    "E7",
    "a CSV without version has the empty one",
    { claims: ["x csv"] },
    'olm.package {"packageName":"x","version":""}',
  ],
  [
    "E7",
    "nor has one of version 0.0.0, which is OLM's value for no version",
    { version: "0.0.0", claims: ["x csv"] },
    'olm.package {"packageName":"x","version":""}',
  ],
  ["E8", "a CSV without APIs has no properties", {}, ""],
  ["E9", "owned CRDs and API services are provided", { owned: true }, provides],
  ["E10", "required ones are required", { required: true }, requires],
  ["E11", "what it provides comes first", { owned: true, required: true }, `${provides}\n${requires}`],
  [
    "E12",
    "the annotation takes the place of all that",
    {
      owned: true,
      required: true,
      version: "1.2.3",
      claims: ["x csv"],
      annotation: '{"properties":[{"type":"other","value":{"a":1}}]}',
    },
    'other {"a":1}',
  ],
  [
    "H14",
    "an annotation that is no JSON is refused",
    { annotation: '{"properties":[{"type":"t","value":]}]}' },
    /^failed to retrieve properties of csv "csv": /,
  ],
];

for (const [id, sentence, csv, expected] of csvs)
  test(`pinned: ${id}, ${sentence}`, () => {
    const found = propertiesOfCsv(csv);
    if (typeof expected === "string") assert.equal(found, expected);
    else assert.match(found, expected);
  });

/** One bundle `a.v1` in channel `alpha`, the default, of package `a`. */
function entryWith(bundle: JsonObject): ReturnType<CatalogSnapshot["entriesNow"]>[number] {
  const blobs: readonly JsonObject[] = [
    { schema: "olm.package", name: "a", defaultChannel: "alpha" },
    { schema: "olm.channel", name: "alpha", package: "a", entries: [{ name: "a.v1" }] },
    { schema: "olm.channel", name: "beta", package: "a", entries: [{ name: "a.v1" }] },
    { schema: "olm.bundle", name: "a.v1", package: "a", image: "", ...bundle },
  ];
  const text = blobs.map((blob) => JSON.stringify(blob)).join("\n");
  const snapshot = new CatalogSnapshot(
    { key: { namespace: "olm", name: "cat" }, priority: 0, content: { kind: "unavailable", cause: "" } },
    indexOf(loadCatalog([{ file: "c.json", text }]).blobs),
  );
  const [entry] = endOf(snapshot.entriesOf("a", new Pace()));
  assert.ok(entry !== undefined);
  return entry;
}

const packageProperty = { type: "olm.package", value: { packageName: "a", version: "1.0.0" } };

test("pinned: E13, a bundle without APIs provides nothing and keeps its own content", () => {
  const entry = entryWith({ properties: [packageProperty] });
  assert.deepEqual([entry.facts.apis, entry.summary?.image], [[], ""]);
});

test("pinned: E14, properties say which APIs a bundle provides and requires", () => {
  const api = { group: "g.io", version: "v1", kind: "K" };
  const required = { type: "olm.gvk.required", value: { ...api, kind: "K2" } };
  const entry = entryWith({ properties: [packageProperty, { type: "olm.gvk", value: api }, required] });
  assert.deepEqual(entry.facts.apis, [api]);
  assert.deepEqual(entry.summary?.requires, [required.value]);
});

test("pinned: E15, the CSV that a bundle carries provides nothing", () => {
  const csv = { kind: "ClusterServiceVersion", spec: { customresourcedefinitions: { owned: [{ name: "ks.g.io" }] } } };
  const data = Buffer.from(JSON.stringify(csv)).toString("base64");
  const entry = entryWith({ properties: [packageProperty, { type: "olm.bundle.object", value: { data } }] });
  assert.deepEqual(entry.facts.apis, []);
});

test("pinned: E16, entries of the default channel are marked, others are not", () => {
  const snapshot = new CatalogSnapshot(
    { key: { namespace: "olm", name: "cat" }, priority: 0, content: { kind: "unavailable", cause: "" } },
    shortCatalog({ "a/alpha": ["a.v1 1.0.0"], "a/beta": ["a.v1 1.0.0"] }),
  );
  assert.deepEqual(
    snapshot.entriesNow("a").map(({ channel, inDefaultChannel }) => [channel, inDefaultChannel]),
    [
      ["alpha", true],
      ["beta", false],
    ],
  );
});

test("pinned: E17, a bundle's properties come first, then its requirements once more, as a registry states them", () => {
  const required = { type: "olm.package.required", value: { packageName: "b", versionRange: ">=1" } };
  const entry = entryWith({ image: "r/a", properties: [packageProperty, required] });
  assert.deepEqual(effectiveProperties(entry), [packageProperty, required, required]);
});

test("pinned: E18, an API is found by group, version and kind; its plural does not matter", () => {
  const index = shortCatalog({ "a/alpha": ["a.v1 1.0.0 P=K"] });
  assert.deepEqual(
    index.providers({ group: "g.io", version: "v1", kind: "K", plural: "whatever" }).map(({ name }) => name),
    ["a.v1"],
  );
});

test("pinned: F1, many resolutions over many catalogs at once each find exactly their entry", () => {
  const catalogs = Object.fromEntries(
    Array.from({ length: 1024 }, (_, number) => [`ns/cat${number}`, { [`p${number}/alpha`]: [`p${number}.v1 1.0.0`] }]),
  );
  const world = shortNamespace({ catalogs });
  const running = Array.from({ length: 64 }, (_, number) =>
    resolveNamespace({
      ...world,
      subscriptions: shortNamespace({
        catalogs: {},
        subscriptions: [`s p${number * 16}/alpha from=ns/cat${number * 16}`],
      }).subscriptions,
    }),
  );
  const found = new Map<number, string>();
  while (found.size < running.length)
    for (const [number, resolution] of running.entries()) {
      const progress = resolution.run(1);
      if (progress.kind === "more") continue;
      const { answer: outcome } = progress;
      found.set(
        number,
        outcome.kind === "resolved" ? outcome.operators.map(({ bundle }) => bundle.name).join() : outcome.upstream,
      );
    }
  for (const [number, name] of found) assert.equal(name, `p${number * 16}.v1`);
});

test("pinned: F2 and F3, changed content is seen by the next resolution, unchanged content gives the same answer", () => {
  const world = (version: string): string =>
    answer({ catalogs: { "olm/cat": { "a/alpha": [`a.v${version} ${version}`] } }, subscriptions: ["a a/alpha"] });
  assert.equal(world("1.0.0"), "a.v1.0.0@olm/cat");
  assert.equal(world("2.0.0"), "a.v2.0.0@olm/cat");
  assert.equal(world("2.0.0"), "a.v2.0.0@olm/cat");
});

test("pinned: F4, a catalog counts only while it has content", () => {
  const world = (content: string | Record<string, readonly string[]>): string =>
    answer({ catalogs: { "olm/cat": content }, subscriptions: ["a a/alpha"] });
  assert.equal(world({ "a/alpha": ["a.v1 1.0.0"] }), "a.v1@olm/cat");
  assert.equal(
    world("gone"),
    "error: error using catalogsource olm/cat: no registry client established for catalogsource olm/cat",
  );
});

test("pinned: F5, the error of a source names the source", () => {
  const input = shortNamespace({ catalogs: {}, subscriptions: [] });
  const outcome = resolveNow(
    resolveNamespace({
      ...input,
      namespace: "dummynamespace",
      operatorGroups: input.operatorGroups.map((group) => ({
        ...group,
        metadata: { name: "og", namespace: "dummynamespace" },
      })),
      catalogs: [
        {
          key: { namespace: "dummynamespace", name: "dummyname" },
          priority: 0,
          content: { kind: "unavailable", cause: "", upstream: "testing" },
        },
      ],
    }),
  );
  assert.equal(
    outcome.kind === "error" ? outcome.upstream : "",
    "error using catalogsource dummynamespace/dummyname: testing",
  );
});

test("pinned: F6, equal requirements look at a bundle once, so that a bundle counts once per question", () => {
  let asked = 0;
  const index = shortCatalog({
    "a/alpha": ["a.v1 1.0.0 R=K", "a.v2 2.0.0 r=a.v1 R=K", "a.v3 3.0.0 r=a.v2 R=K"],
    "b/alpha": ["b.v1 1.0.0 P=K"],
  });
  const counting = {
    ...index,
    packagesProviding: (api: Parameters<typeof index.packagesProviding>[0]) => {
      asked++;
      return index.packagesProviding(api);
    },
  };
  const input = shortNamespace({ catalogs: {}, subscriptions: ["a a/alpha"] });
  resolveNow(
    resolveNamespace({
      ...input,
      catalogs: [
        { key: { namespace: "olm", name: "cat" }, priority: 0, content: { kind: "present", index: counting } },
      ],
    }),
  );
  assert.equal(asked, 1);
});

const api = { gvk: { group: "g", version: "v1", kind: "K" } };
const inRange = { package: { packageName: "p", versionRange: ">=1.0.0" } };
const apiText = "providing an API with group: g, version: v1, kind: K";
const rangeText = "with package: p and with version in range: >=1.0.0";

const constraints: readonly (readonly [id: string, sentence: string, value: JsonObject, text: string | RegExp])[] = [
  ["H1", "a plain gvk is read", { failureMessage: "m", ...api }, apiText],
  ["H2", "a plain package is read", { failureMessage: "m", ...inRange }, rangeText],
  ["H3", "all is read", { all: { constraints: [api, inRange] } }, `${apiText} and ${rangeText}`],
  ["H4", "any is read", { any: { constraints: [api, inRange] } }, `${apiText} or ${rangeText}`],
  ["H5", "not is read", { not: { constraints: [api, inRange] } }, `${apiText} and not ${rangeText}`],
  [
    "H6",
    "they nest",
    { all: { constraints: [api, { any: { constraints: [inRange, { not: { constraints: [api] } }] } }] } },
    `${apiText} and ${rangeText} or ${apiText}`,
  ],
  [
    "H7",
    "more than the limit is refused",
    { failureMessage: "x".repeat(131_072), ...api },
    /^parse olm\.constraint: olm\.constraint value is greater than max constraint size 131072 bytes$/,
  ],
  ["H8", "an unknown key is refused", { arbitrary: {} }, 'parse olm.constraint: json: unknown field "arbitrary"'],
  [
    "H11",
    "an undeclared function is refused",
    { cel: { rule: "nothing(1)" } },
    /^convert olm\.constraint to resolver predicate: /,
  ],
  [
    "H12",
    "a rule that is not true or false is refused",
    { cel: { rule: "1" } },
    "convert olm.constraint to resolver predicate: cel expressions must have type Bool",
  ],
  [
    "H13",
    "a rule whose type is only known when it runs is refused",
    { cel: { rule: "properties[0].value" } },
    "convert olm.constraint to resolver predicate: cel expressions must have type Bool",
  ],
  [
    "H14",
    "a rule that is not true or false is refused inside another constraint",
    { not: { constraints: [{ cel: { rule: "semver_compare('1', '2')" } }] } },
    "convert olm.constraint to resolver predicate: cel expressions must have type Bool",
  ],
];

for (const [id, sentence, value, expected] of constraints)
  test(`pinned: ${id}, ${sentence}`, () => {
    const read = parseConstraint(value);
    const text = read.ok ? formatPredicate(read.value) : read.problem;
    if (typeof expected === "string") assert.equal(text, expected);
    else assert.match(text, expected);
  });

const comparisons: readonly (readonly [id: string, version: string, comparison: string, matches: boolean])[] = [
  ["H9", "1.0.0", "== 0", true],
  ["H10", "1.0.1", "== 0", false],
  ["H10", "1.0.0", "< 0", false],
  ["H10", "1.0.0", "> 0", false],
];

for (const [id, version, comparison, matches] of comparisons)
  test(`pinned: ${id}, a package ${version} is ${matches ? "" : "not "}found by semver_compare ${comparison} with 1.0.0`, () => {
    const rule = `properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'b' && semver_compare(p.value.version, '1.0.0') ${comparison})`;
    const world: ShortNamespace = {
      catalogs: {
        "olm/cat": {
          "a/alpha": [`a.v1 1.0.0 c=${JSON.stringify({ failureMessage: "", cel: { rule } })}`],
          "b/alpha": [`b.v1 ${version}`],
        },
      },
      subscriptions: ["a a/alpha"],
    };
    assert.equal(answer(world).startsWith("a.v1@olm/cat b.v1@olm/cat"), matches);
  });

test("pinned: H13, no properties are written as an empty object", () => {
  assert.equal(propertiesText([]), "{}");
});
