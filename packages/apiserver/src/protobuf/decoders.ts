import type { GroupVersionKind } from "@purser/kubernetes/apis/resource-type";
import type { ServedKind } from "../registry/served-kind.ts";
import type { BodyDecoder } from "../request/body.ts";

/** Decoders of protobuf request bodies; undefined for kinds without one, whose requests are refused with 415. */
export interface ProtobufDecoders {
  decoderOf(kind: ServedKind): BodyDecoder | undefined;
  decoderOfKind(kind: GroupVersionKind): BodyDecoder | undefined;
  readonly deleteOptions: BodyDecoder | undefined;
}
