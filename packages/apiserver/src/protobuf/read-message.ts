import { type BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { invariant } from "@purser/kubernetes/invariant";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { setMember } from "@purser/kubernetes/object/patches/json-edit";
import { type Steps, Strides } from "@purser/kubernetes/steps";
import { exactInteger } from "@purser/kubernetes/text/go-number";
import { parseJsonInSteps } from "@purser/kubernetes/text/json-steps";
import { isScalarType, messageOf, type MessageField } from "./message-table.ts";
import { type Members, specialMessage } from "./special-messages.ts";

/** Limit of nesting. */
const maxDepth = 500;

/**
 * Reads the fields of a message up to `end` into `into`, by JSON name. Like Go's decoder it ignores unknown field
 * numbers and merges repeated occurrences of a message field. With pauses.
 * @throws an Error with the message of Go's decoder for invalid bytes
 */
export function* readMessage(
  reader: BinaryReader,
  end: number,
  name: string,
  into: Members,
  strides = new Strides(),
  depth = 0,
): Steps<void> {
  if (depth > maxDepth) throw new RangeError("proto: nested too deep");
  const message = messageOf(name);
  invariant(message !== undefined, `no protobuf message ${name}`);
  const bare = name.slice(name.lastIndexOf(".") + 1);
  while (reader.pos < end) {
    const [number, wireType] = readTag(reader, bare);
    const field = message.get(number);
    if (strides.isDue(workOfField)) yield;
    if (field === undefined) skip(reader, wireType, number);
    else yield* readField(reader, end, wireType, field, into, strides, depth);
    if (reader.pos > end) throw new RangeError("unexpected EOF");
  }
}

/** To read a field takes as long as to look at so many members. */
const workOfField = 2;

/** Reads a length prefix and returns the end position of the value, which must lie within `outer`. */
export function innerEnd(reader: BinaryReader, outer: number): number {
  const end = reader.uint32() + reader.pos;
  if (end > outer) throw new RangeError("unexpected EOF");
  return end;
}

function readTag(reader: BinaryReader, message: string): readonly [number: number, wireType: number] {
  const tag = reader.uint32();
  const [number, wireType] = [tag >> 3, tag & 7];
  if (wireType === 4) throw new RangeError(`proto: ${message}: wiretype end group for non-group`);
  if (number <= 0) throw new RangeError(`proto: ${message}: illegal tag ${number} (wire type ${tag})`);
  return [number, wireType];
}

function skip(reader: BinaryReader, wireType: number, number: number): void {
  if (wireType > 5) throw new RangeError(`proto: illegal wireType ${wireType}`);
  reader.skip(wireType, number);
}

function wireTypeOf(type: string): WireType {
  switch (type) {
    case "bool":
    case "int32":
    case "int64":
      return WireType.Varint;
    case "double":
      return WireType.Bit64;
    default:
      return WireType.LengthDelimited;
  }
}

function* readField(
  reader: BinaryReader,
  end: number,
  wireType: number,
  field: MessageField,
  into: Members,
  strides: Strides,
  depth: number,
): Steps<void> {
  const { name, goName, shape, type } = field;
  const wanted = shape === "map" ? WireType.LengthDelimited : wireTypeOf(type);
  const isPacked = shape === "list" && wanted !== WireType.LengthDelimited && wireType === WireType.LengthDelimited;
  if (wireType !== wanted && !isPacked) throw new RangeError(`proto: wrong wireType = ${wireType} for field ${goName}`);
  switch (shape) {
    case "map": {
      const map = (into[name] ??= {}) as Members;
      return yield* readEntry(reader, innerEnd(reader, end), type, map, strides, depth);
    }
    case "list": {
      const list = (into[name] ??= []) as JsonValue[];
      if (!isPacked) list.push(yield* readValue(reader, end, type, undefined, strides, depth));
      else {
        const last = innerEnd(reader, end);
        while (reader.pos < last) {
          if (strides.isDue()) yield;
          list.push(yield* readValue(reader, last, type, undefined, strides, depth));
        }
      }
      return;
    }
    case "one":
      if (name === "") yield* readMessage(reader, innerEnd(reader, end), type, into, strides, depth + 1);
      else into[name] = yield* readValue(reader, end, type, into[name], strides, depth);
  }
}

/** Missing keys and values of map entries have Go's zero value. */
function* readEntry(
  reader: BinaryReader,
  end: number,
  type: string,
  into: Members,
  strides: Strides,
  depth: number,
): Steps<void> {
  let key = "";
  let value = zeroOf(type);
  while (reader.pos < end) {
    const [number, wireType] = readTag(reader, "Entry");
    if (number === 1) key = textOf(reader.bytes());
    else if (number === 2) value = yield* readValue(reader, end, type, undefined, strides, depth);
    else skip(reader, wireType, number);
    if (reader.pos > end) throw new RangeError("unexpected EOF");
  }
  setMember(into, key, value);
}

function zeroOf(type: string): JsonValue {
  switch (type) {
    case "string":
    case "bytes":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "double":
      return 0;
    default:
      return specialMessage(type)?.read({}) ?? {};
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** Reads one value; `before` is the value of an earlier occurrence of the same field. */
function* readValue(
  reader: BinaryReader,
  outer: number,
  type: string,
  before: JsonValue | undefined,
  strides: Strides,
  depth: number,
): Steps<JsonValue> {
  switch (type) {
    case "string":
      return textOf(reader.bytes());
    case "bool":
      return reader.bool();
    case "int32":
      return reader.int32();
    case "int64":
      return exactInteger(String(reader.int64()));
    case "double":
      return reader.double();
    case "bytes":
      return Buffer.from(reader.bytes()).toString("base64");
    default: {
      invariant(!isScalarType(type), `no reader of ${type}`);
      const end = innerEnd(reader, outer);
      const special = specialMessage(type);
      const members: Members = special === undefined && isJsonObject(before) ? { ...before } : {};
      if (special?.raw === true) return yield* readJson(reader, end);
      yield* readMessage(reader, end, type, members, strides, depth + 1);
      return special === undefined ? (members as JsonObject) : special.read(members);
    }
  }
}

/** Reads the JSON text in the single `bytes` field of a message; null when there is none. */
function* readJson(reader: BinaryReader, end: number): Steps<JsonValue> {
  let text = "";
  while (reader.pos < end) {
    const [number, wireType] = readTag(reader, "Raw");
    if (number === 1 && wireType === WireType.LengthDelimited) text = textOf(reader.bytes());
    else skip(reader, wireType, number);
    if (reader.pos > end) throw new RangeError("unexpected EOF");
  }
  return text === "" ? null : yield* parseJsonInSteps(text);
}
