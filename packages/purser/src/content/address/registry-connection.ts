import type * as Grpc from "@grpc/grpc-js";
import type { Clock } from "@purser/kubernetes/clock";
import { failed, type Result } from "@purser/kubernetes/result";
import { isIP } from "node:net";
import { type Environment, grpcProxyFor, parseServerAddress } from "./grpc-proxy.ts";
import { openProxyRelay } from "./proxy-relay.ts";

/** A connection to a server of the registry API that is made again whenever it is lost. */
export interface RegistryConnection {
  /** Whether the connection was lost since the last call of this. */
  wasLost(): boolean;
  /** Whether the server still answers; rejects with {@link RegistryCallError} when it does not. */
  check(signal: AbortSignal): Promise<void>;
  /** The message that a unary method answers with, encoded. Rejects with {@link RegistryCallError}. */
  call(path: string, request: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
  /** The messages of a streaming method, read no faster than they are taken. Rejects with {@link RegistryCallError}. */
  list(path: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

export interface ConnectionLimits {
  /** A server that sends nothing for this long is given up. */
  readonly silenceMs: number;
  /** A stream is given up after this long, however fast it is. */
  readonly streamMs: number;
  /** The largest message. */
  readonly messageBytes: number;
}

/** A call that did not end well. */
export class RegistryCallError extends Error {
  override readonly name = "RegistryCallError";
  /** True: the server answered, with an error. False: there is no connection, or no answer in time. */
  readonly isAnswer: boolean;
  /** The connection cannot be made or broke off, unlike one on which nothing comes. */
  readonly isLost: boolean;

  constructor(message: string, kind: "answer" | "silence" | "lost") {
    super(message);
    this.isAnswer = kind === "answer";
    this.isLost = kind === "lost";
  }
}

export interface ConnectionOptions {
  /** `host:port` */
  readonly address: string;
  readonly environment: Environment;
  readonly limits: ConnectionLimits;
  readonly clock: Clock;
}

/** Opens a connection without TLS, as OLM does; it is made at the first call. The problem is OLM's text. */
export async function openRegistryConnection(options: ConnectionOptions): Promise<Result<RegistryConnection, string>> {
  const { address, environment, limits } = options;
  const server = parseServerAddress(address);
  if (!server.ok) return failed(`couldn't connect to registry - ${server.problem}`);
  const proxy = grpcProxyFor(server.value, environment);
  if (!proxy.ok) return failed(`couldn't connect to registry - ${proxy.problem}`);
  // Loaded only where a catalog is given by an address.
  const grpc = await import("@grpc/grpc-js");
  const relay = proxy.value === undefined ? undefined : await openProxyRelay(proxy.value, server.value);
  const { host, port } = server.value;
  const family = isIP(host);
  const literal = family === 6 ? `[${host}]` : host;
  const direct = `${family === 0 ? "dns" : `ipv${family}`}:${literal}:${port}`;
  const client = new grpc.Client(
    relay === undefined ? direct : `unix:${relay.path}`,
    grpc.credentials.createInsecure(),
    {
      "grpc.default_authority": `${literal}:${port}`,
      "grpc.max_receive_message_length": limits.messageBytes,
      // The relay is our way through a proxy; the library's variables are others than OLM's.
      "grpc.enable_http_proxy": 0,
      "grpc.service_config_disable_resolution": 1,
      "grpc.use_local_subchannel_pool": 1,
      "grpc.initial_reconnect_backoff_ms": 1000,
      "grpc.max_reconnect_backoff_ms": 30_000,
    },
  );
  return { ok: true, value: new Connection(grpc, client, options, relay) };
}

const healthCheck = "/grpc.health.v1.Health/Check";
const asIs = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const same = (bytes: Buffer): Buffer => bytes;

class Connection implements RegistryConnection {
  readonly #grpc: typeof Grpc;
  readonly #client: Grpc.Client;
  readonly #options: ConnectionOptions;
  readonly #relay: Awaited<ReturnType<typeof openProxyRelay>> | undefined;
  #wasLost = false;
  #isClosed = false;

  constructor(
    grpc: typeof Grpc,
    client: Grpc.Client,
    options: ConnectionOptions,
    relay: Awaited<ReturnType<typeof openProxyRelay>> | undefined,
  ) {
    this.#grpc = grpc;
    this.#client = client;
    this.#options = options;
    this.#relay = relay;
    this.#watch();
  }

  wasLost(): boolean {
    const was = this.#wasLost;
    this.#wasLost = false;
    return was;
  }

  async check(signal: AbortSignal): Promise<void> {
    try {
      await this.call(healthCheck, new Uint8Array(), signal);
    } catch (error) {
      // A server without health checks is alive when it says so.
      if (error instanceof RegistryCallError && error.isAnswer) return;
      // Something between may have forgotten the connection: another one may do.
      throw error instanceof RegistryCallError ? new RegistryCallError(error.message, "lost") : error;
    }
  }

  async call(path: string, request: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    const { clock, limits } = this.#options;
    const over = new AbortController();
    const both = AbortSignal.any([signal, over.signal]);
    let call: Grpc.ClientUnaryCall | undefined;
    let isSilent = false;
    const watched = clock.sleep(limits.silenceMs, both).then(
      () => {
        isSilent = true;
        call?.cancel();
      },
      () => undefined,
    );
    const stop = (): void => call?.cancel();
    signal.addEventListener("abort", stop, { once: true });
    try {
      signal.throwIfAborted();
      return await new Promise<Uint8Array>((resolve, reject) => {
        call = this.#client.makeUnaryRequest(path, asIs, same, request, (error, response) => {
          if (error === null && response !== undefined) resolve(response);
          else reject(error ?? new Error("no answer"));
        });
      });
    } catch (error) {
      signal.throwIfAborted();
      throw isSilent ? this.#silent() : this.#failure(error);
    } finally {
      signal.removeEventListener("abort", stop);
      over.abort();
      await watched;
    }
  }

  async *list(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
    signal.throwIfAborted();
    const { clock, limits } = this.#options;
    const over = new AbortController();
    const both = AbortSignal.any([signal, over.signal]);
    const stream = this.#client.makeServerStreamRequest(path, asIs, same, new Uint8Array());
    // Errors reach the loop below; one after its end has no other listener.
    stream.on("error", () => {});
    let gaveUp: RegistryCallError | undefined;
    const giveUp = (error: RegistryCallError): void => {
      gaveUp ??= error;
      stream.cancel();
    };
    let taken = 0;
    let isWaiting = true;
    const silence = async (): Promise<void> => {
      for (let seen = -1; !both.aborted; seen = taken) {
        if (isWaiting && seen === taken) return giveUp(this.#silent());
        await clock.sleep(limits.silenceMs, both);
      }
    };
    const length = async (): Promise<void> => {
      await clock.sleep(limits.streamMs, both);
      giveUp(new RegistryCallError(`did not complete its answer within ${limits.streamMs / 1000} seconds`, "silence"));
    };
    const watched = Promise.allSettled([silence(), length()]);
    const stop = (): void => stream.cancel();
    signal.addEventListener("abort", stop, { once: true });
    try {
      for await (const message of stream) {
        taken++;
        isWaiting = false;
        yield message as Buffer;
        isWaiting = true;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw gaveUp ?? this.#failure(error);
    } finally {
      signal.removeEventListener("abort", stop);
      stream.cancel();
      over.abort();
      await watched;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#client.close();
    await this.#relay?.close();
  }

  /** Keeps the connection up, and notes when it is lost: the server may come back with other content. */
  #watch(): void {
    const channel = this.#client.getChannel();
    const { READY } = this.#grpc.connectivityState;
    const next = (): void => {
      const state = channel.getConnectivityState(true);
      channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, () => {
        if (this.#isClosed) return;
        if (state === READY) this.#wasLost = true;
        next();
      });
    };
    next();
  }

  #silent(): RegistryCallError {
    return new RegistryCallError(`sent nothing for ${this.#options.limits.silenceMs / 1000} seconds`, "silence");
  }

  #failure(error: unknown): RegistryCallError {
    const { code, details } = error as Partial<Grpc.ServiceError>;
    const { UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, INTERNAL } = this.#grpc.status;
    const text = details ?? (error instanceof Error ? error.message : String(error));
    const isAnswer = code !== undefined && ![UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, INTERNAL].includes(code);
    // The library adds the time and a port of ours, which would make one failure look like many.
    const plain = text
      .replace(/(?<!\s)\s*\(\d{4}-\d\d-\d\dT[^)]*\)/g, "")
      .replace(/(?<!\s)\s*Resolution note:.*$/, "")
      .trim();
    const relay = isAnswer ? undefined : this.#relay?.problem();
    return new RegistryCallError(relay ?? plain, isAnswer ? "answer" : "lost");
  }
}
