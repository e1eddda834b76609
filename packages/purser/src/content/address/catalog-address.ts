import { rm } from "node:fs/promises";
import type { Clock } from "@purser/kubernetes/clock";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { StoredIndex } from "../../catalog-store/open.ts";
import type { Environment } from "./grpc-proxy.ts";
import { KeptIndex } from "../kept-index.ts";
import { captureRegistry } from "./registry-capture-file.ts";
import {
  type ConnectionLimits,
  openRegistryConnection,
  RegistryCallError,
  type RegistryConnection,
} from "./registry-connection.ts";
import { buildServedIndex, type ServedIndexProblem } from "./served-index.ts";
import type { Look, SourceProblem, SourceReader } from "../source-reader.ts";

export interface AddressLimits extends ConnectionLimits {
  /** The largest catalog: all messages together. */
  readonly totalBytes: number;
  /** Milliseconds between two checks that the server still answers. */
  readonly checkMs: number;
  /** Milliseconds between two reads of everything: the API has no cheaper way to see a change. */
  readonly readMs: number;
}

/** Nothing of it can be configured: OLM has no such settings either. */
const usualLimits: AddressLimits = {
  silenceMs: 30_000,
  streamMs: 10 * 60_000,
  messageBytes: 64 * 2 ** 20,
  totalBytes: 256 * 2 ** 20,
  checkMs: 60_000,
  // OLM reads a catalog anew after 30 minutes, or when its connection was made again.
  readMs: 15 * 60_000,
};

export interface CatalogAddressOptions {
  /** `host:port` */
  readonly address: string;
  /** Directory of the indexes. */
  readonly indexes: string;
  readonly clock: Clock;
  /** For `GRPC_PROXY` and `NO_PROXY`; by default that of this process. */
  readonly environment?: Environment;
  readonly limits?: Partial<AddressLimits>;
  readonly builder?: string;
}

const firstRetryMs = 2000;
const longestRetryMs = 60_000;

/**
 * A catalog that a server of the registry API serves. Everything is read when the connection was made again and at long
 * intervals; in between the server is asked whether it is there. Its mark is a digest of all that it sends.
 */
export function catalogAddress(options: CatalogAddressOptions): SourceReader<StoredIndex> {
  const { address, indexes, clock, environment = process.env } = options;
  const limits = { ...usualLimits, ...options.limits };
  const memory = new KeptIndex(indexes, `registry ${address}`);
  let connection: RegistryConnection | undefined;
  let isClosed = false;
  let readAt = 0;
  let checkAt = 0;

  async function connected(): Promise<Result<RegistryConnection, string>> {
    if (connection !== undefined) return done(connection);
    const opened = await openRegistryConnection({ address, environment, limits, clock });
    if (!opened.ok) return opened;
    if (isClosed) await opened.value.close();
    connection = opened.value;
    return opened;
  }

  function disconnect(): void {
    void connection?.close();
    connection = undefined;
  }

  async function read(
    from: RegistryConnection,
    mark: string | undefined,
    signal: AbortSignal,
  ): Promise<Look<StoredIndex> | undefined> {
    const captured = await captureRegistry(from, indexes, limits, signal);
    try {
      readAt = clock.now() + limits.readMs;
      checkAt = clock.now() + limits.checkMs;
      if (captured.mark === mark) return undefined;
      const kept = memory.recall(captured.mark);
      if (kept !== undefined) return { mark: captured.mark, found: done(kept) };
      const built = await buildServedIndex({ ...options, source: captured.file, form: "capture" }, signal);
      if (!built.ok) {
        const mark = built.problem.machineRemedy === undefined ? captured.mark : "";
        return { mark, found: failed(unusable(address, built.problem)) };
      }
      memory.remember(captured.mark, built.value.digest);
      return { mark: captured.mark, found: done(built.value) };
    } finally {
      await rm(captured.file, { force: true });
    }
  }

  /** Asks the server what is due: everything, whether it is there, or nothing. */
  async function ask(
    from: RegistryConnection,
    mark: string | undefined,
    signal: AbortSignal,
  ): Promise<Look<StoredIndex> | undefined> {
    const isLost = from.wasLost();
    const now = clock.now();
    // "" is the mark of a failed look.
    if (isLost || mark === undefined || mark === "" || now >= readAt) return read(from, mark, signal);
    if (now < checkAt) return undefined;
    checkAt = now + limits.checkMs;
    await from.check(signal);
    return undefined;
  }

  return {
    async look({ mark }, signal): Promise<Look<StoredIndex> | undefined> {
      signal.throwIfAborted();
      for (;;) {
        const isNew = connection === undefined;
        const open = await connected();
        if (!open.ok) return { mark: "", found: failed(noAddress(open.problem)) };
        try {
          return await ask(open.value, mark, signal);
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof RegistryCallError)) throw error;
          // The next look connects anew at the time of our choice, not after the library's own back-off.
          if (!error.isAnswer) disconnect();
          // A server that was restarted is there, although the former connection to it is not.
          if (error.isLost && !isNew) {
            readAt = 0;
            continue;
          }
          return { mark: "", found: failed(unavailable(address, error)) };
        }
      }
    },
    pauseMs: (failures) =>
      failures === 0 ? 0 : Math.min(firstRetryMs * 2 ** Math.min(failures - 1, 20), longestRetryMs),
    close() {
      isClosed = true;
      disconnect();
    },
  };
}

function noAddress(cause: string): SourceProblem {
  return { cause, remedy: "Write HOST:PORT of a registry server into spec.address.", isFinal: true };
}

function unavailable(address: string, { message, isAnswer }: RegistryCallError): SourceProblem {
  return isAnswer
    ? {
        cause: `the registry at ${address} cannot be read: ${message}`,
        remedy: "See the log of the registry server; the read is retried automatically.",
      }
    : {
        cause: `couldn't connect to registry - ${address}: ${message}`,
        remedy: "Start a registry server there, or correct spec.address; the connection is retried automatically.",
      };
}

function unusable(address: string, { cause, machineRemedy }: ServedIndexProblem): SourceProblem {
  return {
    cause: `the catalog of the registry at ${address} cannot be used: ${cause}`,
    remedy:
      machineRemedy ??
      "Correct the content of the registry; it is read again after each new connection, and every 15 minutes.",
  };
}
