import { Worker } from "node:worker_threads";
import type { Clock } from "@purser/kubernetes/clock";
import { invariant } from "@purser/kubernetes/invariant";
import type { CatalogServer, QueryReply } from "../http/answer-request.ts";
import type { DiscoveredSchemas } from "./discovered-schema.ts";
import { failedQuery } from "./failed-query.ts";
import type { QueryOutcome, QueryTask } from "./query-task.ts";

/** The index that a query is about. */
export interface QueriedIndex {
  readonly file: string;
  readonly digest: string;
}

export interface CatalogQueriesOptions {
  readonly clock: Clock;
  /** Entrance of the thread; by default it lies beside this module, as source or bundled. */
  readonly thread?: URL;
  /** Heap of the thread. */
  readonly memoryLimitMiB?: number;
}

/** As catalogd's. */
const executeMs = 5000;
/** All blobs of a large catalog are read once. */
const discoverMs = 60_000;
const idleMs = 30_000;
/** Queries that may wait for the one that is answered. */
const mostWaiting = 16;
/** Catalogs whose schemas stay known. */
const keptCatalogs = 8;

class OutOfTime extends Error {}

interface Pending {
  readonly resolve: (outcome: QueryOutcome) => void;
  readonly refuse: (error: Error) => void;
}

/**
 * GraphQL queries about catalogs, answered one after the other by a thread of their own, with limits of time and memory. The
 * thread starts with the first query and ends after half a minute without one.
 */
export class CatalogQueries {
  readonly #options: CatalogQueriesOptions;
  readonly #schemas = new Map<string, DiscoveredSchemas>();
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #pending: Pending | undefined;
  #idle = new AbortController();

  constructor(options: CatalogQueriesOptions) {
    this.#options = options;
  }

  /** Rejects when the catalog has no GraphQL schema, or the thread fails. */
  async answer(index: QueriedIndex, query: string): Promise<QueryReply> {
    if (this.#waiting > mostWaiting) return { kind: "busy" };
    this.#waiting++;
    this.#idle.abort();
    const turn = this.#last.then(() => this.#response(index, query));
    this.#last = turn.catch(() => undefined);
    try {
      return { kind: "answered", response: await turn };
    } finally {
      this.#waiting--;
      if (this.#waiting === 0) this.#endWhenIdle();
    }
  }

  stop(): void {
    this.#idle.abort();
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #response({ file, digest }: QueriedIndex, query: string): Promise<string> {
    let schemas = this.#schemas.get(digest);
    if (schemas === undefined) {
      const found = await this.#ask(file, { kind: "discover" }, discoverMs);
      if (found.kind !== "discovered") throw new Error(messageOf(found));
      schemas = found.schemas;
      this.#schemas.set(digest, schemas);
      const [oldest] = this.#schemas.keys();
      if (this.#schemas.size > keptCatalogs && oldest !== undefined) this.#schemas.delete(oldest);
    }
    try {
      const executed = await this.#ask(file, { kind: "execute", query, schemas }, executeMs);
      if (executed.kind === "executed") return executed.response;
      throw new Error(messageOf(executed));
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
      return failedQuery("context deadline exceeded: the query took more than 5 seconds; ask for less at once");
    }
  }

  async #ask(file: string, question: QueryTask["question"], limitMs: number): Promise<QueryOutcome> {
    const worker = (this.#worker ??= this.#start());
    const ended = new AbortController();
    const outcome = new Promise<QueryOutcome>((resolve, refuse) => {
      this.#pending = { resolve, refuse };
      this.#options.clock.sleep(limitMs, ended.signal).then(
        () => refuse(new OutOfTime(`not answered within ${limitMs / 1000} seconds`)),
        () => undefined,
      );
    });
    worker.ref();
    worker.postMessage({ file, question } satisfies QueryTask);
    try {
      return await outcome;
    } catch (error) {
      // Whatever it still does is for nobody.
      this.#worker = undefined;
      void worker.terminate();
      throw error;
    } finally {
      ended.abort();
      worker.unref();
    }
  }

  #start(): Worker {
    const { thread = defaultThread(), memoryLimitMiB = 512 } = this.#options;
    const worker = new Worker(thread, {
      resourceLimits: { maxOldGenerationSizeMb: memoryLimitMiB, maxYoungGenerationSizeMb: 16 },
    });
    const isUsed = (): boolean => this.#worker === worker;
    worker.on("message", (outcome: QueryOutcome) => isUsed() && this.#pending?.resolve(outcome));
    worker.on("error", (error) => isUsed() && this.#pending?.refuse(error));
    worker.on("exit", () => isUsed() && this.#pending?.refuse(new Error("the thread of GraphQL queries stopped")));
    return worker;
  }

  #endWhenIdle(): void {
    this.#idle = new AbortController();
    const { signal } = this.#idle;
    this.#options.clock.sleep(idleMs, signal).then(
      () => this.stop(),
      () => undefined,
    );
  }
}

/** Answers the queries of a server whose catalogs are indexes. */
export function queryOn(queries: CatalogQueries): NonNullable<CatalogServer["query"]> {
  return ({ index }, query) => {
    invariant(index !== undefined, "a catalog in memory cannot be queried");
    return queries.answer(index, query);
  };
}

const messageOf = (outcome: QueryOutcome): string =>
  outcome.kind === "failed" ? outcome.message : `unexpected answer "${outcome.kind}"`;

function defaultThread(): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./query-thread.${extension}`, import.meta.url);
}
