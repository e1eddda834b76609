// Helpers for writing OpenAPI schemas: a description, then further keywords.
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import kubernetes from "./kubernetes-schemas.json" with { type: "json" };

type Properties = Readonly<Record<string, JsonObject>>;

function described(description: string): JsonObject {
  return description === "" ? {} : { description };
}

export function text(description: string, more: JsonObject = {}): JsonObject {
  return { ...described(description), type: "string", ...more };
}

export function time(description: string): JsonObject {
  return text(description, { format: "date-time" });
}

export function flag(description: string): JsonObject {
  return { ...described(description), type: "boolean" };
}

export function integer(description: string, more: JsonObject = {}): JsonObject {
  return { ...described(description), type: "integer", ...more };
}

export function int32(description: string, more: JsonObject = {}): JsonObject {
  return integer(description, { format: "int32", ...more });
}

export function list(description: string, items: JsonObject, more: JsonObject = {}): JsonObject {
  return { ...described(description), type: "array", items, ...more };
}

/** A list whose items are identified by `key` (`x-kubernetes-list-type: map`). */
export function listBy(key: string, description: string, items: JsonObject, more: JsonObject = {}): JsonObject {
  return list(description, items, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key], ...more });
}

export function texts(description: string, more: JsonObject = {}): JsonObject {
  return list(description, text(""), more);
}

export function textMap(description: string): JsonObject {
  return { ...described(description), type: "object", additionalProperties: text("") };
}

/** `required` members come first in the schema, as people read it. */
export function object(
  description: string,
  members: { readonly required?: Properties; readonly optional?: Properties },
  more: JsonObject = {},
): JsonObject {
  const { required = {}, optional = {} } = members;
  const names = Object.keys(required).toSorted();
  return {
    ...described(description),
    type: "object",
    ...(names.length === 0 ? {} : { required: names }),
    properties: { ...required, ...optional },
    ...more,
  };
}

/** A validation rule in CEL with the message that the API server answers. */
export function rule(expression: string, message: string): JsonObject {
  return { rule: expression, message };
}

export function rules(...found: readonly JsonObject[]): JsonObject {
  return { "x-kubernetes-validations": found };
}

/** One of Kubernetes' own types, without descriptions. */
export function embedded(name: keyof typeof kubernetes, description = ""): JsonObject {
  return { ...described(description), ...(kubernetes[name] as JsonObject) };
}

export function enumOf(description: string, values: readonly string[], more: JsonObject = {}): JsonObject {
  return text(description, { enum: values, ...more });
}

/** A Kubernetes quantity such as 200Mi. */
export const quantity: JsonObject = {
  anyOf: [{ type: "integer" }, { type: "string" }],
  pattern:
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
  "x-kubernetes-int-or-string": true,
};

/** `metav1.Condition`; an override may lack its time. */
export function condition(optionalTime = false): JsonObject {
  const lastTransitionTime = time("When the status changed last.");
  return object("", {
    required: {
      type: text("What the condition is about.", {
        maxLength: 316,
        pattern:
          "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
      }),
      status: enumOf("", ["True", "False", "Unknown"]),
      reason: text("The cause as one word, for programs.", {
        minLength: 1,
        maxLength: 1024,
        pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
      }),
      message: text("The cause as a sentence, for people.", { maxLength: 32768 }),
      ...(optionalTime ? {} : { lastTransitionTime }),
    },
    optional: {
      observedGeneration: integer("Generation of the spec that the condition speaks of.", {
        format: "int64",
        minimum: 0,
      }),
      ...(optionalTime ? { lastTransitionTime } : {}),
    },
  });
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "date" | "boolean" | "integer";
  readonly jsonPath: string;
}

export function column(name: string, jsonPath: string, type: PrinterColumn["type"] = "string"): PrinterColumn {
  return { name, type, jsonPath };
}

export interface KindVersion {
  readonly name: string;
  readonly storage: boolean;
  readonly columns?: readonly PrinterColumn[];
  readonly description: string;
  /** Members beside apiVersion, kind and metadata. */
  readonly required?: Properties;
  readonly optional?: Properties;
}

export interface Kind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly versions: readonly KindVersion[];
}

function versionOf({
  name,
  storage,
  columns = [],
  description,
  required = {},
  optional = {},
}: KindVersion): JsonObject {
  const schema = object(
    description,
    {
      required,
      optional: {
        apiVersion: text("Group and version of this representation of the object."),
        kind: text("Kind of the object."),
        metadata: { type: "object" },
        ...optional,
      },
    },
    {},
  );
  const names = ["metadata", ...Object.keys(required)].toSorted();
  return {
    name,
    served: true,
    storage,
    subresources: { status: {} },
    ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns as unknown as JsonValue }),
    schema: {
      // `metadata` is always there; it is required where the spec is, as upstream has it.
      openAPIV3Schema: { ...schema, ...(Object.keys(required).length === 0 ? {} : { required: names }) },
    },
  };
}

/** The whole CustomResourceDefinition. */
export function manifestOf(kind: Kind, generator?: "standard" | "experimental"): JsonObject {
  const { group, plural, singular, scope, shortNames = [], categories = [], versions } = kind;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      ...(generator === undefined ? {} : { annotations: { "olm.operatorframework.io/generator": generator } }),
    },
    spec: {
      group,
      scope,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural,
        singular,
        ...(shortNames.length === 0 ? {} : { shortNames }),
        ...(categories.length === 0 ? {} : { categories }),
      },
      versions: versions.map(versionOf),
    },
  };
}
