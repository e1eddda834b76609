import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { smallAnnotations, smallBundle, smallCrd, smallCsv } from "../testing/small-bundle.ts";
import { validateBundle } from "./bundle.ts";
import { contentFaults } from "./content.ts";
import { validateCsv } from "./csv.ts";
import { formatFaults } from "./format.ts";
import { formatIssue } from "./issue.ts";
import { loadBundle } from "./loaded-bundle.ts";

type Files = Readonly<Record<string, JsonObject | string | undefined>>;

test("annotations come from the last file of their name that can be read; one that cannot refuses the bundle", () => {
  const named = (name: string): string => smallAnnotations({ package: name });
  const packageOf = (files: Files): string => {
    const loaded = loadBundle(smallBundle({ "metadata/annotations.yaml": undefined, ...files }), "/b");
    return loaded.ok ? loaded.value.packageName : loaded.problem.message;
  };
  const refused = (path: string): RegExp => new RegExp(`^unable to load the annotations file /b/${path}: error `);
  const cases: readonly (readonly [Files, string | RegExp])[] = [
    [{}, ""],
    [{ "metadata/annotations.yaml": "" }, ""],
    [{ "metadata/annotations.yaml": "\n" }, ""],
    [{ "metadata/annotations.yaml": "# only\n" }, ""],
    [{ "metadata/annotations.yaml": "---\n" }, ""],
    [{ "metadata/annotations.yaml": "annotations:\n" }, ""],
    [{ "metadata/annotations.yaml": "annotations: {operators.operatorframework.io.bundle.package.v1: 1}" }, "1"],
    [{ "metadata/annotations.yml": named("a") }, "a"],
    [{ "metadata/annotations.yaml": named("a"), "metadata/annotations2.yaml": named("b") }, "b"],
    [{ "metadata/annotations.yaml": named("a"), "metadata/annotations2.yaml": "" }, ""],
    [{ "metadata/annotations.yaml": named("a"), "metadata/.annotations.yaml": "1" }, "a"],
    [{ "metadata/annotations.yaml": named("a"), "metadata/my-annotations.yaml": "1" }, "a"],
    [{ "metadata/annotations.yaml": "\t" }, refused("metadata/annotations.yaml")],
    [{ "metadata/annotations.yaml": "text" }, refused("metadata/annotations.yaml")],
    [{ "metadata/annotations.yaml": "annotations: 1" }, refused("metadata/annotations.yaml")],
    [{ "metadata/annotations.yaml": smallAnnotations({ channels: ["a"] }) }, refused("metadata/annotations.yaml")],
    [{ "metadata/annotations.yaml": named("a"), "metadata/annotations2": "[]" }, refused("metadata/annotations2")],
  ];
  for (const [files, expected] of cases) {
    const actual = packageOf(files);
    if (typeof expected === "string") assert.equal(actual, expected, JSON.stringify(files));
    else assert.match(actual, expected, JSON.stringify(files));
  }
});

test("reports what keeps a directory from loading in the order of reading, each text once", () => {
  const messageOf = (files: Files): string => {
    const loaded = loadBundle(smallBundle(files), "/b");
    return loaded.ok ? "" : loaded.problem.message;
  };
  const csv = smallCsv();
  const several = "error loading objs in directory: invalid bundle: contains multiple CSVs";
  const cases: readonly (readonly [Files, string])[] = [
    [{ "manifests/csv2.json": csv }, `[${several}, no bundle csv found, unable to load bundle from directory /b]`],
    [
      { "manifests/csv.json": undefined, "metadata/annotations.yaml": "text" },
      "[unable to load the annotations file /b/metadata/annotations.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go value of type manifests.AnnotationsFile, unable to find a csv in bundle directory /b]",
    ],
    // A second CSV beside the annotations is another bundle, of which the annotations are no object.
    [
      { "metadata/csv.json": csv },
      "error loading objs in directory: unable to decode object: Object 'Kind' is missing in",
    ],
  ];
  for (const [files, expected] of cases) {
    const message = messageOf(files);
    assert.equal(message.slice(0, expected.length), expected);
  }
});

