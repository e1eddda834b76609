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

/** The schema of every built-in kind as the OpenAPI documents have it, and all that they refer to. */
const schemas = new Map<string, JsonObject>();
/** Name of the schema of a message. */
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
  // No document has what only subresources take.
  const more: Record<string, JsonObject> = {};
  for (const kind of requestKinds())
    if (!roots.has(messageName(kind))) {
      addStruct(kind.kind, more);
      roots.set(messageName(kind), structComponent(kind.kind));
    }
  for (const [name, schema] of Object.entries(more)) schemas.set(name, schema);
});

/** What a field of the table is in JSON Schema: a type with its format, `[]`, `{}` and `->` for a reference. */
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

/** The fields of a message with those of its embedded structs, by their JSON names. */
function flattened(name: string): ReadonlyMap<string, MessageField> {
  const fields = new Map<string, MessageField>();
  for (const field of messageOf(name)?.values() ?? [])
    for (const [key, found] of field.name === "" ? flattened(field.type) : [[field.name, field] as const]) {
      assert.ok(!fields.has(key), `${name}.${key} stands twice`);
      fields.set(key, found);
    }
  return fields;
}

/** Schema and message side by side; gives the names of all messages reached. */
function compare(message: string, component: string, seen: Set<string>): void {
  if (seen.has(message)) return;
  seen.add(message);
  const properties = schemas.get(component)?.["properties"];
  assert.ok(isJsonObject(properties), `no schema ${component}`);
  const inSchema = new Map(Object.entries(properties as Record<string, JsonObject>));
  const fields = flattened(message);
  // The envelope of a request says of which kind its message is.
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

test("every field of every message is a property of the schema of its kind, of the same type, and the other way round", () => {
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

/** Embedded structs are compared as parts of those around them; schemas are theirs alone. */
function isEmbedded(name: string): boolean {
  return new RegExp(` \\d+::${name.replaceAll(".", "\\.")}[: \n]`).test(messages);
}

test("every kind that a request may carry has a message", () => {
  for (const kind of requestKinds()) assert.notEqual(messageOf(messageName(kind)), undefined, kind.kind);
});
