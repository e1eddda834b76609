import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import { objectFieldDescription } from "./descriptions.ts";
import { addStruct, referTo, structComponent } from "./built-in-schemas.ts";
import type { ServedVersion } from "../registry/registry.ts";
import type { ServedKind } from "../registry/served-kind.ts";

/** Kinds whose struct has another name in the field table. */
const structs: Readonly<Record<string, string>> = { "events.k8s.io/Event": "events.Event" };

function structOf({ type }: ServedKind): string {
  return structs[`${type.group}/${type.kind}`] ?? type.kind;
}

function componentOf(kind: ServedKind): string {
  const { group, version, kind: name } = kind.type;
  return kind.custom === undefined
    ? structComponent(structOf(kind))
    : `${group.split(".").toReversed().join(".")}.${version}.${name}`;
}

/** Properties of every custom resource, whatever its schema says. */
function envelope(): JsonObject {
  const described = (field: string, schema: JsonObject): JsonObject => ({
    description: objectFieldDescription(field) ?? "",
    ...schema,
  });
  return {
    apiVersion: described("apiVersion", { type: "string" }),
    kind: described("kind", { type: "string" }),
    metadata: described("metadata", referTo(structComponent("ObjectMeta"))),
  };
}

function addKind(kind: ServedKind, schemas: Record<string, JsonObject>): void {
  const name = componentOf(kind);
  if (kind.custom === undefined) addStruct(structOf(kind), schemas);
  const declared =
    kind.custom === undefined
      ? (schemas[name] ?? {})
      : (kind.custom.version.schema?.openAPIV3Schema ?? { type: "object" });
  const properties = declared["properties"];
  const { group, version, kind: kindName } = kind.type;
  addStruct("ObjectMeta", schemas);
  schemas[name] = {
    ...declared,
    properties: {
      ...(isJsonObject(properties) ? properties : {}),
      ...(kind.custom === undefined ? {} : envelope()),
    },
    "x-kubernetes-group-version-kind": [{ group, version, kind: kindName }],
  };
}

const patchTypes = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];
const strategic = "application/strategic-merge-patch+json";

function parameters(names: readonly string[]): JsonValue {
  return names.map((name) => ({
    name,
    in: "query",
    schema: { type: name === "force" || name === "watch" ? "boolean" : "string", uniqueItems: true },
  }));
}

const writing = ["dryRun", "fieldManager", "fieldValidation", "pretty"];
const listing = ["continue", "fieldSelector", "labelSelector", "limit", "resourceVersion", "watch"];

function operation(kind: ServedKind, action: string, names: readonly string[], bodies: readonly string[]): JsonObject {
  const { group, version, kind: name } = kind.type;
  const schema = { $ref: `#/components/schemas/${componentOf(kind)}` };
  const body = { type: "object" };
  return {
    parameters: parameters(names),
    ...(bodies.length === 0
      ? {}
      : {
          requestBody: {
            required: true,
            content: Object.fromEntries(bodies.map((type) => [type, { schema: action === "patch" ? body : schema }])),
          },
        }),
    responses: { "200": { description: "OK", content: { "application/json": { schema } } } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group, version, kind: name },
  };
}

function paths(kind: ServedKind, root: string): readonly (readonly [string, JsonObject])[] {
  const { verbs, type, custom } = kind;
  const collection = `${root}${type.namespaced ? "/namespaces/{namespace}" : ""}/${type.plural}`;
  const patches = custom === undefined ? [...patchTypes, strategic] : patchTypes;
  const json = ["application/json"];
  const many = {
    ...(verbs.includes("list") ? { get: operation(kind, "list", listing, []) } : {}),
    ...(verbs.includes("create") ? { post: operation(kind, "post", writing, json) } : {}),
    ...(verbs.includes("deletecollection")
      ? { delete: operation(kind, "deletecollection", [...listing.slice(1, 3), "dryRun"], []) }
      : {}),
  };
  const one = {
    ...(verbs.includes("get") ? { get: operation(kind, "get", ["pretty"], []) } : {}),
    ...(verbs.includes("update") ? { put: operation(kind, "put", writing, json) } : {}),
    ...(verbs.includes("patch") ? { patch: operation(kind, "patch", [...writing, "force"], patches) } : {}),
    ...(verbs.includes("delete") ? { delete: operation(kind, "delete", ["dryRun", "propagationPolicy"], []) } : {}),
  };
  return [[collection, many], ...(Object.keys(one).length === 0 ? [] : [[`${collection}/{name}`, one] as const])];
}

/** The OpenAPI 3 document of one group and version. */
export function versionDocument(served: ServedVersion): JsonObject {
  const root = served.group === "" ? `/api/${served.version}` : `/apis/${apiVersionOf(served)}`;
  const schemas: Record<string, JsonObject> = {};
  for (const kind of served.kinds) addKind(kind, schemas);
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "1.36" },
    paths: Object.fromEntries(served.kinds.flatMap((kind) => paths(kind, root))),
    components: { schemas },
  };
}
