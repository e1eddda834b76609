import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** The fields of a request, which in this protocol are strings or nested messages. */
export interface RequestFields {
  has(number: number): boolean;
  /** The last value of a string field; "" when absent. @throws when it is not valid UTF-8 */
  text(number: number): string;
}

/** Decodes a message. Unknown fields are ignored. @throws when the bytes are not a protobuf message */
export function readFields(bytes: Uint8Array): RequestFields {
  const reader = new BinaryReader(bytes);
  const found = new Map<number, Uint8Array>();
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (type === WireType.LengthDelimited) found.set(number, reader.bytes());
    else reader.skip(type, number);
  }
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return { has: (number) => found.has(number), text: (number) => decoder.decode(found.get(number)) };
}
