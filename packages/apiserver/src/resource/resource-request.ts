import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import type { Call } from "../call.ts";
import type { WriteEndpoint } from "../kinds/built-in-kind.ts";
import type { Machinery } from "../machinery.ts";
import type { ProtobufDecoders } from "../protobuf/decoders.ts";
import type { ServedKind } from "../registry/served-kind.ts";

/** A request for objects of a served kind, taken apart once; every verb takes it whole. */
export interface ResourceRequest {
  readonly machinery: Machinery;
  readonly protobuf: ProtobufDecoders;
  readonly kind: ServedKind;
  /** Undefined for kinds outside of namespaces, and for a collection over all namespaces. */
  readonly namespace: string | undefined;
  readonly call: Call;
  /** As it came; its body is read by the verb. */
  readonly sent: ApiRequest;
}

/** A request for one object, or for one of its endpoints. */
export interface ObjectRequest extends ResourceRequest {
  readonly name: string;
  /** `main` for the object itself, and for subresources that are not endpoints of writes. */
  readonly endpoint: WriteEndpoint;
}
