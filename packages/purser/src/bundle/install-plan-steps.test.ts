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

const propertiesKey = "operatorframework.io/properties";

test("the properties of the lookup are noted with their known members alone, and refused where Go cannot read them", () => {
  const noted = (properties: string): string => {
    const made = stepsOf({ objects: [], csv: smallCsv() }, { ...options, properties });
    if (!made.ok) return `${made.problem.stage}${made.problem.fatal ? " for good" : ""}: ${made.problem.message}`;
    const [csv] = made.value;
    const read = JSON.parse(csv?.resource.manifest ?? "") as {
      readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
    };
    return read.metadata.annotations[propertiesKey] ?? "none";
  };
  const rows: readonly (readonly [properties: string, expected: string])[] = [
    ["", "{}"],
    ["null", "{}"],
    ["{}", "{}"],
    ['{"properties":null}', "{}"],
    ['{"properties":[]}', "{}"],
    [
      '{"PROPERTIES":[{"Type":"a","VALUE":{"b":"<&>"},"other":1}]}',
      '{"properties":[{"type":"a","value":{"b":"\\u003c\\u0026\\u003e"}}]}',
    ],
    ['{"properties":[{}]}', '{"properties":[{"type":"","value":null}]}'],
    ['{"properties":[{"type":"a"}]}', '{"properties":[{"type":"a","value":null}]}'],
    ["[]", "properties: the properties of the lookup are not an object"],
    ["1", "properties: the properties of the lookup are not an object"],
    ['{"properties":{}}', "properties: the properties of the lookup are not a list"],
    ['{"properties":[1]}', "properties: a property of the lookup has no type that is a text"],
    ['{"properties":[null]}', "properties: a property of the lookup has no type that is a text"],
    ['{"properties":[{"type":1}]}', "properties: a property of the lookup has no type that is a text"],
  ];
  for (const [properties, expected] of rows) assert.equal(noted(properties), expected, properties);
  assert.match(noted("{"), /^properties: /);
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
