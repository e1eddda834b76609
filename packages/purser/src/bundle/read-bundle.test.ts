import assert from "node:assert/strict";
import { test } from "node:test";
import { readBundle } from "./read-bundle.ts";
import { smallBundle } from "./testing/small-bundle.ts";

/** The problems of a bundle with this file of properties. */
const problemsWith = (properties: string): readonly string[] => {
  const read = readBundle(smallBundle({ "metadata/properties.yaml": properties }));
  return read.ok ? [] : read.problem.map(({ message }) => message);
};

for (const properties of ["properties: []", "properties:", "{}", "", "properties: [{type: a, value: 1}]"])
  test(`${JSON.stringify(properties)} is a file of properties`, () => assert.deepEqual(problemsWith(properties), []));

for (const properties of ["properties: text", "properties: {a: 1}", "properties: 1", "[]", "text"])
  test(`${JSON.stringify(properties)} is refused as a properties file`, () =>
    assert.deepEqual(problemsWith(properties), [
      "failed to unmarshal metadata/properties.yaml: error unmarshaling JSON: no object with a list `properties`",
    ]));
