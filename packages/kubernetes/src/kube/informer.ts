import { keyOf, type KubeObject, type ObjectKey } from "../apis/object.ts";
import { apiVersionOf, type ResourceType } from "../apis/resource-type.ts";
import type { Clock } from "../clock.ts";
import type { Entropy } from "../entropy.ts";
import type { KubeClient } from "./client.ts";
import type { Counters } from "./counters.ts";
import { listAndWatch } from "./list-and-watch.ts";
import type { Log } from "./log.ts";
import type { ListScope } from "./object-reader.ts";
import { ObjectStore } from "./object-store.ts";
import { type ApiRefusedError, isRefused } from "./refusal.ts";
import { reaches } from "./resource-version.ts";
import { withRequestId } from "../system/request-id.ts";

/** Keeps what `reduce` returns for each object: its metadata with uid and version, and what the reader needs, such as hashes. */
export interface Reduction {
  /** Tells it from other reductions of the same type. */
  readonly name: string;
  readonly reduce: (object: KubeObject) => KubeObject;
}

/** The part of each object that is kept. `slim` drops managedFields; `metadata` requests only metadata. */
export type Projection = "slim" | "whole" | "metadata" | Reduction;

export interface ObjectChange<Type extends KubeObject = KubeObject> {
  /** Absent when the object is new to the cache. */
  readonly before?: Type;
  /** Absent when the object was deleted. */
  readonly after?: Type;
}

export type ChangeListener = (change: ObjectChange) => void;

export interface InformerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
  readonly metrics: Counters;
}

/**
 * Synchronization state. `failing`: the first list failed, and why. `refusal`: why the watch is forbidden, so that changes come
 * only with the next list.
 */
type InformerState =
  | { readonly kind: "starting" }
  | { readonly kind: "failing"; readonly error: unknown }
  | { readonly kind: "synced"; readonly refusal?: ApiRefusedError }
  | { readonly kind: "unserved" }
  | { readonly kind: "stopped" };

/** Lists and watches one resource type in one scope. Runs from construction until `stop`. */
export class Informer {
  readonly type: ResourceType;
  readonly scope: ListScope;
  readonly projection: Projection;
  readonly store = new ObjectStore();
  readonly #options: InformerOptions;
  readonly #listeners = new Set<ChangeListener>();
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #waiting = new Set<() => boolean>();
  readonly #hoping = new Set<() => void>();
  #state: InformerState = { kind: "starting" };
  #progress: string | undefined;

  constructor(type: ResourceType, scope: ListScope, projection: Projection, options: InformerOptions) {
    this.type = type;
    this.scope = scope;
    this.projection = projection;
    this.#options = options;
    // A pass may start it; it does not end with the pass.
    this.#running = withRequestId(undefined, () => this.#run());
  }

  get state(): InformerState {
    return this.#state;
  }

  /** The latest resource version up to which the cache is complete. */
  get progress(): string | undefined {
    return this.#progress;
  }

