import type { JsonObject } from "@purser/kubernetes/json";
import { bundleShape, channelShape, deprecationShape, packageShape, propertyShapes } from "./blob-shapes.ts";
import type { GoShape } from "./go-shape.ts";

const dialect = "http://json-schema.org/draft-07/schema#";

interface Demands {
  /** Pointers of objects by their required members: "" is the document itself. */
  readonly required: Readonly<Record<string, readonly string[]>>;
}

/** The JSON Schema of a type that catalogs are decoded into; unknown members are allowed, as in every reader. */
function schemaOf(shape: GoShape, demands: Demands, path = ""): JsonObject {
  switch (shape.kind) {
    case "string":
      return { type: "string" };
    case "bytes":
      return { type: "string", contentEncoding: "base64" };
    case "bool":
      return { type: "boolean" };
    case "int32":
      return { type: "integer" };
    case "raw":
      return {};
    case "list":
      return { type: "array", items: schemaOf(shape.item, demands, `${path}/*`) };
    case "map":
      return { type: "object", additionalProperties: schemaOf(shape.item, demands, `${path}/*`) };
    case "struct": {
      const required = demands.required[path];
      return {
        type: "object",
        ...(required === undefined ? {} : { required }),
        properties: Object.fromEntries(
          Object.entries(shape.fields).map(([key, field]) => [key, schemaOf(field, demands, `${path}/${key}`)]),
        ),
      };
    }
  }
}

const named: Demands["required"] = { "/properties/*": ["type", "value"] };
const blobs: readonly (readonly [schema: string, shape: GoShape, required: Demands["required"]])[] = [
  [
    "olm.package",
    packageShape,
    { "": ["schema", "name", "defaultChannel"], "/icon": ["base64data", "mediatype"], ...named },
  ],
  ["olm.channel", channelShape, { "": ["schema", "name", "package", "entries"], "/entries/*": ["name"], ...named }],
  [
    "olm.bundle",
    bundleShape,
    { "": ["schema", "name", "package", "properties"], "/relatedImages/*": ["image"], ...named },
  ],
  [
    "olm.deprecations",
    deprecationShape,
    {
      "": ["schema", "package", "entries"],
      "/entries/*": ["reference", "message"],
      "/entries/*/reference": ["schema"],
    },
  ],
];

/** Members that a value of a known property must have. */
const propertyDemands: Readonly<Record<string, readonly string[]>> = {
  "olm.package": ["packageName", "version"],
  "olm.package.required": ["packageName", "versionRange"],
  "olm.gvk": ["group", "kind", "version"],
  "olm.gvk.required": ["group", "kind", "version"],
  "olm.bundle.object": ["data"],
};

/** A rule for objects whose member has a value; others are not touched by it. */
function whenMember(key: string, value: string, demand: JsonObject): JsonObject {
  // Written as pairs: an object of our own with a member `then` looks like a promise.
  const pairs: readonly (readonly [keyword: string, schema: JsonObject])[] = [
    ["if", { properties: { [key]: { const: value } }, required: [key] }],
    ["then", demand],
  ];
  return Object.fromEntries(pairs);
}

const whenSchema = (schema: string, demand: JsonObject): JsonObject => whenMember("schema", schema, demand);

function blobSchema(schema: string, shape: GoShape, required: Demands["required"]): JsonObject {
  const own = schemaOf(shape, { required });
  if (schema !== "olm.bundle") return whenSchema(schema, own);
  const values = [...propertyShapes].map(([type, value]) =>
    whenMember("type", type, {
      properties: { value: schemaOf(value, { required: { "": propertyDemands[type] ?? [] } }) },
    }),
  );
  const property = { allOf: values };
  return whenSchema(schema, { allOf: [own, { properties: { properties: { items: property } } }] });
}

/** One document of a file-based catalog; documents of other schemas need only say which. */
export const catalogSchema: JsonObject = {
  $schema: dialect,
  title: "Document of a file-based catalog",
  type: "object",
  required: ["schema"],
  properties: { schema: { type: "string", minLength: 1 }, package: { type: "string" }, name: { type: "string" } },
  allOf: blobs.map(([schema, shape, required]) => blobSchema(schema, shape, required)),
};

/** A template of `purser catalog template`; a basic template's bundles have nothing but an image. */
export function templateSchema(kind: "basic" | "semver"): JsonObject {
  if (kind === "semver") {
    const archetype = {
      type: "object",
      properties: {
        bundles: {
          type: "array",
          items: {
            type: "object",
            required: ["image"],
            properties: { image: { type: "string" } },
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    };
    return {
      $schema: dialect,
      title: "Semver template of a file-based catalog",
      type: "object",
      required: ["schema"],
      properties: {
        schema: { const: "olm.semver" },
        generateMajorChannels: { type: "boolean" },
        generateMinorChannels: { type: "boolean" },
        defaultChannelTypePreference: { enum: ["minor", "major"] },
        candidate: archetype,
        fast: archetype,
        stable: archetype,
      },
      additionalProperties: false,
    };
  }
  const others = blobs.filter(([schema]) => schema !== "olm.bundle");
  return {
    $schema: dialect,
    title: "Basic template of a file-based catalog",
    type: "object",
    required: ["schema", "entries"],
    properties: {
      schema: { const: "olm.template.basic" },
      entries: {
        type: "array",
        items: {
          type: "object",
          required: ["schema"],
          properties: { schema: { type: "string", minLength: 1 } },
          allOf: [
            ...others.map(([schema, shape, required]) => blobSchema(schema, shape, required)),
            whenSchema("olm.bundle", { required: ["image"], properties: { image: { type: "string", minLength: 1 } } }),
          ],
        },
      },
    },
    additionalProperties: false,
  };
}
