import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "../json.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  formatFieldError,
  formatFieldErrors,
  invalid,
  notFound,
  notSupported,
  required,
  statusCauses,
  tooLong,
  tooMany,
  typeInvalid,
} from "./field-error.ts";
import { goText } from "./go-text.ts";
import { validateMetadata, validateNoNewFinalizers } from "./metadata-rules.ts";

/** Metadata and its errors; rules of syntax are cut after their first words. */
const metadata: readonly (readonly [metadata: JsonObject, errors: readonly string[]])[] = [
  [{}, []],
  [{ labels: { a: "b", "x/y": "" } }, []],
  [
    { labels: { "-": "a b", c: 5 } },
    ['metadata.labels: Invalid value: "-": name part must consist', 'metadata.labels: Invalid value: "a b": a valid'],
  ],
  [{ labels: [] }, []],
  [
    { annotations: { "A/b": "anything goes\n", "a b": "x" } },
    ['metadata.annotations: Invalid value: "a b": name part must consist'],
  ],
  [{ annotations: { a: "x".repeat(262143) } }, []],
  [{ annotations: { a: "x".repeat(262144) } }, ["metadata.annotations: Too long: may not be more than 262144 bytes"]],
  [
    { annotations: { aa: "é".repeat(131071), b: 5 } },
    ["metadata.annotations: Too long: may not be more than 262144 bytes"],
  ],
  [{ annotations: { a: "é".repeat(131072) } }, ["metadata.annotations: Too long: may not be more than 262144 bytes"]],
  [{ annotations: "x" }, []],
  [{ ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }] }, []],
  [
    { ownerReferences: [{}] },
    [
      'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ],
  ],
  [
    { ownerReferences: [{ apiVersion: "a/", kind: "Pod", name: "p", uid: "u" }] },
    ['metadata.ownerReferences.apiVersion: Invalid value: "a/": version must not be empty'],
  ],
  [
    { ownerReferences: [{ apiVersion: "v1", kind: "Event", name: "p", uid: "u" }] },
    [
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"p","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
    ],
  ],
  [{ ownerReferences: [{ apiVersion: "events.k8s.io/v1", kind: "Event", name: "p", uid: "u" }] }, []],
  [{ ownerReferences: [{ apiVersion: "v2", kind: "Event", name: "p", uid: "u" }] }, []],
  [
    {
      ownerReferences: [
        { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true },
        { apiVersion: "v1", kind: "Pod", name: "q", uid: "u", controller: false },
      ],
    },
    [],
  ],
  [
    {
      ownerReferences: [
        { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true },
        { apiVersion: "v1", kind: "Pod", name: "q", uid: "u", controller: true },
        { apiVersion: "v1", kind: "Pod", name: "r", uid: "u", controller: true },
      ],
    },
    [
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","controller":true,"kind":"Pod","name":"p","uid":"u"},{"apiVersion":"v1","controller":true,"kind":"Pod","name":"q","uid":"u"},{"apiVersion":"v1","controller":true,"kind":"Pod","name":"r","uid":"u"}]: Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/q',
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","controller":true,"kind":"Pod","name":"p","uid":"u"},{"apiVersion":"v1","controller":true,"kind":"Pod","name":"q","uid":"u"},{"apiVersion":"v1","controller":true,"kind":"Pod","name":"r","uid":"u"}]: Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/r',
    ],
  ],
  [{ ownerReferences: [5, { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }] }, []],
  [{ ownerReferences: {} }, []],
  [{ finalizers: ["a.b/c", "orphan"] }, []],
  [{ finalizers: ["a b"] }, ['metadata.finalizers: Invalid value: "a b": name part must consist']],
  [
    { finalizers: ["orphan", "foregroundDeletion"] },
    [
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ],
  ],
  [{ finalizers: ["foregroundDeletion", 5] }, []],
  [{ finalizers: "a" }, []],
];

const rule = /: (a lowercase|must consist|name part must consist|prefix part|a valid).*/;

for (const [index, [given, errors]] of metadata.entries())
  test(`metadata ${index} ${errors.length === 0 ? "is valid" : "has each of its errors"}`, () =>
    assert.deepEqual(
      validateMetadata(given, "metadata").map((error) => formatFieldError(error).replace(rule, ": $1")),
      errors,
    ));

