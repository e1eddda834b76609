import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { formatMicroTime, formatTime } from "../../clock.ts";
import { type GroupVersionKind, parseApiVersion } from "../../apis/resource-type.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { setMember } from "../../object/json-edit.ts";
import { done, failed, type Result } from "../../result.ts";
import { exactInteger } from "../../text/go-number.ts";
import { parseJson } from "../../text/json-document.ts";
import { type BodyDecoder, summary } from "../request/body.ts";
import { badRequest } from "../request/refusal.ts";
import type { ProtobufDecoders } from "./decoders.ts";
import { messages } from "./messages.gen.ts";

interface Field {
  /** Empty: the message's fields stand in the outer object. */
  readonly name: string;
  readonly shape: "one" | "list" | "map";
  /** A scalar or the name of a message. */
  readonly type: string;
}

type Message = ReadonlyMap<number, Field>;

const scalars: ReadonlySet<string> = new Set(["string", "bool", "int32", "int64", "double", "bytes"]);

/** Nesting beyond this is refused. */
const maxDepth = 500;

const lines = new Map<string, string>();
const parsed = new Map<string, Message>();

function messageOf(name: string): Message | undefined {
  const known = parsed.get(name);
  if (known !== undefined) return known;
  if (lines.size === 0)
    for (const line of messages.trim().split("\n")) {
      const space = line.indexOf(" ");
      if (space < 0) lines.set(line, "");
      else lines.set(line.slice(0, space), line.slice(space + 1));
    }
  const line = lines.get(name);
  if (line === undefined) return undefined;
  const message = new Map<number, Field>();
  for (const entry of line.split(" ").filter((part) => part !== "")) {
    const [number = "", field = "", type = ""] = entry.split(":");
    const shape = type.startsWith("[]") ? "list" : type.startsWith("{}") ? "map" : "one";
    message.set(Number(number), { name: field, shape, type: shape === "one" ? type : type.slice(2) });
  }
  parsed.set(name, message);
  return message;
}

type Members = Record<string, JsonValue | undefined>;

function readMessage(reader: BinaryReader, end: number, name: string, into: Members, depth: number): void {
  if (depth > maxDepth) throw new RangeError("proto: nested too deep");
  const message = messageOf(name);
  if (message === undefined) throw new RangeError(`proto: no message ${name}`);
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = message.get(number);
    if (field === undefined) reader.skip(wireType);
    else readField(reader, wireType, field, into, depth);
  }
}

function readField(reader: BinaryReader, wireType: WireType, field: Field, into: Members, depth: number): void {
  const { name, shape, type } = field;
  switch (shape) {
    case "map": {
      const end = reader.uint32() + reader.pos;
      let key = "";
      let value: JsonValue | undefined;
      while (reader.pos < end) {
        const [number, entryType] = reader.tag();
        if (number === 1) key = reader.string();
        else if (number === 2) value = readValue(reader, entryType, type, depth);
        else reader.skip(entryType);
      }
      const map: Members = { ...(into[name] as JsonObject | undefined) };
      setMember(map, key, value ?? (type === "string" ? "" : {}));
      into[name] = map as JsonObject;
      return;
    }
    case "list": {
      const list: JsonValue[] = Array.isArray(into[name]) ? (into[name] as JsonValue[]) : [];
      if (wireType === WireType.LengthDelimited && (type === "int32" || type === "int64" || type === "bool")) {
        const end = reader.uint32() + reader.pos;
        while (reader.pos < end) list.push(readValue(reader, WireType.Varint, type, depth));
      } else list.push(readValue(reader, wireType, type, depth));
      into[name] = list;
      return;
    }
    case "one":
      if (name !== "") into[name] = readValue(reader, wireType, type, depth);
      else {
        const end = reader.uint32() + reader.pos;
        readMessage(reader, end, type, into, depth + 1);
      }
  }
}

function readValue(reader: BinaryReader, _wireType: WireType, type: string, depth: number): JsonValue {
  switch (type) {
    case "string":
      return reader.string();
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
      const end = reader.uint32() + reader.pos;
      const special = specials[type];
      const members: Members = {};
      if (special === undefined) readMessage(reader, end, type, members, depth + 1);
      else if (special.raw) {
        const raw = rawBytes(reader, end);
        return raw === undefined ? null : special.read({ raw });
      } else readMessage(reader, end, type, members, depth + 1);
      return special === undefined ? (members as JsonObject) : special.read(members);
    }
  }
}

/** The one `bytes` field of a message that carries JSON text. */
function rawBytes(reader: BinaryReader, end: number): string | undefined {
  let text: string | undefined;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) text = Buffer.from(reader.bytes()).toString("utf8");
    else reader.skip(wireType);
  }
  return text;
}

function numberIn(members: Members, key: string): number {
  const value = members[key];
  return typeof value === "number" ? value : 0;
}

function milliseconds(members: Members): number {
  return numberIn(members, "seconds") * 1000 + Math.floor(numberIn(members, "nanos") / 1_000_000);
}

/** Year 1 in seconds, which is how Go's zero time is sent. */
const zeroTime = -62_135_596_800;

