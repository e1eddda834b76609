import assert from "node:assert/strict";
import { test } from "node:test";
import type { BundleDirectory } from "../../bundle/bundle-files.ts";
import { smallBundle, smallCsv } from "../../bundle/testing/small-bundle.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { annotationMismatches, bundleAnnotations, bundleDockerfile } from "./bundle-metadata.ts";
import { fillImageTemplate, parseImageTemplate } from "./image-template.ts";
import { parseMigrationLevel } from "./render.ts";
import { type BundleRendering, renderBundle } from "./render-bundle.ts";

function rendered(files: BundleDirectory, options: Partial<BundleRendering> = {}): JsonObject {
  const bundle = renderBundle(files, "dir", { level: "none", ...options });
  assert.ok(bundle.ok, bundle.ok ? "" : bundle.problem.message);
  const value = JSON.parse(bundle.value.json) as JsonValue;
  return isJsonObject(value) ? value : {};
}

const listOf = (blob: JsonObject, key: string, part: string): readonly JsonValue[] =>
  (blob[key] as readonly JsonObject[]).map((item) => item[part] ?? null);

const template = (text: string): Pick<BundleRendering, "imageTemplate"> => {
  const parsed = parseImageTemplate(text);
  assert.ok(parsed.ok);
  return { imageTemplate: parsed.value };
};

test("a bundle directory has no image of its own, and its properties are ordered", () => {
  const files = smallBundle({
    "manifests/csv.json": smallCsv({
      customresourcedefinitions: {
        owned: [{ name: "pots.kiln.example.com", version: "v1", kind: "Pot" }],
        required: [{ name: "clays.earth.example.com", version: "v1", kind: "Clay" }],
      },
    }),
    "metadata/dependencies.yaml": "dependencies: [{type: olm.package, value: {packageName: sand, version: '>1.0.0'}}]",
  });
  const blob = rendered(files);
  assert.equal(blob["image"], "");
  assert.deepEqual(listOf(blob, "properties", "type"), [
    "olm.gvk",
    "olm.gvk.required",
    "olm.package",
    "olm.package.required",
    "olm.bundle.object",
    "olm.bundle.object",
  ]);
  assert.deepEqual(listOf(blob, "relatedImages", "image"), ["example.com/first:1", "example.com/kiln:1"]);
});

test("an image template names package and version, and the image counts as related", () => {
  const blob = rendered(smallBundle(), template("test.registry/{{.Package}}-operator/{{.Package}}:v{{.Version}}"));
  assert.equal(blob["image"], "test.registry/kiln-operator/kiln:v1.0.0");
  assert.deepEqual(listOf(blob, "relatedImages", "name"), ["", "kiln", ""]);
});

test("an unpacked image keeps its reference; without related images there are its own and the containers'", () => {
  const blob = rendered(smallBundle({ "manifests/csv.json": smallCsv({ relatedImages: [] }) }), {
    image: "q.io/kiln:2",
  });
  assert.equal(blob["image"], "q.io/kiln:2");
  assert.deepEqual(listOf(blob, "relatedImages", "image"), [
    "example.com/first:1",
    "example.com/kiln:1",
    "q.io/kiln:2",
  ]);
});

test("a migration puts CSV metadata last and drops the manifests, but only where there is an image", () => {
  const migrated = rendered(smallBundle(), { level: "all", image: "q.io/kiln:2" });
  assert.deepEqual(listOf(migrated, "properties", "type"), ["olm.gvk", "olm.package", "olm.csv.metadata"]);
  assert.deepEqual(listOf(rendered(smallBundle(), { level: "all" }), "properties", "type").slice(-1), [
    "olm.bundle.object",
  ]);
});

test("migration levels have three names", () => {
  for (const level of ["none", "bundle-object-to-csv-metadata", "all"]) assert.ok(parseMigrationLevel(level).ok);
  const unknown = parseMigrationLevel("v3");
  assert.equal(unknown.ok ? "" : unknown.problem, 'unknown migration level "v3"');
});

const refused: readonly (readonly [string, Readonly<Record<string, JsonObject | string | undefined>>, RegExp])[] = [
  ["no objects", { "manifests/csv.json": undefined, "manifests/crd.json": undefined }, /^no bundle objects found$/],
  ["no CSV", { "manifests/csv.json": undefined }, /^no csv in bundle$/],
  ["no annotations", { "metadata/annotations.yaml": undefined }, /^Could not find annotations file$/],
  [
    "a missing CRD",
    { "manifests/crd.json": undefined },
    /couldn't find kiln.example.com\/v1\/Pot \(pots\) in bundle. found: map\[\]$/,
  ],
];
for (const [what, files, message] of refused)
  test(`a bundle with ${what} does not render`, () => {
    const bundle = renderBundle(smallBundle(files), "dir", { level: "none" });
    assert.match(bundle.ok ? "" : bundle.problem.message, message);
  });

test("an image template supports trimming and comments, and refuses other actions", () => {
  const fill = (text: string): string => {
    const parsed = parseImageTemplate(text);
    if (!parsed.ok) return parsed.problem;
    const filled = fillImageTemplate(parsed.value, { Package: "p", Name: "n", Version: "1" });
    return filled.ok ? filled.value : filled.problem;
  };
  assert.equal(fill("a {{- /* note */ -}} {{ .Package }}:{{.Version}}"), "ap:1");
  assert.equal(fill("{{.Pack"), "template: image-ref-template:1: unclosed action");
  assert.equal(fill("{{upper}}"), 'template: image-ref-template:1: function "upper" not defined');
  assert.match(fill("{{.Digest}}"), /at <.Digest>: can't evaluate field Digest/);
});

const labels = { mediaType: "registry+v1", packageName: "kiln", channels: "a,b", defaultChannel: "" };

test("each differing annotation is named", () => {
  assert.deepEqual(annotationMismatches(bundleAnnotations(labels), labels), { ok: true, value: [] });
  const other = bundleAnnotations({ ...labels, channels: "c" }).replace(/^.*package.*\n/m, "");
  assert.deepEqual(annotationMismatches(other, labels), {
    ok: true,
    value: [
      'Expect field "operators.operatorframework.io.bundle.channels.v1" to have value "a,b" instead of "c"',
      "Missing field: operators.operatorframework.io.bundle.package.v1",
    ],
  });
  assert.deepEqual(annotationMismatches("annotations: [\n", labels), {
    ok: false,
    problem: "yaml: line 1: did not find expected node content",
  });
});

test("the Dockerfile of a bundle has a blank line behind a default channel only", () => {
  const paths = { baseImage: "scratch", manifests: "m", metadata: "n" };
  assert.match(bundleDockerfile(labels, paths), /channels.v1=a,b\nCOPY m \/manifests\/\nCOPY n \/metadata\/\n$/);
  assert.match(bundleDockerfile({ ...labels, defaultChannel: "a" }, paths), /default.v1=a\n\nCOPY m/);
});
