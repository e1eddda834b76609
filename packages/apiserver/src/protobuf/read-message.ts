import { type BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { invariant } from "@purser/kubernetes/invariant";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { setMember } from "@purser/kubernetes/object/patches/json-edit";
import { exactInteger } from "@purser/kubernetes/text/go-number";
import { isScalarType, messageOf, type MessageField } from "./message-table.ts";
import { type Members, specialMessage } from "./special-messages.ts";

/** Limit of nesting. */
const maxDepth = 500;

/**
 * Reads the fields of a message up to `end` into `into`, by JSON name. Like Go's decoder it ignores unknown field
 * numbers and merges repeated occurrences of a message field.
 * @throws an Error with the message of Go's decoder for invalid bytes
 */
export function readMessage(reader: BinaryReader, end: number, name: string, into: Members, depth = 0): void {
  if (depth > maxDepth) throw new RangeError("proto: nested too deep");
  const message = messageOf(name);
  invariant(message !== undefined, `no protobuf message ${name}`);
  const bare = name.slice(name.lastIndexOf(".") + 1);
  while (reader.pos < end) {
    const [number, wireType] = readTag(reader, bare);
    const field = message.get(number);
    if (field === undefined) skip(reader, wireType, number);
    else readField(reader, end, wireType, field, into, depth);
    if (reader.pos > end) throw new RangeError("unexpected EOF");
  }
}

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

function readField(
  reader: BinaryReader,
  end: number,
  wireType: number,
  field: MessageField,
  into: Members,
  depth: number,
): void {
  const { name, goName, shape, type } = field;
  const wanted = shape === "map" ? WireType.LengthDelimited : wireTypeOf(type);
  const isPacked = shape === "list" && wanted !== WireType.LengthDelimited && wireType === WireType.LengthDelimited;
  if (wireType !== wanted && !isPacked) throw new RangeError(`proto: wrong wireType = ${wireType} for field ${goName}`);
  switch (shape) {
    case "map": {
      const map = (into[name] ??= {}) as Members;
      return readEntry(reader, innerEnd(reader, end), type, map, depth);
    }
    case "list": {
      const list = (into[name] ??= []) as JsonValue[];
      if (!isPacked) list.push(readValue(reader, end, type, undefined, depth));
      else {
        const last = innerEnd(reader, end);
        while (reader.pos < last) list.push(readValue(reader, last, type, undefined, depth));
      }
      return;
    }
    case "one":
      if (name === "") readMessage(reader, innerEnd(reader, end), type, into, depth + 1);
      else into[name] = readValue(reader, end, type, into[name], depth);
  }
}

/** Missing keys and values of map entries have Go's zero value. */
function readEntry(reader: BinaryReader, end: number, type: string, into: Members, depth: number): void {
  let key = "";
  let value = zeroOf(type);
  while (reader.pos < end) {
    const [number, wireType] = readTag(reader, "Entry");
    if (number === 1) key = textOf(reader.bytes());
    else if (number === 2) value = readValue(reader, end, type, undefined, depth);
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
function readValue(
  reader: BinaryReader,
  outer: number,
  type: string,
  before: JsonValue | undefined,
  depth: number,
): JsonValue {
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
      if (special?.raw === true) readRaw(reader, end, members);
      else readMessage(reader, end, type, members, depth + 1);
      return special === undefined ? (members as JsonObject) : special.read(members);
    }
  }
}

/** Reads the single `bytes` field of a message that contains JSON text. */
function readRaw(reader: BinaryReader, end: number, into: Members): void {
  while (reader.pos < end) {
    const [number, wireType] = readTag(reader, "Raw");
    if (number === 1 && wireType === WireType.LengthDelimited) into["raw"] = textOf(reader.bytes());
    else skip(reader, wireType, number);
    if (reader.pos > end) throw new RangeError("unexpected EOF");
  }
}
