import type { Clock } from "../clock.ts";
import type { Entropy } from "../entropy.ts";
import type { Transport, UserInfo } from "../kube/transport.ts";
import type { Storage } from "./storage/storage.ts";

export interface ApiServerOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** `memoryStorage()`, or what `openSqliteStorage(file)` gave. The server closes it on `stop`. */
  readonly storage: Storage;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
}

export interface Listener {
  readonly port: number;
  /** `https://127.0.0.1:7443`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface ApiServer {
  /** In process, without authentication: acts as `user`, by default `purser-admin` of `system:masters`. */
  transport(user?: UserInfo): Transport;
  /** @throws the socket's error, such as `EADDRINUSE` */
  listen(options: ListenOptions): Promise<Listener>;
  /** A kubeconfig with one context `purser` and the admin's client certificate. */
  adminKubeconfig(url: string): Promise<string>;
  /** Resolves when the built-in controllers have nothing left to do but wait for the clock. */
  settled(): Promise<void>;
  /** Ends watches cleanly, closes listeners and storage. */
  stop(): Promise<void>;
}
