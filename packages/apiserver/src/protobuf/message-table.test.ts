import assert from "node:assert/strict";
import { before, test } from "node:test";
import { isJsonObject, type JsonObject, member } from "@purser/kubernetes/json";
import { addStruct, structComponent } from "../openapi/built-in-schemas.ts";
import { objectsIn } from "../kinds/decoding/json-parts.ts";
import { testServer } from "../testing/server.ts";
import { isScalarType, type MessageField, messageOf } from "./message-table.ts";
import { messages } from "./messages.gen.ts";
import { messageName, requestKinds } from "./request-kinds.ts";
import { specialMessage } from "./special-messages.ts";

/** All schemas of the OpenAPI documents. */
const schemas = new Map<string, JsonObject>();
/** Schema name by message. */
const roots = new Map<string, string>();

const referred = "#/components/schemas/";

before(async () => {
  const server = await testServer();
  const index = await server.ask({ path: "/openapi/v3" });
  const paths = Object.values(index.object["paths"] as Record<string, { readonly serverRelativeURL: string }>);
  for (const { serverRelativeURL } of paths) {
    const { object } = await server.ask({ path: serverRelativeURL });
    const found = member(member(object, "components") as JsonObject, "schemas") as JsonObject;
    for (const [name, schema] of Object.entries(found)) {
      if (!isJsonObject(schema)) continue;
      schemas.set(name, schema);
      for (const { group, version, kind } of objectsIn(schema, "x-kubernetes-group-version-kind") as readonly {
        readonly group: string;
        readonly version: string;
        readonly kind: string;
      }[])
        roots.set(messageName({ group, version, kind }), name);
    }
  }
  // Bodies of subresources, which no document contains.
  const more: Record<string, JsonObject> = {};
  for (const kind of requestKinds())
    if (!roots.has(messageName(kind))) {
      addStruct(kind.kind, more);
      roots.set(messageName(kind), structComponent(kind.kind));
    }
  for (const [name, schema] of Object.entries(more)) schemas.set(name, schema);
});

/** The type of a field in JSON Schema: a type with its format, `[]`, `{}`, and `->` for a reference. */
function typeInTable({ shape, type }: MessageField): string {
  const item = type.endsWith(".ExtraValue") ? "[]string" : isScalarType(type) ? scalarNames[type] : `->${type}`;
  return `${shape === "list" ? "[]" : shape === "map" ? "{}" : ""}${item}`;
}

const scalarNames: Readonly<Record<string, string>> = {
  string: "string",
  bool: "boolean",
  int32: "integer(int32)",
  int64: "integer(int64)",
  double: "number(double)",
  bytes: "string(byte)",
};

function typeInSchema(schema: JsonObject): string {
  const reference = JSON.stringify(schema["allOf"] ?? [{ $ref: schema["$ref"] }]);
  const [, name] = /\[\{"\$ref":"#\/components\/schemas\/([^"]+)"\}\]/.exec(reference) ?? [];
  if (name !== undefined) return `->${name.replace(/^.*?\.(\w+\.v1\.\w+|\w+\.\w+)$/, "$1")}`;
  const { type, format, items, additionalProperties } = schema;
  if (isJsonObject(items)) return `[]${typeInSchema(items)}`;
  if (isJsonObject(additionalProperties)) return `{}${typeInSchema(additionalProperties)}`;
  return `${typeof type === "string" ? type : ""}${typeof format === "string" ? `(${format})` : ""}`;
}

/** The fields of a message including those of embedded structs, by JSON name. */
function flattened(name: string): ReadonlyMap<string, MessageField> {
  const fields = new Map<string, MessageField>();
  for (const field of messageOf(name)?.values() ?? [])
    for (const [key, found] of field.name === "" ? flattened(field.type) : [[field.name, field] as const]) {
      assert.ok(!fields.has(key), `${name}.${key} stands twice`);
      fields.set(key, found);
    }
  return fields;
}

/** Compares schema and message recursively; collects the names of all visited messages. */
function compare(message: string, component: string, seen: Set<string>): void {
  if (seen.has(message)) return;
  seen.add(message);
  const properties = schemas.get(component)?.["properties"];
  assert.ok(isJsonObject(properties), `no schema ${component}`);
  const inSchema = new Map(Object.entries(properties as Record<string, JsonObject>));
  const fields = flattened(message);
  // Kind and apiVersion are in the envelope of the request.
  if (roots.has(message)) for (const name of ["kind", "apiVersion"]) inSchema.delete(name);
  assert.deepEqual(
    [...fields].map(([name, field]) => `${name}: ${typeInTable(field)}`).toSorted(),
    [...inSchema].map(([name, schema]) => `${name}: ${typeInSchema(schema)}`).toSorted(),
    message,
  );
  for (const [name, { type }] of fields)
    if (!isScalarType(type) && specialMessage(type) === undefined)
      compare(type, referenceIn(inSchema.get(name) ?? {}), seen);
}

function referenceIn(schema: JsonObject): string {
  const [, name = ""] = new RegExp(`"\\$ref":"${referred}([^"]+)"`).exec(JSON.stringify(schema)) ?? [];
  return name;
}

test("messages and schemas have the same fields of the same types", () => {
  const seen = new Set<string>();
  for (const kind of requestKinds()) {
    const name = messageName(kind);
    compare(name, roots.get(name) ?? "", seen);
  }
  const inTable = messages
    .trim()
    .split("\n")
    .map((line) => line.split(" ")[0] ?? "");
  const unread = inTable.filter((name) => !seen.has(name) && specialMessage(name) === undefined && !isEmbedded(name));
  assert.deepEqual(unread, []);
});

/** Embedded structs are compared as parts of the enclosing ones; only schemas know them by name. */
function isEmbedded(name: string): boolean {
  return new RegExp(` \\d+::${name.replaceAll(".", "\\.")}[: \n]`).test(messages);
}

test("every kind that a request may carry has a message", () => {
  for (const kind of requestKinds()) assert.notEqual(messageOf(messageName(kind)), undefined, kind.kind);
});
