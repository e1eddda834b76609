import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { knownKeys } from "@purser/kubernetes/known-keys";
import type { Steps, Strides } from "@purser/kubernetes/steps";
import { jsonInPieces } from "@purser/kubernetes/text/json-pieces";
import { messageOf } from "./message-table.ts";
import { specialMessage } from "./special-messages.ts";

/**
 * Size in bytes of the object's fields as the protobuf message of that name. Fields that the object does not have count as
 * nothing, though Go's encoder writes two bytes for those that have no pointer type.
 */
export function* messageSize(name: string, object: JsonObject, strides: Strides): Steps<number> {
  let size = 0;
  for (const [number, field] of messageOf(name) ?? []) {
    const tag = varintSize(number * 8);
    if (field.name === "") {
      size += tag + prefixed(yield* messageSize(field.type, object, strides));
      continue;
    }
    const value = member(object, field.name);
    if (value === undefined || value === null) continue;
    if (field.shape === "map" && isJsonObject(value)) size += yield* mapSize(value, tag, field.type, strides);
    else if (field.shape === "list" && Array.isArray(value)) {
      for (const item of value as readonly JsonValue[]) {
        size += tag + (yield* valueSize(field.type, item, strides));
        if (strides.isDue(2)) yield;
      }
    } else size += tag + (yield* valueSize(field.type, value, strides));
  }
  return size;
}

function* mapSize(map: JsonObject, tag: number, type: string, strides: Strides): Steps<number> {
  let size = 0;
  for (const key of knownKeys(map)) {
    const value = map[key];
    if (value === undefined) continue;
    size += tag + prefixed(1 + textSize(key) + 1 + (yield* valueSize(type, value, strides)));
    if (strides.isDue(2)) yield;
  }
  return size;
}

/** Size of a value behind its tag. */
function* valueSize(type: string, value: JsonValue, strides: Strides): Steps<number> {
  if (strides.isDue()) yield;
  switch (type) {
    case "string":
      return typeof value === "string" ? textSize(value) : 1;
    case "bytes":
      return typeof value === "string" ? prefixed(Buffer.byteLength(value, "base64")) : 1;
    case "bool":
      return 1;
    case "int32":
    case "int64":
      return varintSize(Number(value));
    case "double":
      return 8;
    case "meta.v1.Time":
    case "meta.v1.MicroTime":
      // Seconds of this century, and nanoseconds.
      return prefixed(1 + 5 + 1 + (type === "meta.v1.Time" ? 1 : 5));
    case "resource.Quantity":
      return prefixed(1 + textSize(typeof value === "string" ? value : JSON.stringify(value)));
    case "intstr.IntOrString":
      return typeof value === "string"
        ? prefixed(2 + 2 + 1 + textSize(value))
        : prefixed(2 + 1 + varintSize(Number(value)) + 2);
  }
  if (specialMessage(type)?.raw === true && isJsonObject(value)) return prefixed(1 + prefixed(yield* jsonSize(value)));
  return isJsonObject(value) ? prefixed(yield* messageSize(type, value, strides)) : 1;
}

/** Size in bytes of an object's JSON text. */
function* jsonSize(value: JsonObject): Steps<number> {
  let size = 0;
  for (const piece of jsonInPieces(value, "")) {
    size += Buffer.byteLength(piece);
    if (piece.length > 0) yield;
  }
  return size;
}

function textSize(text: string): number {
  return prefixed(Buffer.byteLength(text));
}

function prefixed(size: number): number {
  return varintSize(size) + size;
}

/** Negative numbers take ten bytes. */
function varintSize(value: number): number {
  if (value < 0) return 10;
  let size = 1;
  for (let rest = value; rest >= 128; rest /= 128) size++;
  return size;
}