  /**
   * Calls `listener` for all existing objects, then for every change.
   * @returns a function that removes it
   */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    for (const after of this.store.list()) listener({ after });
    return () => this.#listeners.delete(listener);
  }

  /** Resolves with the first response, even a failure. */
  tried(): Promise<void> {
    return this.#until(() => this.#state.kind !== "starting");
  }

  /**
   * Resolves with the first list, or when the type is not served.
   * @throws the error of the first list
   */
  async ready(): Promise<void> {
    await this.tried();
    if (this.#state.kind === "failing") throw this.#state.error;
  }

  /** As `ready`, but keeps waiting while the server fails. */
  synced(): Promise<void> {
    return this.#until(() => this.#state.kind !== "starting" && this.#state.kind !== "failing");
  }

  /** Resolves with the server's text as soon as list or watch is forbidden; undefined when the informer is stopped before. */
  async refused(): Promise<string | undefined> {
    await this.#until(() => this.#refusal() !== undefined);
    return this.#refusal();
  }

  #refusal(): string | undefined {
    const state = this.#state;
    if (state.kind === "synced") return state.refusal?.message;
    if (state.kind !== "failing" || !isRefused(state.error, "forbidden")) return undefined;
    return (state.error as ApiRefusedError).message;
  }

  /** Resolves when the cache shows the object at this version or a later one, or its replacement or deletion. */
  seen(key: ObjectKey, uid: string | undefined, resourceVersion: string): Promise<void> {
    return this.#until(() => {
      if (this.#state.kind === "unserved" || reaches(this.#progress, resourceVersion)) return true;
      const held = this.store.get(key)?.metadata;
      return held !== undefined && held.uid === uid && reaches(held.resourceVersion, resourceVersion);
    });
  }

  /**
   * Resolves when the cache no longer has the object with this uid, or has none or a state that is not older than this version: another
   * writer may have put the object back before a list showed that it was missing.
   */
  gone(
    key: ObjectKey,
    { uid, resourceVersion }: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined },
  ): Promise<void> {
    return this.#until(() => {
      const held = this.store.get(key);
      if (held === undefined || (uid !== undefined && held.metadata.uid !== uid)) return true;
      return resourceVersion !== undefined && reaches(this.#progress, resourceVersion);
    });
  }

  /** Retries an unserved or failing type immediately. */
  nudge(): void {
    for (const wake of this.#hoping) wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  #until(condition: () => boolean): Promise<void> {
    if (condition() || this.#state.kind === "stopped") return Promise.resolve();
    return new Promise((resolve) => {
      const check = (): boolean => {
        if (!condition() && this.#state.kind !== "stopped") return false;
        resolve();
        return true;
      };
      this.#waiting.add(check);
    });
  }

  #checkWaiting(): void {
    for (const check of this.#waiting) if (check()) this.#waiting.delete(check);
  }

  async #run(): Promise<void> {
    const { client, clock, entropy, log, metrics } = this.#options;
    const labels = { resource: this.type.plural, group: this.type.group };
    let pages: KubeObject[] = [];
    const feed = listAndWatch(
      client,
      this.type,
      this.scope,
      {
        clock,
        entropy,
        metadataOnly: this.projection === "metadata",
        hope: (signal) =>
          new Promise((resolve) => {
            this.#hoping.add(resolve);
            signal.addEventListener("abort", () => resolve(), { once: true });
          }),
      },
      this.#stopping.signal,
    );
    try {
      for await (const event of feed) {
        this.#hoping.clear();
        switch (event.kind) {
          case "page":
            for (const item of event.items) pages.push(this.#project(item));
            break;
          case "restarted":
            pages = [];
            break;
          case "listed":
            this.#replace(pages);
            pages = [];
            this.#progress = event.resourceVersion;
            // That a list succeeds does not say that the watch is allowed again.
            this.#state = this.#state.kind === "synced" ? this.#state : { kind: "synced" };
            metrics.add("informer_lists_total", labels);
            break;
          case "unserved":
            this.#replace([]);
            pages = [];
            this.#progress = undefined;
            this.#state = { kind: "unserved" };
            break;
          case "stored":
            this.#follows();
            this.#store(this.#project(event.object));
            this.#progress = event.object.metadata.resourceVersion ?? this.#progress;
            break;
          case "removed": {
            this.#follows();
            const before = this.store.remove(keyOf(event.object));
            this.#progress = event.object.metadata.resourceVersion ?? this.#progress;
            if (before !== undefined) this.#notify({ before });
            break;
          }
          case "progress":
            this.#follows();
            this.#progress = event.resourceVersion;
            break;
          case "interrupted":
            if (this.#state.kind === "starting" || this.#state.kind === "failing")
              this.#state = { kind: "failing", error: event.error };
            else if (this.#state.kind === "synced" && isRefused(event.error, "forbidden"))
              this.#state = { kind: "synced", refusal: event.error as ApiRefusedError };
            metrics.add("informer_interruptions_total", labels);
            log("warn", "Cannot follow a resource type, trying again", {
              ...labels,
              error: event.error instanceof Error ? event.error.message : String(event.error),
              retryMs: Math.round(event.retryMs),
            });
            break;
        }
        this.#checkWaiting();
      }
    } finally {
      this.#state = { kind: "stopped" };
      this.#checkWaiting();
      this.#waiting.clear();
    }
  }

  /** The watch brings changes. */
  #follows(): void {
    if (this.#state.kind === "synced" && this.#state.refusal !== undefined) this.#state = { kind: "synced" };
  }

  #store(after: KubeObject): void {
    const before = this.store.put(after);
    this.#notify(before === undefined ? { after } : { before, after });
  }

  /** Replaces the state and reports only the differences. */
  #replace(objects: readonly KubeObject[]): void {
    const kept = new Set<KubeObject>();
    for (const object of objects) {
      const before = this.store.get(keyOf(object));
      const same =
        before !== undefined &&
        before.metadata.uid === object.metadata.uid &&
        before.metadata.resourceVersion === object.metadata.resourceVersion;
      kept.add(same ? before : object);
      if (!same) this.#store(object);
    }
    for (const before of this.store.list()) {
      if (kept.has(before)) continue;
      this.store.remove(keyOf(before));
      this.#notify({ before });
    }
  }

  #notify(change: ObjectChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #project(object: KubeObject): KubeObject {
    if (typeof this.projection === "object") return this.projection.reduce(object);
    switch (this.projection) {
      case "whole":
        return object;
      case "slim": {
        if (object.metadata.managedFields === undefined) return object;
        const { managedFields: _dropped, ...metadata } = object.metadata;
        return { ...object, metadata };
      }
      case "metadata": {
        const { managedFields: _dropped, ...metadata } = object.metadata;
        // The server returns kind PartialObjectMetadata for all types.
        return { apiVersion: apiVersionOf(this.type), kind: this.type.kind, metadata };
      }
    }
  }
}
