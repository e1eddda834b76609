import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { smallAnnotations, smallBundle, smallCrd, smallCsv } from "../testing/small-bundle.ts";
import type { BundleDirectory } from "../bundle-files.ts";
import { parseBundleDirectory } from "../directory/parse-directory.ts";
import { contentFaults } from "./content.ts";
import { formatFaults } from "./format.ts";
import { judgeBundle } from "./judge-bundle.ts";
import { loadBundle } from "./loaded-bundle.ts";
import { mediaTypeOf } from "./media-type.ts";
import { ruleWords } from "./rules.ts";
import { runValidator, type ValidatorName, validatorNames, type ValidatorOptions } from "./suites.ts";

const options: ValidatorOptions = { sizes: { raw: 1000, compressed: 500 }, indexFile: { kind: "notGiven" } };

/** Findings as `E rule: detail`. */
function found(name: ValidatorName, files: BundleDirectory, more: Partial<ValidatorOptions> = {}): readonly string[] {
  const loaded = loadBundle(files, "/b");
  assert.ok(loaded.ok, loaded.ok ? "" : loaded.problem.message);
  const results = runValidator(name, loaded.value, { ...options, ...more });
  return results.flatMap(({ issues }) =>
    issues.map(({ level, rule, detail }) => `${level.charAt(0)} ${rule}: ${detail}`),
  );
}

const withCsv = (spec: JsonObject, metadata: JsonObject = {}): BundleDirectory =>
  smallBundle({ "manifests/csv.json": smallCsv(spec, metadata) });

test("no validator except operatorhub has a finding about the small bundle", () => {
  const findings = judgeBundle(
    smallBundle(),
    "b",
    validatorNames.filter((name) => name !== "operatorhub"),
    options,
  );
  assert.deepEqual(findings, []);
});

const messages = (files: BundleDirectory): readonly string[] => formatFaults(files, "/b").map(({ message }) => message);

test("missing directories are reported together, and nothing else is checked", () => {
  const empty = { ...smallBundle(), files: [], directories: [] };
  assert.deepEqual(messages(empty), ["Unable to locate manifests directory", "Unable to locate metadata directory"]);
});

const formats: readonly (readonly [string, Readonly<Record<string, string | undefined>>, readonly string[]])[] = [
  ["without annotations", { "metadata/annotations.yaml": undefined }, ["Could not find annotations file"]],
  [
    "without a package",
    { "metadata/annotations.yaml": smallAnnotations({ package: undefined }) },
    ['Missing annotation "operators.operatorframework.io.bundle.package.v1"'],
  ],
  [
    "of another media type",
    { "metadata/annotations.yaml": smallAnnotations({ mediatype: "helm" }) },
    [
      'Expecting annotation "operators.operatorframework.io.bundle.mediatype.v1" to have value "registry+v1" instead of "helm"',
    ],
  ],
  [
    "with an empty API",
    { "metadata/dependencies.yaml": "dependencies: [{type: olm.gvk, value: {}}]" },
    ["API Group is empty", "API Version is empty", "API Kind is empty"],
  ],
  [
    "with a range that is none",
    { "metadata/dependencies.yaml": "dependencies: [{type: olm.package, value: {packageName: a, version: '>>1'}}]" },
    ["Invalid semver format version"],
  ],
  [
    "with a rule that gives no truth value",
    { "metadata/dependencies.yaml": "dependencies: [{type: olm.constraint, value: {cel: {rule: '1 + 1'}}}]" },
    ["Invalid CEL expression: cel expressions must have type Bool"],
  ],
];
for (const [what, files, expected] of formats)
  test(`a bundle ${what} says so`, () => assert.deepEqual(messages(smallBundle(files)), expected));

const mediaTypes: readonly (readonly [string, Readonly<Record<string, string | undefined>>, string])[] = [
  ["a CSV", {}, "registry+v1"],
  ["a chart with a name", { "manifests/Chart.yaml": "name: kiln" }, "helm"],
  ["other manifests", { "manifests/csv.json": undefined }, "plain"],
];
for (const [what, files, expected] of mediaTypes)
  test(`${what} makes a bundle of type ${expected}`, () => {
    const type = mediaTypeOf(smallBundle(files), "/b");
    assert.equal(type.ok && type.value, expected);
  });