test("what keeps a directory from loading has the place of its first cause that has one", () => {
  const placeOf = (files: Files): unknown => {
    const loaded = loadBundle(smallBundle(files), "/b");
    return loaded.ok ? "loaded" : loaded.problem.place?.file;
  };
  assert.equal(placeOf({ "manifests/csv2.json": smallCsv() }), "manifests/csv2.json");
  assert.equal(placeOf({ "metadata/annotations.yaml": "text" }), "metadata/annotations.yaml");
  assert.equal(placeOf({ "manifests/csv.json": undefined }), undefined);
});

test("JSON manifests are read as YAML, which accepts a number as a string", () => {
  const loaded = loadBundle(smallBundle({ "manifests/csv.json": smallCsv({ maturity: 1 as JsonValue }) }), "/b");
  assert.ok(loaded.ok);
});

const content = (files: Files): readonly string[] =>
  contentFaults(smallBundle(files), "/b").map(({ message }) => message);

test("the content check reports the registry library's problems with CRDs and other objects", () => {
  const unregistered = (version: string) =>
    `Error: Value error decoding v1 CRD: no kind "CustomResourceDefinition" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111": error getting bundle CSV`;
  const owned = (...items: readonly JsonObject[]) => smallCsv({ customresourcedefinitions: { owned: items } });
  const old = (spec: JsonObject): JsonObject => ({
    ...smallCrd,
    apiVersion: "apiextensions.k8s.io/v1beta1",
    spec: { ...(smallCrd["spec"] as JsonObject), ...spec },
  });
  const object = (metadata: JsonObject): string => JSON.stringify({ apiVersion: "v1", kind: "Service", metadata });
  const cases: readonly (readonly [Files, readonly string[]])[] = [
    [{ "manifests/crd.json": { ...smallCrd, apiVersion: "v1" } }, [unregistered("v1")]],
    // It is found before the missing CSV.
    [
      { "manifests/crd.json": { ...smallCrd, apiVersion: "a/v1" }, "manifests/csv.json": undefined },
      [unregistered("a/v1")],
    ],
    [
      { "manifests/csv.json": owned({ name: "", version: "v1", kind: "Pot" }) },
      ['Error: Value { Pot  v1}: owned CRD /v1 Pot not found in bundle "kiln.v1.0.0"'],
    ],
    [
      { "manifests/csv.json": owned({ name: "pots.kiln.example.com", version: "v2", kind: "Pot" }) },
      ['owned CRD pots.kiln.example.com/v2 not found in bundle "kiln.v1.0.0"'],
    ],
    // A v1beta1 CRD with `spec.version` has only that version.
    [{ "manifests/crd.json": old({ version: "v1beta2" }) }, ["owned CRD pots.kiln.example.com/v1 not found"]],
    [{ "manifests/crd.json": old({ version: "v1" }) }, []],
    [{ "manifests/service.yaml": object({ name: "a" }) }, []],
    [{ "manifests/service.yaml": object({ generateName: "a" }) }, []],
    [{ "manifests/service.yaml": object({}) }, ["metadata.name: Required value: name or generateName is required."]],
    [
      { "manifests/service.yaml": object({ name: "a", namespace: "b" }) },
      ["metadata.namespace: Forbidden: not allowed on this type."],
    ],
    [
      { "manifests/service.yaml": object({ namespace: "b" }) },
      [
        "[metadata.name: Required value: name or generateName is required, metadata.namespace: Forbidden: not allowed on this type].",
      ],
    ],
  ];
  for (const [files, expected] of cases) {
    const faults = content(files).filter(
      (message) =>
        !message.includes("Field spec") &&
        !message.startsWith("Unsupported") &&
        !message.includes("couldn't parse") &&
        !message.includes("example must have"),
    );
    assert.equal(faults.length, expected.length, faults.join("\n"));
    for (const [index, text] of expected.entries()) assert.ok(faults[index]?.includes(text), faults[index]);
  }
});