function isZeroTime(members: Members): boolean {
  const seconds = numberIn(members, "seconds");
  return seconds === zeroTime || (seconds === 0 && numberIn(members, "nanos") === 0);
}

interface Special {
  /** It is JSON text in one field. */
  readonly raw?: boolean;
  readonly read: (members: Members) => JsonValue;
}

function jsonText({ raw }: Members): JsonValue {
  return typeof raw === "string" && raw !== "" ? parseJson(raw) : null;
}

/** Messages whose JSON is no object of their fields. */
const specials: Readonly<Record<string, Special>> = {
  "meta.v1.Time": { read: (members) => (isZeroTime(members) ? null : formatTime(milliseconds(members))) },
  "meta.v1.MicroTime": { read: (members) => (isZeroTime(members) ? null : formatMicroTime(milliseconds(members))) },
  "meta.v1.FieldsV1": { raw: true, read: jsonText },
  "runtime.RawExtension": { raw: true, read: jsonText },
  "apiextensions.v1.JSON": { raw: true, read: jsonText },
  "resource.Quantity": { read: ({ string = "" }) => string },
  "intstr.IntOrString": {
    read: (members) => (numberIn(members, "type") === 1 ? (members["strVal"] ?? "") : numberIn(members, "intVal")),
  },
  "authentication.v1.ExtraValue": { read: ({ items = [] }) => items },
  "authorization.v1.ExtraValue": { read: ({ items = [] }) => items },
  "apiextensions.v1.JSONSchemaPropsOrArray": {
    read: ({ schema, jSONSchemas }) =>
      Array.isArray(jSONSchemas) && jSONSchemas.length > 0 ? jSONSchemas : (schema ?? {}),
  },
  "apiextensions.v1.JSONSchemaPropsOrBool": { read: ({ allows, schema }) => schema ?? allows ?? false },
  "apiextensions.v1.JSONSchemaPropsOrStringArray": { read: ({ schema, property }) => property ?? schema ?? {} },
};

const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

function readEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new RangeError("empty data");
  if (!magic.equals(bytes.subarray(0, 4)))
    throw new RangeError(
      `provided data does not appear to be a protobuf message, expected prefix [${[...magic].join(" ")}]`,
    );
  if (bytes.length === magic.length) throw new RangeError("empty body");
  const reader = new BinaryReader(bytes.subarray(4));
  let [apiVersion, kind] = ["", ""];
  let raw: Uint8Array = new Uint8Array();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 1) {
      const end = reader.uint32() + reader.pos;
      while (reader.pos < end) {
        const [inner, innerType] = reader.tag();
        if (inner === 1) apiVersion = reader.string();
        else if (inner === 2) kind = reader.string();
        else reader.skip(innerType);
      }
    } else if (number === 2) raw = reader.bytes();
    else reader.skip(wireType);
  }
  return { apiVersion, kind, raw };
}

/** `rbac.authorization.k8s.io` is the package `rbac`; the core group and groups with one word keep theirs. */
function packageOf(group: string): string {
  return group === "" ? "core" : (group.split(".")[0] ?? "");
}

function messageName({ group, version, kind }: GroupVersionKind): string {
  return `${packageOf(group)}.${version}.${kind}`;
}

function decoder(expected: string, name: string): BodyDecoder {
  return (bytes) => {
    const envelope = reading(() => readEnvelope(bytes));
    if (!envelope.ok)
      return badRequest(
        `the object provided is unrecognized (must be of type ${expected}): ${envelope.problem} (${summary(bytes)})`,
      );
    const { apiVersion, kind, raw } = envelope.value;
    if (kind !== "" && kind !== expected) return done({ value: { kind, apiVersion }, duplicates: [] });
    const members: Members = {};
    const reader = new BinaryReader(raw);
    const read = reading(() => readMessage(reader, reader.len, name, members, 0));
    if (read.ok) return done({ value: { kind, apiVersion, ...members } as JsonObject, duplicates: [] });
    const { version } = parseApiVersion(apiVersion === "" ? (name.split(".")[1] ?? "") : apiVersion);
    return badRequest(
      `${expected} in version ${JSON.stringify(version)} cannot be handled as a ${expected}: ${read.problem}`,
    );
  };
}

/** A fault of the wire format in the words of Go's decoder. */
function reading<T>(read: () => T): Result<T, string> {
  try {
    return done(read());
  } catch (problem) {
    if (!(problem instanceof Error)) throw problem;
    const { message } = problem;
    return failed(message === "premature EOF" ? "unexpected EOF" : message);
  }
}

function decoderOfKind(kind: GroupVersionKind): BodyDecoder | undefined {
  const name = messageName(kind);
  return scalars.has(name) || messageOf(name) === undefined ? undefined : decoder(kind.kind, name);
}

/** The decoders of the kinds that typed Go clients send as protobuf. */
export function protobufDecoders(): ProtobufDecoders {
  return {
    decoderOf: ({ type, custom }) => (custom === undefined ? decoderOfKind(type) : undefined),
    decoderOfKind,
    deleteOptions: decoder("DeleteOptions", "meta.v1.DeleteOptions"),
  };
}