test("an empty directory has no media type", () => {
  const type = mediaTypeOf({ ...smallBundle(), files: [] }, "/b");
  assert.equal(type.ok ? "" : type.problem, "The directory /b contains no yaml files");
});

const contents: readonly (readonly [string, Readonly<Record<string, JsonObject | string | undefined>>, RegExp])[] = [
  [
    "an unsupported kind",
    { "manifests/x.yaml": "{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}}" },
    /^Deployment is not supported type for registryV1 bundle: \/b\/manifests\/x.yaml$/,
  ],
  ["no CSV", { "manifests/csv.json": undefined }, /^no ClusterServiceVersion found in manifests$/],
  [
    "a CRD of another version",
    { "manifests/crd.json": { ...smallCrd, apiVersion: "apiextensions.k8s.io/v2" } },
    /^Unsupported api version of CRD: apiextensions.k8s.io\/v2\n/,
  ],
  [
    "a CRD that is owned and absent",
    { "manifests/crd.json": undefined },
    /owned CRD pots.kiln.example.com\/v1 not found in bundle "kiln.v1.0.0"$/,
  ],
];
for (const [what, files, expected] of contents)
  test(`the content check finds ${what}`, () => {
    assert.match(
      contentFaults(smallBundle(files), "/b")
        .map(({ message }) => message)
        .join("\n"),
      expected,
    );
  });

const long = "k".repeat(64);
const csvCases: readonly (readonly [string, ValidatorName, BundleDirectory, readonly RegExp[]])[] = [
  ["a long name", "csv", withCsv({}, { name: long }), [/^E csv-name: .* is invalid: must be no more than 63 bytes$/]],
  [
    "examples that are no JSON",
    "csv",
    withCsv({}, { annotations: { "alm-examples": "[{]" } }),
    [/^E csv-examples-unreadable: /],
  ],
  [
    "no examples",
    "csv",
    withCsv({}, { annotations: { a: "b" } }),
    [/^W csv-examples: .* example annotations not found$/],
  ],
  [
    "properties in an annotation",
    "csv",
    withCsv(
      {},
      {
        annotations: {
          "alm-examples": '[{"apiVersion":"kiln.example.com/v1","kind":"Pot"}]',
          "olm.properties": "[]",
        },
      },
    ),
    [/^W properties-annotation: /],
  ],
  ["no install modes", "csv", withCsv({ installModes: [] }), [/install modes not found$/]],
  [
    "no supported install mode",
    "csv",
    withCsv({ installModes: [{ type: "AllNamespaces", supported: false }] }),
    [/none of InstallModeTypes are supported$/],
  ],
  [
    "an unknown category",
    "standard-categories",
    withCsv({}, { annotations: { categories: "Database, Pottery" } }),
    [/value "Pottery" is not in the set of standard categories$/],
  ],
  [
    "an unknown capability",
    "standard-capabilities",
    withCsv({}, { annotations: { capabilities: "Magic" } }),
    [/"Magic" is not a valid capabilities level$/],
  ],
  [
    "a mail address that is none",
    "operatorhubv2",
    withCsv({ maintainers: [{ name: "Ann", email: "ann" }] }),
    [/email ann is invalid: mail: missing '@' or angle-addr$/],
  ],
  ["an empty list of icons", "operatorhubv2", withCsv({ icon: [] }), [/Icon should only have one element$/]],
  [
    "images of every form",
    "bundle",
    withCsv({
      relatedImages: ["a", "a:1", `a@sha256:${"0".repeat(64)}`, `a:1@sha256:${"0".repeat(64)}`].map((image) => ({
        name: "",
        image,
      })),
    }),
    [],
  ],
  [
    "images that are none",
    "bundle",
    withCsv({ relatedImages: ["", "a b", "A/b", "a@md5:00"].map((image) => ({ name: "", image })) }),
    [
      /relatedImages\[0\] has an empty image field$/,
      /relatedImages\[1\]/,
      /relatedImages\[2\].*must be lowercase$/,
      /relatedImages\[3\]/,
    ],
  ],
  [
    "an API twice",
    "bundle",
    smallBundle({ "manifests/again.json": smallCrd }),
    [/^E bundle-duplicate-crd: duplicate CRD "kiln.example.com\/v1, Kind=Pot"/],
  ],
  [
    "an owned API that is missing",
    "bundle",
    smallBundle({ "manifests/crd.json": undefined }),
    [/^E bundle-missing-crd: /],
  ],
  [
    "the CSV's service account",
    "bundle",
    smallBundle({ "manifests/sa.json": { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "kiln" } } }),
    [/^E bundle-service-account: /],
  ],
  [
    "a budget that allows nothing",
    "object",
    smallBundle({
      "manifests/a.json": {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "a" },
        spec: { maxUnavailable: 0, minAvailable: "100%" },
      },
    }),
    [/maxUnavailable field cannot be set to 0 or 0%$/, /minAvailable field cannot be set to 100%$/],
  ],
  [
    "rights on default constraints and budgets",
    "object",
    smallBundle({
      "manifests/a.json": {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        metadata: { name: "a" },
        rules: [
          {
            apiGroups: ["security.openshift.io"],
            resources: ["securitycontextconstraints"],
            resourceNames: ["anyuid"],
            verbs: ["update"],
          },
          { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["create"] },
        ],
      },
    }),
    [/^E object-role-constraints/, /^W object-role-budgets/],
  ],
];
for (const [what, name, files, expected] of csvCases)
  test(`validator ${name} on ${what} finds ${expected.length}`, () => {
    const findings = found(name, files);
    assert.equal(findings.length, expected.length, findings.join("\n"));
    expected.forEach((pattern, index) => assert.match(findings[index] ?? "", pattern));
  });

