import type { ProtobufDecoders } from "./decoders.ts";

/** The decoders of the kinds that typed Go clients send as protobuf. */
export function protobufDecoders(): ProtobufDecoders {
  return { decoderOf: () => undefined, decoderOfKind: () => undefined, deleteOptions: undefined };
}
