import type { Clock } from "../clock.ts";
import type { KubeClient } from "./client.ts";
import type { Identities } from "./object-writer.ts";
import type { Transport } from "./transport.ts";

export interface TokenIdentitiesOptions {
  /** Asks for the tokens and writes as ourselves. */
  readonly client: KubeClient;
  /** The same server with nothing but this bearer token, asked for anew before each request. */
  readonly withToken: (token: () => Promise<string>) => Transport;
  readonly clock: Clock;
  /** Of a token; default 3600000, at least 600000. */
  readonly lifetimeMs?: number;
}

/** Service accounts act with tokens from TokenRequest, cached and renewed after four fifths of their lifetime. */
export declare function tokenIdentities(options: TokenIdentitiesOptions): Identities;
