import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../json.ts";
import { formatFieldError } from "../field-error.ts";
import { withField } from "../testing/schema-vectors.ts";
import { compileSchema } from "./structural-schema.ts";

const object = { type: "object" };
const string = { type: "string" };
const embedded = {
  ...object,
  "x-kubernetes-embedded-resource": true,
  "x-kubernetes-preserve-unknown-fields": true,
};
const withMetadata = (metadata: JsonObject): JsonObject => ({ ...object, properties: { metadata } });
const onlyNames = "must not specify anything other than name and generateName, but metadata is implicitly specified";
const inMeta = "must not be used inside of resource meta";

/** All problems of a schema; `S` stands for its path, `S.a` for that of the field. */
const tables: readonly (readonly [what: string, schema: JsonObject, problems: readonly string[]])[] = [
  [
    "a rule is not compiled for a schema that has other problems",
    withField({ ...string, "x-kubernetes-map-type": "atomic", "x-kubernetes-validations": [{ rule: "self.zz" }] }),
    ['S.a.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified'],
  ],
  [
    "metadata at the root may not have defaults",
    withMetadata({ ...object, properties: { name: { ...string, default: "x" } } }),
    ["S.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata"],
  ],
  [
    "a rule about an old value may stand in an atomic map, and not below one",
    withField({
      ...object,
      "x-kubernetes-map-type": "atomic",
      "x-kubernetes-validations": [{ rule: "self == oldSelf" }],
      properties: { b: { ...string, "x-kubernetes-validations": [{ rule: "self == oldSelf" }] } },
    }),
    [
      'S.a.properties[b].x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within S.properties[a]',
    ],
  ],
  [
    "an embedded resource may not be part of the metadata of another",
    withField({ ...embedded, properties: { metadata: { ...object, properties: { name: embedded } } } }),
    [`S.a.properties[metadata].properties[name].x-kubernetes-embedded-resource: Forbidden: ${inMeta}`],
  ],
  [
    "an object that is no embedded resource may have an embedded resource in its metadata",
    withField({ ...object, properties: { metadata: { ...object, properties: { name: embedded } } } }),
    [],
  ],
  [
    "the metadata of an embedded resource may have defaults, those at the root may not",
    withField({
      ...embedded,
      properties: { metadata: { ...object, properties: { name: { ...string, default: "x" } } } },
    }),
    [],
  ],
  [
    "metadata at the root may name its type and restrict names",
    withMetadata({ ...object, properties: { name: string } }),
    [],
  ],
  [
    "metadata at the root is an object",
    withMetadata(string),
    ['S.properties[metadata].type: Invalid value: "string": must be object'],
  ],
  [
    "metadata at the root may not specify labels",
    withMetadata({ ...object, properties: { labels: object } }),
    [`S.properties[metadata]: Forbidden: ${onlyNames}`],
  ],
  [
    "metadata at the root may not have other keywords than properties",
    withMetadata({ ...object, maxProperties: 3 }),
    [`S.properties[metadata]: Forbidden: ${onlyNames}`],
  ],
  [
    "the metadata of an embedded resource is an object",
    withField({ ...embedded, properties: { metadata: string } }),
    ['S.a.properties[metadata].type: Invalid value: "string": must be object'],
  ],
  [
    "kind and apiVersion of a resource are strings",
    { ...object, properties: { kind: { type: "integer" }, apiVersion: string } },
    ['S.properties[kind].type: Invalid value: "integer": must be string'],
  ],
  [
    "an unknown type is reported with the known ones",
    withField({ type: "text" }),
    [
      'S.a.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  ],
];
for (const [what, schema, problems] of tables)
  test(what, () => {
    const compiled = compileSchema(schema, { path: "S" });
    const found = compiled.ok ? [] : compiled.problem.map(formatFieldError);
    assert.deepEqual(
      found.map((text) => text.replace("S.properties[a]", "S.a")),
      problems,
    );
  });
