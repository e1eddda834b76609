import type { ClusterAccess } from "./kubeconfig.ts";
import type { Transport } from "./transport.ts";

export interface HttpTransportOptions {
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are honoured, and handed to exec plugins. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** An answer that shows no byte for this long is lost. Default 60000 (watches 150000). */
  readonly idleTimeoutMs?: number;
}

export interface HttpTransport extends Transport {
  /** Closes idle connections and those of running watches. */
  close(): void;
}

export declare function httpTransport(access: ClusterAccess, options?: HttpTransportOptions): HttpTransport;
