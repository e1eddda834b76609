import assert from "node:assert/strict";
import { test } from "node:test";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { openApi3, swagger } from "./package-open-api.ts";

/** The schemas that a value is made of, with their paths. */
function schemasIn(schema: JsonValue | undefined, path: string): readonly (readonly [path: string, JsonObject])[] {
  if (!isJsonObject(schema)) return [];
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  return [
    [path, schema],
    ...Object.entries(properties).flatMap(([name, property]) => schemasIn(property, `${path}.${name}`)),
    ...schemasIn(schema["items"], `${path}[]`),
    ...schemasIn(schema["additionalProperties"], `${path}{}`),
  ];
}

const textIn = (value: JsonObject, key: string): string => {
  const text = value[key];
  assert.ok(typeof text === "string", `${key} of ${JSON.stringify(value)}`);
  return text;
};

const { schemas } = openApi3["components"] as unknown as { readonly schemas: JsonObject };
const all = Object.entries(schemas).flatMap(([name, schema]) => schemasIn(schema, name));

test("kubectl explain has a type for every field of the package API, and a description of every named one", () => {
  for (const [path, schema] of all) {
    assert.ok("type" in schema || "$ref" in schema || "allOf" in schema, path);
    if (/\.[a-zA-Z0-9]+$/.test(path) && !("$ref" in schema))
      assert.match(textIn(schema, "description"), /^`?[A-Z].*\.$/, path);
  }
});

/** `PATH type (format) requires ...` of the schemas that say more than their type, without the path of the status. */
const lines = all.flatMap(([path, schema]) => {
  const { format, required } = schema;
  const more = [
    ...(format === undefined ? [] : [`(${textIn(schema, "format")})`]),
    ...(required === undefined ? [] : ["requires", ...(required as unknown as readonly string[])]),
  ];
  const place = path.replace(/^.*PackageManifest\.status/, "status").replace("status.channels[].currentCSVDesc", "csv");
  return more.length === 0 ? [] : [[place, textIn(schema, "type"), ...more].join(" ")];
});

test("kubectl explain marks the fields that every package, channel, entry and API has", () => {
  assert.deepEqual(lines, [
    "status object requires catalogSource catalogSourceDisplayName catalogSourcePublisher catalogSourceNamespace packageName channels defaultChannel",
    "status.channels[] object requires name currentCSV entries",
    "csv.version string (semver)",
    "csv.installModes[] object requires type supported",
    "csv.customresourcedefinitions.owned[] object requires name version kind",
    "csv.customresourcedefinitions.required[] object requires name version kind",
    "csv.apiservicedefinitions.owned[] object requires name version kind",
    "csv.apiservicedefinitions.required[] object requires name version kind",
    "csv.nativeApis[] object requires group version kind",
    "status.channels[].entries[] object requires name",
    "com.coreos.operators.packages.v1.PackageManifestList object requires items",
  ]);
});

test("the documents have an operation for each read that the package API serves", () => {
  const root = "/apis/packages.operators.coreos.com/v1";
  const model = "com.coreos.operators.packages.v1.PackageManifest";
  type Get = Readonly<Record<string, JsonObject>>;
  const shapesOf = (document: JsonObject, schemaOf: (answer: never) => JsonValue): readonly unknown[] =>
    Object.entries(document["paths"] as unknown as Readonly<Record<string, { readonly get: Get }>>).map(
      ([path, { get }]) => [
        path,
        get["x-kubernetes-action"],
        (get["parameters"] as unknown as readonly JsonObject[]).map(
          (one) => `${textIn(one, "in")} ${textIn(one, "name")}`,
        ),
        schemaOf(get["responses"]?.["200"] as never),
      ],
    );
  const expected = (prefix: string): readonly unknown[] => [
    [`${root}/packagemanifests`, "list", [], `${prefix}${model}List`],
    [`${root}/namespaces/{namespace}/packagemanifests`, "list", ["path namespace"], `${prefix}${model}List`],
    [
      `${root}/namespaces/{namespace}/packagemanifests/{name}`,
      "get",
      ["path namespace", "path name"],
      `${prefix}${model}`,
    ],
  ];
  assert.deepEqual(
    shapesOf(swagger, ({ schema }: { readonly schema: { readonly $ref: string } }) => schema.$ref),
    expected("#/definitions/"),
  );
  assert.deepEqual(
    shapesOf(
      openApi3,
      ({ content }: { readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>> }) =>
        content["application/json"]?.schema.$ref ?? "",
    ),
    expected("#/components/schemas/"),
  );
});

test("both documents describe the same schemas", () => {
  const text = JSON.stringify(swagger["definitions"]).replaceAll("#/definitions/", "#/components/schemas/");
  assert.deepEqual(JSON.parse(text), schemas);
});
