import assert from "node:assert/strict";
import { test } from "node:test";
import { readBundle } from "./read-bundle.ts";
import { smallBundle, smallCsv } from "./testing/small-bundle.ts";

const problemsOf = (files: Parameters<typeof smallBundle>[0]): readonly string[] => {
  const read = readBundle(smallBundle(files));
  return read.ok ? [] : read.problem.map(({ message }) => message);
};
/** The problems of a bundle with this file of properties. */
const problemsWith = (properties: string): readonly string[] => problemsOf({ "metadata/properties.yaml": properties });

for (const properties of ["properties: []", "properties:", "{}", "", "properties: [{type: a, value: 1}]"])
  test(`${JSON.stringify(properties)} is a file of properties`, () => assert.deepEqual(problemsWith(properties), []));

for (const properties of ["properties: text", "properties: {a: 1}", "properties: 1", "[]", "text"])
  test(`${JSON.stringify(properties)} is refused as a properties file`, () =>
    assert.deepEqual(problemsWith(properties), [
      "failed to unmarshal metadata/properties.yaml: error unmarshaling JSON: no object with a list `properties`",
    ]));

for (const [properties, why] of [
  ["[1,", "unexpected end of JSON input"],
  ["[x]", "invalid character 'x' looking for beginning of value"],
  ['{"a":1}', "json: cannot unmarshal object into Go value of type []property.Property"],
] as const)
  test(`a CSV with the properties ${properties} is refused, and what is wrong with them is said`, () => {
    const csv = smallCsv({}, { annotations: { "olm.properties": properties } });
    assert.deepEqual(problemsOf({ "manifests/csv.json": csv }), [
      `failed to unmarshal csv.metadata.annotations['olm.properties']: ${why}`,
    ]);
  });

test("a bundle without annotations.yaml is refused", () =>
  assert.deepEqual(problemsOf({ "metadata/annotations.yaml": undefined }), [
    "open metadata/annotations.yaml: file does not exist",
  ]));
