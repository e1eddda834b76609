// Answers of OLM's own extractor, loader and step builder to small bundles, restated.
import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import { stepsOf } from "./install-plan-steps.ts";
import { unpackBundle } from "./unpack-bundle.ts";

function csv(apiVersion = "operators.coreos.com/v1alpha1", strategy = "deployment"): string {
  const permissions = [{ serviceAccountName: "sa", rules: [] }];
  const spec = { version: "1.0.0", install: { strategy, spec: { deployments: [], permissions } } };
  return JSON.stringify({ apiVersion, kind: "ClusterServiceVersion", metadata: { name: "x.v1" }, spec });
}

const configMap = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
const annotations = "annotations:\n  operators.operatorframework.io.bundle.package.v1: x\n";
const base = { "manifests/csv.yaml": csv(), "metadata/annotations.yaml": annotations };

function unpacked(files: Readonly<Record<string, string>>) {
  const encoder = new TextEncoder();
  const list = Object.entries(files).map(([path, text]) => ({ path, bytes: encoder.encode(text) }));
  return unpackBundle({ digest: digestOf(""), files: list });
}

/** Kinds and names of the steps without the derived RBAC, or stage and text of what is wrong. */
function steps(files: Readonly<Record<string, string>>): string {
  const bundle = unpacked(files);
  if (!bundle.ok) return `${bundle.problem.stage}: ${bundle.problem.message}`;
  const options = { namespace: "ns", replaces: "", catalog: { name: "cat", namespace: "olm" }, properties: "" };
  const made = stepsOf(bundle.value, options);
  if (!made.ok) return `${made.problem.stage}: ${made.problem.message}`;
  return made.value
    .filter(({ resource }) => resource.manifest.includes(`"kind":"${resource.kind}"`))
    .map(({ resource }) => `${resource.kind} ${resource.name}`)
    .join(", ");
}

const onlyCsv = "ClusterServiceVersion x.v1";
const holdsNothing =
  "steps: could not infer GVK for object: &unstructured.Unstructured{Object:map[string]interface {}(nil)}, &unstructured.Unstructured{Object:map[string]interface {}(nil)}";
const contents: readonly (readonly [what: string, content: string, expected: string])[] = [
  ["an empty file is skipped", "", onlyCsv],
  ["a file of comments fails the bundle", "# hello\n", holdsNothing],
  ["a file of blank lines fails the bundle", "\n", holdsNothing],
  ["a file of null fails the bundle", "null", holdsNothing],
  ["comments before a first separator are a document of their own", `# c\n---\n${configMap("c")}`, holdsNothing],
  ["a separator before the first document is none", `---\n${configMap("c")}`, `${onlyCsv}, ConfigMap c`],
  ["two separators have a null document between them", `---\n---\n${configMap("c")}`, holdsNothing],
  ["a broken second document is lost silently", `${configMap("c")}---\nkind: [`, `${onlyCsv}, ConfigMap c`],
  ["a scalar is skipped", "hello", onlyCsv],
  ["an empty map is skipped", "{}", onlyCsv],
  ["broken YAML is skipped", "a: [", onlyCsv],
  ["an apiVersion of three parts is skipped", configMap("c").replace("v1", "a/b/c"), onlyCsv],
  ["an apiVersion that is a number counts as none", configMap("c").replace("v1", "1"), `${onlyCsv}, ConfigMap c`],
];
for (const [what, content, expected] of contents)
  test(what, () => assert.equal(steps({ ...base, "manifests/b.yaml": content }), expected));

const worlds: readonly (readonly [what: string, files: Readonly<Record<string, string>>, expected: string])[] = [
  [
    "of file names that become equal, the last in the order of bytes counts",
    { "manifests/a b": configMap("one"), "manifests/a-b": configMap("two"), "manifests/a:b": configMap("three") },
    `ConfigMap three`,
  ],
  [
    "a letter beyond ASCII becomes one hyphen, also one of two UTF-16 units",
    { "manifests/😀": configMap("one"), "manifests/ﬀ": configMap("two") },
    "ConfigMap one",
  ],
  [
    "a file in metadata overwrites the manifest of its name",
    { "manifests/m": configMap("one"), "metadata/m": configMap("two") },
    "ConfigMap two",
  ],
];
for (const [what, files, expected] of worlds)
  test(what, () => assert.equal(steps({ ...base, ...files }), `${onlyCsv}, ${expected}`));

