import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "../../json.ts";
import { formatFieldError } from "../field-error.ts";
import { compileSchema } from "./structural-schema.ts";
import { validateEmbedded } from "./validate-embedded.ts";

const compiled = compileSchema({
  type: "object",
  properties: {
    e: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  },
});
assert.ok(compiled.ok);
const schema = compiled.value;

/** Objects whose member `e` is a resource, and the errors; rules of syntax are cut. */
const objects: readonly (readonly [value: JsonValue, errors: readonly string[]])[] = [
  [{ e: {} }, ["e.apiVersion: Required value", "e.kind: Required value"]],
  [{ e: { apiVersion: "v1", kind: "A" } }, []],
  [
    { e: { apiVersion: "", kind: "" } },
    ['e.kind: Invalid value: "": must not be empty', 'e.apiVersion: Invalid value: "": must not be empty'],
  ],
  [
    { e: { apiVersion: 5, kind: 5 } },
    ["e.kind: Invalid value: 5: must be a string", "e.apiVersion: Invalid value: 5: must be a string"],
  ],
  [
    { e: { apiVersion: "a/b/c", kind: "A_B" } },
    [
      'e.kind: Invalid value: "A_B": may have mixed case, but should otherwise match: a DNS-1035 label',
      'e.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
  ],
  [
    { e: { apiVersion: "a/b", kind: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" } },
    [
      'e.kind: Invalid value: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA": may have mixed case, but should otherwise match: must be no more than 63 bytes',
    ],
  ],
  [
    { e: { apiVersion: "v1", kind: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-" } },
    [
      'e.kind: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-": may have mixed case, but should otherwise match: must be no more than 63 bytes,a DNS-1035 label',
    ],
  ],
  [
    { e: { apiVersion: "v1", kind: "-" } },
    ['e.kind: Invalid value: "-": may have mixed case, but should otherwise match: a DNS-1035 label'],
  ],
  [
    { e: { apiVersion: "v1", kind: "A", metadata: { labels: { "-": "" } } } },
    ['e.metadata.labels: Invalid value: "-": name part must consist'],
  ],
  [{ e: 5 }, []],
  [{ e: null }, []],
  [{}, []],
];

for (const [value, errors] of objects)
  test(`${JSON.stringify(value)} ${errors.length === 0 ? "holds a valid resource or none" : "is refused"}`, () =>
    assert.deepEqual(
      validateEmbedded(value, schema, "").map((error) =>
        formatFieldError(error)
          .replace(/a DNS-1035 label.*/, "a DNS-1035 label")
          .replace(/(must consist).*/, "$1"),
      ),
      errors,
    ));