test("an object that is being deleted gets no new finalizers, which the refusal lists once each, sorted", () => {
  const refused: readonly (readonly [next: readonly string[], old: readonly string[], errors: readonly string[]])[] = [
    [[], ["a"], []],
    [["a"], ["a"], []],
    [
      ["b", "a", "b", "c"],
      ["c"],
      [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a", "b"}',
      ],
    ],
  ];
  for (const [next, old, errors] of refused)
    assert.deepEqual(validateNoNewFinalizers(next, old, "metadata.finalizers").map(formatFieldError), errors);
});

test("each kind of field error has Kubernetes' text and reason", () => {
  const errors: readonly (readonly [error: FieldError, text: string, reason: string])[] = [
    [required("a"), "a: Required value", "FieldValueRequired"],
    [required("a", "d"), "a: Required value: d", "FieldValueRequired"],
    [invalid("a", undefined, "d"), "a: Invalid value: d", "FieldValueInvalid"],
    [invalid("a", { x: [1] }, "d"), 'a: Invalid value: {"x":[1]}: d', "FieldValueInvalid"],
    [typeInvalid("a", "string", "d"), 'a: Invalid value: "string": d', "FieldValueTypeInvalid"],
    [forbidden("a", "d"), "a: Forbidden: d", "FieldValueForbidden"],
    [duplicate("a", undefined), "a: Duplicate value", "FieldValueDuplicate"],
    [duplicate("a", "x"), 'a: Duplicate value: "x"', "FieldValueDuplicate"],
    [notFound("a", "x"), 'a: Not found: "x"', "FieldValueNotFound"],
    [notSupported("a", "x", []), 'a: Unsupported value: "x"', "FieldValueNotSupported"],
    [
      notSupported("a", "x", ["b", "c"]),
      'a: Unsupported value: "x": supported values: "b", "c"',
      "FieldValueNotSupported",
    ],
    [tooLong("a", 5), "a: Too long: may not be more than 5 bytes", "FieldValueTooLong"],
    [tooLong("a", 0), "a: Too long: may not be more than 0 bytes", "FieldValueTooLong"],
    [tooLong("a", -1), "a: Too long: value is too long", "FieldValueTooLong"],
    [tooMany("a", 7, 5), "a: Too many: 7: must have at most 5 items", "FieldValueTooMany"],
    [tooMany("a", 7, 1), "a: Too many: 7: must have at most 1 item", "FieldValueTooMany"],
    [tooMany("a", 7, 0), "a: Too many: 7: must have at most 0 items", "FieldValueTooMany"],
    [tooMany("a", 7, -1), "a: Too many: 7: has too many items", "FieldValueTooMany"],
  ];
  for (const [error, text, reason] of errors) {
    assert.equal(formatFieldError(error), text);
    const message = text.replace(/^a: /, "");
    assert.deepEqual(statusCauses([error]), [{ reason, message, field: "a" }]);
  }
});

test("several errors are listed without repetitions, one alone is not", () => {
  const [one, other] = [required("a"), required("b")];
  assert.equal(formatFieldErrors([one]), "a: Required value");
  assert.equal(formatFieldErrors([one, one]), "a: Required value");
  assert.equal(formatFieldErrors([one, other]), "[a: Required value, b: Required value]");
  assert.equal(formatFieldErrors([]), "[]");
});

test("values are printed as Go's %v prints them, maps by key", () => {
  const texts: readonly (readonly [value: JsonValue, text: string])[] = [
    [null, "<nil>"],
    ["a", "a"],
    [1, "1"],
    [1.5, "1.5"],
    [true, "true"],
    [[], "[]"],
    [["a", 1, null], "[a 1 <nil>]"],
    [{}, "map[]"],
    [{ b: [1], a: { c: null } }, "map[a:map[c:<nil>] b:[1]]"],
    [1e21, "1e+21"],
  ];
  for (const [value, text] of texts) assert.equal(goText(value), text);
  assert.equal(goText(undefined), "<nil>");
});
