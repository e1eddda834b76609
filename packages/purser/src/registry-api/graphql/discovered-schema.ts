import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { fieldName } from "./names.ts";

export type ScalarName = "String" | "Int" | "Float" | "Boolean";

/** What is known of a field from the values that it has. */
export interface DiscoveredField {
  readonly scalar: ScalarName;
  readonly isList: boolean;
  /** Of a list of objects: their fields. */
  readonly nested: ReadonlyMap<string, DiscoveredField>;
}

/** What is known of the blobs of one schema. */
export interface DiscoveredBlobs {
  readonly count: number;
  readonly fields: ReadonlyMap<string, DiscoveredField>;
}

/** By schema. Maps of texts and numbers, which another thread can be handed. */
export type DiscoveredSchemas = ReadonlyMap<string, DiscoveredBlobs>;

/** Elements of a list that are looked at. */
const sampledElements = 10;

const noFields: ReadonlyMap<string, DiscoveredField> = new Map();

/** Learns the fields of every schema from all blobs; blobs without a schema are left out. The first value of a field decides its type, as in catalogd. */
export function discoverSchemas(blobs: Iterable<JsonObject>): DiscoveredSchemas {
  const schemas = new Map<string, { count: number; fields: Map<string, DiscoveredField> }>();
  for (const blob of blobs) {
    const { schema } = blob;
    if (typeof schema !== "string" || schema === "") continue;
    let known = schemas.get(schema);
    if (known === undefined) schemas.set(schema, (known = { count: 0, fields: new Map() }));
    known.count++;
    for (const [key, value = null] of Object.entries(blob)) learn(known.fields, fieldName(key), fieldOf(value));
  }
  return schemas;
}

function learn(fields: Map<string, DiscoveredField>, name: string, found: DiscoveredField): void {
  const known = fields.get(name);
  if (known === undefined) fields.set(name, found);
  else if (found.nested.size > 0) fields.set(name, { ...known, nested: new Map([...found.nested, ...known.nested]) });
}

function fieldOf(value: JsonValue): DiscoveredField {
  if (!Array.isArray(value)) return { scalar: scalarOf(value), isList: false, nested: noFields };
  const elements = value.slice(0, sampledElements).filter((element) => element !== null);
  const nested = new Map<string, DiscoveredField>();
  for (const element of elements)
    if (isJsonObject(element))
      for (const [key, inner = null] of Object.entries(element)) {
        const name = fieldName(key);
        if (!nested.has(name)) nested.set(name, innerFieldOf(inner));
      }
  const kinds = new Set(elements.map(kindOf));
  const isMixed = kinds.size > 1 && nested.size === 0;
  const sample = elements.find((element) => typeof element === "number" && !Number.isInteger(element)) ?? elements[0];
  return { scalar: isMixed ? "String" : scalarOf(sample ?? null), isList: true, nested };
}

/** A field of an object in a list: of a list in it the first element decides. */
function innerFieldOf(value: JsonValue): DiscoveredField {
  const isList = Array.isArray(value);
  return { scalar: scalarOf(isList ? (value[0] ?? null) : value), isList, nested: noFields };
}

const kindOf = (value: JsonValue): string => (Array.isArray(value) ? "array" : typeof value);

/** What is neither a number nor a truth value is a text: objects and lists as their JSON. */
function scalarOf(value: JsonValue): ScalarName {
  if (typeof value === "boolean") return "Boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "Int" : "Float";
  return "String";
}