test("a directory among the manifests fails the bundle", () =>
  assert.equal(steps({ ...base, "manifests/x/y.yaml": configMap("c") }), "extract: read manifests/x: is a directory"));

test("a file without an object is found before an unknown install strategy", () => {
  const files = { ...base, "manifests/csv.yaml": csv(undefined, "helm") };
  assert.equal(steps(files), "steps: unrecognized install strategy");
  assert.equal(steps({ ...files, "manifests/b": "#" }), holdsNothing);
});

const annotationFiles: readonly (readonly [what: string, text: string, expected: string | undefined])[] = [
  ["texts are kept", "x", "x"],
  ["a number is kept as a text", "5", "5"],
  ["a boolean is kept as a text", "true", "true"],
  ["null is empty", "null", ""],
  ["a list is refused", "[x]", undefined],
];
for (const [what, value, expected] of annotationFiles)
  test(`in annotations.yaml, ${what}`, () => {
    const name = "operators.operatorframework.io.bundle.package.v1";
    for (const key of [name, name.replace("o", "O")]) {
      const bundle = unpacked({ ...base, "metadata/annotations.yaml": `annotations:\n  ${key}: ${value}\n` });
      assert.equal(bundle.ok ? bundle.value.annotations[name] : undefined, expected);
    }
  });

test("annotations.yaml keeps the annotations of bundles and no others", () => {
  const names = ["manifests", "mediatype", "metadata", "package", "channels", "channel.default"];
  const all = names.map((name) => [`operators.operatorframework.io.bundle.${name}.v1`, name] as const);
  const lines = [...all, ["com.example.owner", "ann"] as const].map(([name, value]) => `  ${name}: ${value}\n`);
  const bundle = unpacked({ ...base, "metadata/annotations.yaml": `annotations:\n${lines.join("")}` });
  assert.deepEqual(bundle.ok && bundle.value.annotations, {
    ...Object.fromEntries(all),
    "olm.contentEncoding": "gzip+base64",
  });
});

test("without annotations.yaml only the encoding is noted", () => {
  const bundle = unpacked({ "manifests/csv.yaml": csv(), "metadata/other.yaml": "a: b" });
  assert.deepEqual(bundle.ok && bundle.value.annotations, { "olm.contentEncoding": "gzip+base64" });
});

test("owner references of derived objects take over the apiVersion that the CSV states", () => {
  const bundle = unpacked({ ...base, "manifests/csv.yaml": csv("binding.operators.coreos.com/v1alpha1") });
  assert.ok(bundle.ok);
  const options = { namespace: "ns", replaces: "", catalog: { name: "cat", namespace: "olm" }, properties: "" };
  const made = stepsOf(bundle.value, options);
  assert.ok(made.ok);
  const derived = made.value.filter(({ resource }) => ["ServiceAccount", "Role"].includes(resource.kind));
  assert.equal(derived.length, 2);
  for (const { resource } of derived)
    assert.match(resource.manifest, /"apiVersion":"binding\.operators\.coreos\.com\/v1alpha1"/);
});

test("an annotations.yaml that Go cannot read into texts is refused with what stands there", () => {
  const name = "operators.operatorframework.io.bundle.package.v1";
  const read = (text: string): string => {
    const bundle = unpacked({ "manifests/csv.yaml": csv(), "metadata/annotations.yaml": text });
    return bundle.ok
      ? JSON.stringify(bundle.value.annotations[name])
      : `${bundle.problem.stage}: ${bundle.problem.message}`;
  };
  const rows: readonly (readonly [text: string, expected: string])[] = [
    ["", '""'],
    ["null", '""'],
    ["annotations:", '""'],
    [`annotations: {${name}: 12345678901234567890}`, '"12345678901234567890"'],
    [`annotations: {${name}: 1.50}`, '"1.5"'],
    ["a: [", "extract: error converting YAML to JSON: yaml: did not find expected node content"],
    ["- a", "extract: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into a map"],
    ["text", "extract: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into a map"],
    ["true", "extract: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal bool into a map"],
    [
      "annotations: [a]",
      "extract: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into annotations",
    ],
    [
      "annotations: a",
      "extract: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into annotations",
    ],
    [
      `annotations: {${name}: {a: b}}`,
      "extract: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal object into operators.operatorframework.io.bundle.package.v1",
    ],
    [
      `annotations: {${name}: [a]}`,
      "extract: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into operators.operatorframework.io.bundle.package.v1",
    ],
  ];
  for (const [text, expected] of rows) assert.equal(read(text), expected, text);
});
