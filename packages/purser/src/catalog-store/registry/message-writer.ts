import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** One field of a protobuf message, to be written. */
export type Field = (writer: BinaryWriter) => void;

export const nothing: Field = () => undefined;

/** The bytes of a message with these fields, in the order given. */
export function message(...fields: readonly Field[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const write of fields) write(writer);
  return writer.finish();
}

/** A string; proto3 leaves out empty ones. */
export function text(number: number, value: string): Field {
  return value === "" ? nothing : item(number, value);
}

/** An item of a repeated string, written even when empty. Halves of surrogate pairs become U+FFFD, as UTF-8 has none. */
export function item(number: number, value: string): Field {
  return (writer) => writer.tag(number, WireType.LengthDelimited).string(value.toWellFormed());
}

/** Bytes, or a message that is already encoded. */
export function bytesField(number: number, bytes: Uint8Array): Field {
  return (writer) => writer.tag(number, WireType.LengthDelimited).bytes(bytes);
}

/** An enum value or an int32 that is not negative; proto3 leaves out zero. */
export function integer(number: number, value: number): Field {
  return value === 0 ? nothing : (writer) => writer.tag(number, WireType.Varint).uint32(value);
}