test("annotations whose case matters are named with their right spelling", () => {
  const metadata = { annotations: { "alm-examples": "[]", "olm.Operatorgroup": "x" } };
  assert.ok(
    found("csv", withCsv({}, metadata)).some((text) =>
      text.includes("provided annotation olm.Operatorgroup uses wrong case and should be olm.operatorGroup instead"),
    ),
  );
});

const sizes: readonly (readonly [string, ValidatorOptions["sizes"], readonly string[]])[] = [
  ["below 85 %", { raw: 1, compressed: 891_289 }, []],
  ["above 85 %", { raw: 1, compressed: 891_290 }, ["W"]],
  ["above 1 MiB", { raw: 1, compressed: 1_048_577 }, ["E"]],
  ["unknown", {}, ["W", "W"]],
];
for (const [what, size, levels] of sizes)
  test(`a size ${what} gives ${levels.length} findings`, () => {
    assert.deepEqual(
      found("bundle", smallBundle(), { sizes: size }).map((text) => text.charAt(0)),
      levels,
    );
  });

const oldCrd: JsonObject = { ...smallCrd, apiVersion: "apiextensions.k8s.io/v1beta1" };
const oldBundle = (properties?: JsonValue, minKubeVersion = ""): BundleDirectory =>
  smallBundle({
    "manifests/crd.json": oldCrd,
    "manifests/csv.json": smallCsv(
      { minKubeVersion },
      { annotations: properties === undefined ? { a: "b" } : { "olm.properties": JSON.stringify(properties) } },
    ),
  });
const removed: readonly (readonly [string, string, string, readonly string[]])[] = [
  ["no version", "", "", ["W"]],
  ["a version that serves it no more", "1.22", "", ["E"]],
  ["an older version", "1.21.9", "", ["W"]],
  ["a lowest version that serves it no more", "", "1.22.0", ["E"]],
  ["a version that is none", "x", "", ["E", "W"]],
];
for (const [what, kubernetes, lowest, levels] of removed)
  test(`an API removed in 1.22 and ${what}: ${levels.join(" ")}`, () => {
    const findings = found("alpha-deprecated-apis", oldBundle(undefined, lowest), { kubernetes });
    assert.deepEqual(
      findings.map((text) => text.charAt(0)),
      levels,
    );
  });

test("unusual channel names are listed in one warning, usual ones in none", () => {
  const channels = (names: string): BundleDirectory =>
    smallBundle({
      "metadata/annotations.yaml": smallAnnotations({ channels: names }),
    });
  assert.deepEqual(found("good-practices", channels("fast,stable-v1,candidate-v2")), []);
  const [only, ...others] = found("good-practices", channels("alpha,stable,mychannel-4.5"));
  assert.match(only ?? "", /channel\(s\) \["alpha" "mychannel-4.5"\]/);
  assert.deepEqual(others, []);
});