test("a finding that names neither field nor value begins with two colons", () => {
  const issue = { rule: "r", level: "Error", type: "ParseError", detail: "d" } as const;
  assert.equal(formatIssue(issue), "Error: : d");
  assert.equal(formatIssue({ ...issue, field: "" }), "Error: : d");
  assert.equal(formatIssue({ ...issue, field: "f" }), "Error: Field f: d");
  assert.equal(formatIssue({ ...issue, value: { text: "" } }), "Error: Value : d");
  assert.equal(formatIssue({ ...issue, field: "f", value: { text: "v" } }), "Error: Field f, Value v: d");
  assert.equal(formatIssue({ ...issue, detail: "" }), "ErrMessageMissing");
});

test("a service account is refused when a deployment of the CSV uses its name, and when it can be read", () => {
  const accounts = (account: JsonObject): readonly string[] => {
    const files = smallBundle({ "manifests/sa.json": { apiVersion: "v1", kind: "ServiceAccount", ...account } });
    const loaded = loadBundle(files, "/b");
    assert.ok(loaded.ok);
    return validateBundle(loaded.value, { raw: 1, compressed: 1 }).issues.map(({ detail }) => detail);
  };
  const loaded = loadBundle(smallBundle(), "/b");
  assert.ok(loaded.ok);
  const text = JSON.stringify(loaded.value.csv);
  const used = /"serviceAccountName":"([^"]*)"/.exec(text)?.[1] ?? "";
  const [first = "", ...others] = accounts({ metadata: { name: used } });
  assert.deepEqual(others, []);
  assert.ok(
    first.startsWith(
      `invalid service account found in bundle. This service account ${used} in your bundle is not valid`,
    ),
  );
  assert.deepEqual(accounts({ metadata: { name: `${used}x` } }), []);
  assert.deepEqual(accounts({ metadata: { name: used }, secrets: "x" }), []);
});

test("examples that are not valid JSON are refused with the offset of the first invalid byte", () => {
  const shown = (text: string): string => {
    const { issues } = validateCsv(smallCsv({}, { annotations: { "alm-examples": text } }));
    return issues.find(({ rule }) => rule === "csv-examples-unreadable")?.value?.text ?? "";
  };
  assert.equal(shown("[{]"), "invalid character at 3\n [{]<--(see the invalid character)");
  assert.equal(shown("- a: b"), "invalid character at 2\n - <--(see the invalid character)");
  assert.equal(shown("[] x"), "invalid character at 4\n [] x<--(see the invalid character)");
  assert.equal(shown('["\u00e9" \u00e9]'), 'invalid character at 7\n ["\u00e9" \ufffd<--(see the invalid character)');
  assert.equal(shown("["), "invalid character at 1\n [<--(see the invalid character)");
  assert.equal(shown(""), "");
});

test("each webhook that converts is refused beside another install mode, before the lack of any mode", () => {
  const modes = (...supported: readonly string[]) => ({
    installModes: ["AllNamespaces", "OwnNamespace"].map((type) => ({ type, supported: supported.includes(type) })),
    webhookdefinitions: [{ conversionCRDs: ["a"] }, {}, { conversionCRDs: ["b"] }],
  });
  const rules = (spec: JsonObject): readonly string[] =>
    validateCsv(smallCsv(spec))
      .issues.filter(({ rule }) => rule === "csv-install-modes")
      .map(({ detail }) => detail.replace("(kiln.v1.0.0) ", ""));
  const partial = "only AllNamespaces InstallModeType is supported when conversionCRDs is present";
  assert.deepEqual(rules(modes("AllNamespaces")), []);
  assert.deepEqual(rules(modes("AllNamespaces", "OwnNamespace")), [partial, partial]);
  assert.deepEqual(rules(modes()), [partial, partial, "none of InstallModeTypes are supported"]);
});

test("an annotation that is null counts as empty, not as missing", () => {
  const texts = (annotations: string): readonly string[] =>
    formatFaults(smallBundle({ "metadata/annotations.yaml": annotations }), "/b").map(({ message }) => message);
  const name = "operators.operatorframework.io.bundle";
  assert.deepEqual(texts(smallAnnotations({ package: null })), []);
  assert.deepEqual(texts(smallAnnotations({ channels: null })), [
    `Expecting annotation "${name}.channels.v1" to have non-empty value`,
  ]);
  assert.deepEqual(texts(smallAnnotations({ "channel.default": null })), [
    `Expecting annotation "${name}.channel.default.v1" to have non-empty value`,
  ]);
});
