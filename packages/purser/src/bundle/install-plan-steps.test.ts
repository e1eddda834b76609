import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { stepsOf, stepsOnce } from "./install-plan-steps.ts";
import { smallCsv } from "./testing/small-bundle.ts";

const options = { namespace: "ns", replaces: "", catalog: { name: "cat", namespace: "olm" }, properties: "" };

/** Counts how often a part of it is read that only the manifest shows. */
function countingConfigMap(name: string): { readonly object: JsonObject; readonly reads: () => number } {
  let reads = 0;
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    get data() {
      reads++;
      return { key: name };
    },
  };
  return { object, reads: () => reads };
}

test("reading one manifest of a bundle serializes no other one", () => {
  const [a, b] = [countingConfigMap("a"), countingConfigMap("b")];
  const made = stepsOnce({ objects: [a.object, b.object], csv: smallCsv() }, options);
  assert.ok(made.ok);
  assert.equal(a.reads() + b.reads(), 0);
  const found = made.value.find(({ resource }) => resource.name === "a");
  assert.match(found?.resource.manifest ?? "", /"data":\{"key":"a"\}/);
  assert.ok(a.reads() > 0);
  assert.equal(b.reads(), 0);
});

test("the steps of a bundle are derived once for equal options, and again for others", () => {
  const bundle = { objects: [], csv: smallCsv() };
  const first = stepsOnce(bundle, options);
  assert.equal(stepsOnce(bundle, { ...options, catalog: { ...options.catalog } }), first);
  for (const changed of [
    { ...options, namespace: "other" },
    { ...options, replaces: "kiln.v0.9.0" },
    { ...options, catalog: { ...options.catalog, name: "other" } },
    { ...options, catalog: { ...options.catalog, namespace: "other" } },
    { ...options, properties: '{"properties":[{"type":"a","value":"b"}]}' },
  ])
    assert.notDeepEqual(stepsOnce(bundle, changed), first);
});

test("a bundle's CSV comes first, without it, its version or its kind there are no steps; objects are named as they will be", () => {
  const steps = (objects: readonly JsonObject[], csv: JsonObject | undefined) => {
    const made = stepsOf({ objects, ...(csv === undefined ? {} : { csv }) }, { ...options, replaces: "kiln.v0" });
    if (!made.ok) return `${made.problem.stage}${made.problem.fatal ? " for good" : ""}: ${made.problem.message}`;
    return made.value.map(
      ({ resolving, status, resource: { group, version, kind, name, sourceName, sourceNamespace } }) =>
        [resolving, status, `${group}/${version}`, kind, name, sourceName, sourceNamespace].join(" "),
    );
  };
  const csv = smallCsv();
  const object = (kind: string, metadata: JsonObject) => ({ apiVersion: "v1", kind, metadata });
  assert.deepEqual(
    steps(
      [
        csv,
        object("Secret", { name: "s" }),
        object("ConfigMap", { generateName: "c-" }),
        { apiVersion: 1, kind: "Pot" },
      ],
      csv,
    ),
    [
      "kiln.v1.0.0 Unknown operators.coreos.com/v1alpha1 ClusterServiceVersion kiln.v1.0.0 cat olm",
      "kiln.v1.0.0 Unknown /v1 BundleSecret s cat olm",
      "kiln.v1.0.0 Unknown /v1 ConfigMap c- cat olm",
      "kiln.v1.0.0 Unknown / Pot  cat olm",
    ],
  );
  assert.deepEqual(steps([], undefined), "steps: unexpected end of JSON input");
  assert.deepEqual(steps([], { ...csv, apiVersion: "" }), "steps for good: bundle CSV kiln.v1.0.0 missing APIVersion");
  assert.deepEqual(steps([], { ...csv, kind: "" }), "steps for good: bundle CSV kiln.v1.0.0 missing Kind");
  assert.deepEqual(
    steps([], { ...csv, spec: [] }),
    "steps: json: cannot unmarshal array into Go struct field ClusterServiceVersion.spec of type v1alpha1.ClusterServiceVersionSpec",
  );
  assert.deepEqual(
    steps([{ apiVersion: "v1" }], csv),
    "steps: could not infer GVK for object: &unstructured.Unstructured{Object:map[string]interface {}(nil)}, &unstructured.Unstructured{Object:map[string]interface {}(nil)}",
  );
  const [first] = (() => {
    const made = stepsOf({ objects: [], csv }, { ...options, replaces: "kiln.v0" });
    return made.ok ? made.value : [];
  })();
  const written = JSON.parse(first?.resource.manifest ?? "") as {
    readonly metadata: JsonObject;
    readonly spec: JsonObject;
  };
  assert.deepEqual([written.metadata["namespace"], written.spec["replaces"]], ["ns", "kiln.v0"]);
});

/** Of the annotation, or stage and text of what is wrong: what OLM's own step builder answers to the same texts. */
function annotated(properties: string): string {
  const made = stepsOf({ objects: [], csv: smallCsv() }, { ...options, properties });
  if (!made.ok) return `${made.problem.stage}: ${made.problem.message}`;
  const [csv] = made.value;
  const manifest = JSON.parse(csv?.resource.manifest ?? "") as { metadata: { annotations: Record<string, string> } };
  return manifest.metadata.annotations["operatorframework.io/properties"] ?? "";
}

const unread = "properties: failed to unmarshal properties annotation";
const unwritten =
  'steps: failed to construct properties annotation for "kiln.v1.0.0": failed to marshal properties annotation: json: error calling MarshalJSON for type json.RawMessage: unexpected end of JSON input';
const lookups: readonly (readonly [properties: string, expected: string])[] = [
  ["", "{}"],
  ["null", "{}"],
  ['{"properties":null}', "{}"],
  ['{"properties":[]}', "{}"],
  ['{"PROPERTIES":[{"Type":"a","value":null,"other":1}]}', '{"properties":[{"type":"a","value":null}]}'],
  ['{"properties":[{"value":"<"}]}', String.raw`{"properties":[{"type":"","value":"\u003c"}]}`],
  ['{"properties":[{"type":"a","value":9007199254740993}]}', '{"properties":[{"type":"a","value":9007199254740993}]}'],
  ['{"properties":[{"type":"a"}]}', unwritten],
  ['{"properties":[null]}', unwritten],
  ['{"properties":[{}]}', unwritten],
  [
    '{"properties":[{"VALUE":{"b":"<&>"}}]}',
    String.raw`{"properties":[{"type":"","value":{"b":"\u003c\u0026\u003e"}}]}`,
  ],
  ["x", `${unread}: invalid character 'x' looking for beginning of value`],
  ["[]", `${unread}: json: cannot unmarshal array into Go value of type projection.propertiesAnnotation`],
  ["1", `${unread}: json: cannot unmarshal number into Go value of type projection.propertiesAnnotation`],
  [
    '{"properties":{}}',
    `${unread}: json: cannot unmarshal object into Go struct field propertiesAnnotation.properties of type []projection.property`,
  ],
  [
    '{"properties":[true]}',
    `${unread}: json: cannot unmarshal bool into Go struct field propertiesAnnotation.properties of type projection.property`,
  ],
  [
    '{"properties":[{"type":1}]}',
    `${unread}: json: cannot unmarshal number into Go struct field property.properties.type of type string`,
  ],
];
for (const [properties, expected] of lookups)
  test(`the properties ${properties === "" ? "of an empty text" : properties} of a lookup are annotated or refused as OLM does`, () =>
    assert.equal(annotated(properties), expected));