test("a release may be a text or a number, and nothing else", () => {
  const release = (value: JsonValue): string => {
    const parsed = parseBundleDirectory(withCsv({ release: value }));
    return parsed.ok ? parsed.value.release : parsed.problem.message;
  };
  assert.equal(release(2), "2");
  assert.equal(release(1.5), "1.5");
  assert.equal(release("a"), "a");
  assert.match(release({}), /release field must be a string or number$/);
});

test("properties of the file and of the annotation are united", () => {
  const files = smallBundle({
    "manifests/csv.json": smallCsv({}, { annotations: { "olm.properties": '[{"type":"a","value":1}]' } }),
    "metadata/properties.yaml": "properties: [{type: b, value: {x: 1}}]",
  });
  const parsed = parseBundleDirectory(files);
  assert.ok(parsed.ok);
  assert.deepEqual(
    parsed.value.properties.map(({ type }) => type),
    ["b", "olm.package", "a"],
  );
  const images = parsed.value.csv.operatorImages();
  assert.deepEqual(images.ok && images.value, ["example.com/kiln:1", "example.com/first:1"]);
});

test("findings carry file, line, cause and remedy", () => {
  const text = JSON.stringify(smallCsv({ installModes: [] }), null, 2);
  const [finding] = judgeBundle(smallBundle({ "manifests/csv.json": text }), "dir", ["csv"], options);
  assert.equal(finding?.rule, "csv-install-modes");
  assert.equal(finding?.place.file, "dir/manifests/csv.json");
  const line = text.split("\n").findIndex((each) => each.includes('"installModes"')) + 1;
  assert.equal(finding?.place.line, line);
  assert.notEqual(finding?.remedy, ruleWords("no such rule").remedy);
});

test("readers and validators never throw", () => {
  const value = fc.oneof(
    fc.integer(),
    fc.string({ maxLength: 4 }),
    fc.constant(null),
    fc.constant([]),
    fc.constant({}),
    fc.constant([null]),
    fc.constant([{}]),
    fc.constant(JSON.parse('{"__proto__":1,"constructor":[2]}') as JsonValue),
  );
  const paths = [
    "spec",
    "metadata",
    "spec/install",
    "spec/install/spec",
    "spec/install/spec/deployments",
    "spec/customresourcedefinitions",
    "spec/customresourcedefinitions/owned",
    "spec/versions",
    "spec/names",
    "spec/relatedImages",
    "spec/icon",
    "spec/installModes",
    "metadata/annotations",
    "kind",
    "apiVersion",
  ];
  const change = (object: JsonObject, path: string, next: JsonValue): JsonObject => {
    const copy = JSON.parse(JSON.stringify(object)) as Record<string, JsonValue>;
    const keys = path.split("/");
    let at: Record<string, JsonValue> = copy;
    for (const key of keys.slice(0, -1)) {
      const inner = at[key];
      if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return copy;
      at = inner as Record<string, JsonValue>;
    }
    at[keys.at(-1) ?? ""] = next;
    return copy;
  };
  fc.assert(
    fc.property(
      fc.constantFrom(...paths),
      value,
      fc.constantFrom("csv", "crd"),
      fc.string(),
      (path, next, which, junk) => {
        const files = smallBundle({
          [`manifests/${which}.json`]: change(which === "csv" ? smallCsv() : smallCrd, path, next),
          "metadata/dependencies.yaml": junk,
        });
        parseBundleDirectory(files);
        judgeBundle(files, "b", validatorNames, options);
      },
    ),
    { numRuns: 300 },
  );
});

test("every rule has a cause and a remedy of its own", () => {
  const source = readFileSync(join(import.meta.dirname, "rules.ts"), "utf8");
  const ids = [...source.matchAll(/^ {2}"([a-z-]+)": \{/gm)].map(([, id = ""]) => id);
  assert.ok(ids.length > 30);
  const unknown = ruleWords("no such rule");
  for (const id of ids) {
    const { cause, remedy } = ruleWords(id);
    assert.ok(cause !== undefined && cause !== "" && cause !== unknown.cause, id);
    assert.ok(remedy !== undefined && remedy !== "" && remedy !== unknown.remedy, id);
  }
});
