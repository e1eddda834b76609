import type { JsonObject } from "@purser/kubernetes/json";
import type { RbacAuthorizer } from "./authorization/rbac-authorizer.ts";
import type { Reviews } from "./authorization/reviews.ts";
import type { FrontProxy } from "./aggregation/front-proxy.ts";
import type { RemoteGroups } from "./aggregation/remote-groups.ts";
import type { RemoteOpenApi } from "./aggregation/remote-openapi.ts";
import type { Machinery } from "./machinery.ts";
import type { ProtobufDecoders } from "./protobuf/decoders.ts";

/** What the pipeline is made of. */
export interface HandlerParts {
  readonly machinery: Machinery;
  readonly authorizer: RbacAuthorizer;
  readonly reviews: Reviews;
  readonly protobuf: ProtobufDecoders;
  readonly frontProxy: FrontProxy;
  readonly remoteGroups: RemoteGroups;
  readonly remoteOpenApi: RemoteOpenApi;
  /** `host:port` that discovery names. */
  readonly serverAddress: () => string;
  /** The keys that service account tokens are signed with, as a JWKS document. */
  readonly publicKeys: () => Promise<JsonObject>;
}
