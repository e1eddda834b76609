import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { type GroupVersionKind, parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { type Steps, Strides } from "@purser/kubernetes/steps";
import { type BodyDecoder, summary } from "../request/body.ts";
import { badRequest } from "../request/refusal.ts";
import type { ProtobufDecoders } from "./decoders.ts";
import { messageOf } from "./message-table.ts";
import { innerEnd, readMessage } from "./read-message.ts";
import { deleteOptionsKind, messageName } from "./request-kinds.ts";
import type { Members } from "./special-messages.ts";

const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

function* readEnvelope(bytes: Uint8Array): Steps<Envelope> {
  const strides = new Strides();
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
    if (strides.isDue()) yield;
    const [number, wireType] = reader.tag();
    if (number <= 2 && wireType !== WireType.LengthDelimited)
      throw new RangeError(`proto: wrong wireType = ${wireType} for field ${number === 1 ? "TypeMeta" : "Raw"}`);
    if (number === 1) {
      const end = innerEnd(reader, reader.len);
      while (reader.pos < end) {
        if (strides.isDue()) yield;
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

function decoder(expected: string, name: string): BodyDecoder {
  return function* (bytes) {
    const envelope = yield* reading(readEnvelope(bytes));
    if (!envelope.ok)
      return badRequest(
        `the object provided is unrecognized (must be of type ${expected}): ${envelope.problem} (${summary(bytes)})`,
      );
    const { apiVersion, kind, raw } = envelope.value;
    if (kind !== "" && kind !== expected) return done({ value: { kind, apiVersion }, duplicates: [] });
    const members: Members = {};
    const reader = new BinaryReader(raw);
    const read = yield* reading(readMessage(reader, reader.len, name, members));
    if (read.ok) return done({ value: { kind, apiVersion, ...members } as JsonObject, duplicates: [] });
    const { version } = parseApiVersion(apiVersion === "" ? (name.split(".")[1] ?? "") : apiVersion);
    return badRequest(
      `${expected} in version ${JSON.stringify(version)} cannot be handled as a ${expected}: ${read.problem}`,
    );
  };
}

/** Errors of the library and the corresponding texts of Go's decoder. */
const goTexts: ReadonlyMap<string, string> = new Map([
  ["premature EOF", "unexpected EOF"],
  ["invalid varint", "proto: integer overflow"],
]);

/** The result, or a wire format error with the text of Go's decoder. */
function* reading<T>(read: Steps<T>): Steps<Result<T, string>> {
  try {
    return done(yield* read);
  } catch (problem) {
    if (!(problem instanceof Error)) throw problem;
    const { message } = problem;
    return failed(goTexts.get(message) ?? message);
  }
}

function decoderOfKind(kind: GroupVersionKind): BodyDecoder | undefined {
  const name = messageName(kind);
  return messageOf(name) === undefined ? undefined : decoder(kind.kind, name);
}

/** Decoders for protobuf bodies of typed Go clients. */
export function protobufDecoders(): ProtobufDecoders {
  return {
    decoderOf: ({ type, custom }) => (custom === undefined ? decoderOfKind(type) : undefined),
    decoderOfKind,
    deleteOptions: decoderOfKind(deleteOptionsKind),
  };
}
