import { apiVersionOf } from "../../apis/resource-type.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { isJsonObject } from "../../json.ts";
import { kindProperties } from "./built-in-schemas.ts";
import type { ServedVersion } from "../registry/registry.ts";
import type { ServedKind } from "../registry/served-kind.ts";

const metadataSchema: JsonObject = {
  type: "object",
  description: "Name, namespace, labels, annotations and what the server keeps about every object.",
  properties: {
    name: { type: "string" },
    generateName: { type: "string" },
    namespace: { type: "string" },
    uid: { type: "string" },
    resourceVersion: { type: "string" },
    generation: { type: "integer", format: "int64" },
    creationTimestamp: { type: "string", format: "date-time" },
    deletionTimestamp: { type: "string", format: "date-time" },
    deletionGracePeriodSeconds: { type: "integer", format: "int64" },
    labels: { type: "object", additionalProperties: { type: "string" } },
    annotations: { type: "object", additionalProperties: { type: "string" } },
    finalizers: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    ownerReferences: {
      type: "array",
      items: {
        type: "object",
        properties: {
          apiVersion: { type: "string" },
          kind: { type: "string" },
          name: { type: "string" },
          uid: { type: "string" },
          controller: { type: "boolean" },
          blockOwnerDeletion: { type: "boolean" },
        },
        required: ["apiVersion", "kind", "name", "uid"],
      },
    },
    managedFields: { type: "array", items: { type: "object" } },
  },
};

const metadataName = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

function componentName({ type }: ServedKind): string {
  if (type.group === "") return `io.k8s.api.core.${type.version}.${type.kind}`;
  return `${type.group.split(".").toReversed().join(".")}.${type.version}.${type.kind}`;
}

/** Kinds whose struct in the field table has another name. */
const structs: Readonly<Record<string, string>> = { "events.k8s.io/Event": "events.Event" };

function declaredSchema(kind: ServedKind, schemas: Record<string, JsonObject>): JsonObject {
  if (kind.custom !== undefined) return kind.custom.version.schema?.openAPIV3Schema ?? { type: "object" };
  const struct = structs[`${kind.type.group}/${kind.type.kind}`] ?? kind.type.kind;
  return { type: "object", properties: kindProperties(struct, schemas) };
}

function schemaOf(kind: ServedKind, schemas: Record<string, JsonObject>): JsonObject {
  const declared = declaredSchema(kind, schemas);
  const properties = declared["properties"];
  const { group, version, kind: name } = kind.type;
  return {
    ...declared,
    properties: {
      ...(isJsonObject(properties) ? properties : {}),
      apiVersion: { type: "string", description: "Group and version of the object." },
      kind: { type: "string", description: "Kind of the object." },
      metadata: { allOf: [{ $ref: `#/components/schemas/${metadataName}` }] },
    },
    "x-kubernetes-group-version-kind": [{ group, version, kind: name }],
  };
}

const parameters: JsonValue = ["dryRun", "fieldManager", "fieldValidation", "force", "pretty"].map((name) => ({
  name,
  in: "query",
  schema: { type: name === "force" ? "boolean" : "string", uniqueItems: true },
}));

function operations(kind: ServedKind): JsonObject {
  const { group, version, kind: name } = kind.type;
  const shared = {
    "x-kubernetes-group-version-kind": { group, version, kind: name },
    responses: {
      "200": {
        description: "OK",
        content: { "application/json": { schema: { $ref: `#/components/schemas/${componentName(kind)}` } } },
      },
    },
  };
  return {
    get: { ...shared, "x-kubernetes-action": "get" },
    put: { ...shared, "x-kubernetes-action": "put", parameters },
    patch: { ...shared, "x-kubernetes-action": "patch", parameters },
    delete: { ...shared, "x-kubernetes-action": "delete" },
  };
}

/** The OpenAPI 3 document of one group and version. */
export function versionDocument(served: ServedVersion): JsonObject {
  const root = served.group === "" ? `/api/${served.version}` : `/apis/${apiVersionOf(served)}`;
  const paths: Record<string, JsonObject> = {};
  const schemas: Record<string, JsonObject> = { [metadataName]: metadataSchema };
  for (const kind of served.kinds) {
    schemas[componentName(kind)] = schemaOf(kind, schemas);
    if (!kind.verbs.includes("patch")) continue;
    const scope = kind.type.namespaced ? "/namespaces/{namespace}" : "";
    paths[`${root}${scope}/${kind.type.plural}/{name}`] = operations(kind);
  }
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1.36.3" },
    paths,
    components: { schemas },
  };
}
