import type { Clock } from "@purser/kubernetes/clock";
import { formatTime } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { asJson, formatKey } from "@purser/kubernetes/apis/object";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { groupResource, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectIn } from "../kinds/decoding/json-parts.ts";
import { isEmptySelector, labelsMatch } from "../kinds/workloads/workload-validation.ts";
import { presentAsChange } from "../storage/change.ts";
import type { Feed, Storage, StoredChange, StoredVersion } from "../storage/storage.ts";
import { turns } from "../turns.ts";
import { selectorsFor, setSelectorValues } from "./label-lookup.ts";
import type { Lookup, Lookups } from "./lookup.ts";
import type { Pace } from "./pace.ts";
import type { Simulation } from "./pods/simulation.ts";
import { RefusedError, type Writer } from "./writer.ts";

/** What one reconcile pass of a controller may use. Reads see every stored change, its own writes included. */
export interface Pass {
  readonly writer: Writer;
  readonly entropy: Entropy;
  readonly simulation: Simulation;
  readonly storage: Storage;
  nowMs(): number;
  /** RFC 3339 with whole seconds. */
  now(): string;
  get<Type extends KubeObject>(type: ResourceType<Type>, key: ObjectKey): Type | undefined;
  list<Type extends KubeObject>(type: ResourceType<Type>, namespace?: string): readonly Type[];
  /** As {@link list}, for objects with one of the values; sees durable changes only. */
  find<Type extends KubeObject>(lookup: Lookup<Type>, values: readonly string[]): readonly Type[];
  /** As {@link find}, without parsing the objects. */
  versions<Type extends KubeObject>(lookup: Lookup<Type>, values: readonly string[]): readonly StoredVersion[];
}

export interface Watch {
  /** Storage table: `plural.group`. */
  readonly table: string;
  /** Keys to reconcile because of the change. */
  readonly keys: (change: StoredChange, pass: Pass) => readonly string[];
}

/** One controller: watches enqueue keys, and `reconcile` reads the state of a key anew. */
export interface BuiltInController {
  readonly name: string;
  /** Its field manager; `kube-controller-manager` for most. */
  readonly manager?: string;
  readonly watches: readonly Watch[];
  /** Called once before the first change, with functions to watch further tables and to enqueue keys. */
  readonly start?: (follow: (watch: Watch) => void, enqueue: (key: string) => void, pass: Pass) => void;
  /** Returns milliseconds after which the key is reconciled again; undefined when only changes matter. */
  readonly reconcile: (key: string, pass: Pass) => Promise<number | undefined>;
}

/** The key of the changed object. */
export function ownKey(change: StoredChange): readonly string[] {
  return [change.key];
}

/** `namespace/name` of the controlling owner of the given kind, before and after the change. */
export function ownerKeys(kind: string): (change: StoredChange) => readonly string[] {
  return ({ before, after }) => {
    const keys = new Set<string>();
    for (const object of [before, after]) {
      for (const owner of object?.metadata.ownerReferences ?? []) {
        if (owner.controller === true && owner.kind === kind) {
          keys.add(`${object?.metadata.namespace ?? ""}/${owner.name}`);
        }
      }
    }
    return [...keys];
  };
}

/**
 * Watches objects that `owner` may control: enqueues their owner, and for objects without a controller all owners whose
 * selector matches, because they may adopt them.
 */
export function controlledBy(owner: ResourceType, controlled: ResourceType): Watch {
  const owned = ownerKeys(owner.kind);
  const bySelector: Lookup<KubeObject> = { type: owner, valuesOf: setSelectorValues };
  return {
    table: groupResource(controlled),
    keys: (change, pass) => {
      const keys = owned(change);
      const { after } = change;
      if (after === undefined || after.metadata.ownerReferences?.some(({ controller }) => controller === true) === true)
        return keys;
      const { namespace = "", labels = {} } = after.metadata;
      const adopting = pass.find(bySelector, selectorsFor(after)).filter((set) => {
        const selector = objectIn(objectIn(asJson(set), "spec"), "selector");
        return !isEmptySelector(selector) && labelsMatch(selector, labels as JsonObject);
      });
      return [...keys, ...adopting.map(({ metadata }) => `${namespace}/${metadata.name ?? ""}`)];
    },
  };
}

/** Keys of every object of a table in the changed object's namespace. */
export function neighbours(table: string): Watch["keys"] {
  return ({ key }, { storage }) => {
    if (storage.count(table) === 0) return [];
    const namespace = key.slice(0, key.indexOf("/"));
    const found = storage.list(table, { namespace });
    return found.ok ? found.value.map(({ metadata }) => `${namespace}/${metadata.name ?? ""}`) : [];
  };
}

/** Watches the custom resources of every definition as soon as it exists. */
export function followingCustom(keys: Watch["keys"]): NonNullable<BuiltInController["start"]> {
  return (follow) =>
    follow({
      table: groupResource(customResourceDefinitions),
      keys: ({ key, after }) => {
        if (after !== undefined) follow({ table: key, keys });
        return [];
      },
    });
}

/** Cost of a pass over a small object, and of reading one object, as {@link turns} counts it. */
const workOfPass = 8 * 1024;
const workOfRead = 512;
/** Objects with longer texts, in characters, are read each in its turn: to parse ten of a megabyte takes half a second. */
export const longText = 64 * 1024;

/** The objects of the versions; long ones each in its turn. What is stored may change meanwhile. */
export async function objectsInTurns(versions: readonly StoredVersion[]): Promise<readonly KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const version of versions) {
    const wait = version.size < longText ? undefined : turns.before(version.size);
    if (wait !== undefined) await wait;
    objects.push(version.object);
  }
  return objects;
}

/** Above this number of deferred keys those that are due are dropped. */
const mostDeferred = 256;
const firstRetryMs = 5;
const longestRetryMs = 60_000;

/** Shared by all loops. */
export interface LoopWorld {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly pace: Pace;
}

/** Runs one controller: queue, timers, retries; one key at a time. */
export class Loop {
  readonly #controller: BuiltInController;
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #pass: Pass;
  readonly #stopping = new AbortController();
  readonly #feeds = new Map<string, Feed>();
  readonly #queue = new Set<string>();
  readonly #timers = new Map<string, { readonly due: number; readonly cancel: AbortController }>();
  readonly #failures = new Map<string, number>();
  /** Deferred keys and the pass count at which each is due. */
  readonly #deferred = new Map<string, number>();
  #endDeferral: () => void = () => undefined;
  #running: Promise<void> | undefined;

  constructor(controller: BuiltInController, { storage, clock, pace }: LoopWorld, pass: Pass) {
    this.#controller = controller;
    this.#storage = storage;
    this.#clock = clock;
    this.#pace = pace;
    this.#pass = pass;
  }

  start(): void {
    for (const watch of this.#controller.watches) this.#follow(watch);
    this.#controller.start?.(
      (watch) => this.#follow(watch),
      (key) => this.#enqueue(key),
      this.#pass,
    );
  }

  /** Reports existing objects as changes, then all later changes. */
  #follow({ table, keys }: Watch): void {
    if (this.#feeds.has(table) || this.#stopping.signal.aborted) return;
    const seen = this.#storage.published();
    const feed = this.#storage.feed(table, seen, (change) => {
      for (const key of keys(change, this.#pass)) this.#enqueue(key);
    });
    if (feed.ok) this.#feeds.set(table, feed.value);
    const present = this.#storage.scan(table);
    for (const version of present.ok ? present.value : [])
      for (const dirty of keys(presentAsChange(table, seen, version), this.#pass)) this.#enqueue(dirty);
  }

  #enqueue(key: string): void {
    if (this.#stopping.signal.aborted) return;
    this.#queue.add(key);
    if (this.#mayRun(key)) this.#endDeferral();
    this.#running ??= this.#drain().finally(() => {
      this.#running = undefined;
      this.#pace.end();
      const [next] = this.#queue;
      if (next !== undefined) this.#enqueue(next);
    });
  }

  #mayRun(key: string): boolean {
    return this.#pace.isOver(this.#deferred.get(key) ?? 0);
  }

  async #drain(): Promise<void> {
    this.#pace.begin();
    // Waits for a microtask, so that changes of one synchronous run are handled by one pass.
    await Promise.resolve();
    while (this.#queue.size > 0 && !this.#stopping.signal.aborted) {
      const key = this.#queue.values().find((queued) => this.#mayRun(queued));
      if (key === undefined) {
        const dues = [...this.#queue].map((queued) => this.#deferred.get(queued) ?? 0);
        await this.#pace.until(Math.min(...dues), (end) => (this.#endDeferral = end));
        continue;
      }
      this.#queue.delete(key);
      this.#timers.get(key)?.cancel.abort();
      this.#timers.delete(key);
      await turns.before(workOfPass);
      await this.#run(key);
    }
  }

  async #run(key: string): Promise<void> {
    const { pass, objectsRead } = counted(this.#pass);
    try {
      const after = await this.#controller.reconcile(key, pass);
      this.#failures.delete(key);
      if (after !== undefined) this.#recheck(key, after);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      if (!(error instanceof RefusedError)) throw error;
      // A conflict is retried immediately, because the next pass sees the other write; other failures are retried with
      // backoff.
      if (error.status === 409 && failures < 5) this.#queue.add(key);
      else this.#recheck(key, Math.min(longestRetryMs, firstRetryMs * 2 ** (failures - 1)));
    } finally {
      this.#pace.count();
      turns.add(objectsRead() * workOfRead);
      const due = this.#pace.deferUntil(objectsRead());
      if (due === undefined) this.#deferred.delete(key);
      else this.#deferred.set(key, due);
      if (this.#deferred.size > mostDeferred)
        for (const [deferredKey, dueAt] of this.#deferred)
          if (this.#pace.isOver(dueAt)) this.#deferred.delete(deferredKey);
    }
  }

  #recheck(key: string, afterMs: number): void {
    if (afterMs <= 0) {
      this.#queue.add(key);
      return;
    }
    const cancel = new AbortController();
    const timer = { due: this.#clock.now() + afterMs, cancel };
    this.#timers.get(key)?.cancel.abort();
    this.#timers.set(key, timer);
    const signal = AbortSignal.any([cancel.signal, this.#stopping.signal]);
    this.#clock.sleep(afterMs, signal).then(
      () => {
        if (this.#timers.get(key) === timer) this.#timers.delete(key);
        this.#enqueue(key);
      },
      () => undefined,
    );
  }

  /** Whether nothing is queued, running or due. */
  idle(): boolean {
    if (this.#running !== undefined || this.#queue.size > 0) return false;
    const now = this.#clock.now();
    return ![...this.#timers.values()].some(({ due }) => due <= now);
  }

  async finished(): Promise<void> {
    await this.#running;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const feed of this.#feeds.values()) feed.close();
    this.#feeds.clear();
    this.#endDeferral();
    await this.#running;
  }
}

/** The pass with a counter of the objects that it reads. */
function counted(pass: Pass): { readonly pass: Pass; readonly objectsRead: () => number } {
  let objectsRead = 0;
  const many = <Found extends readonly unknown[]>(found: Found): Found => {
    objectsRead += found.length;
    return found;
  };
  return {
    objectsRead: () => objectsRead,
    pass: {
      ...pass,
      list: (type, namespace) => many(pass.list(type, namespace)),
      find: (lookup, values) => many(pass.find(lookup, values)),
      versions: (lookup, values) => many(pass.versions(lookup, values)),
    },
  };
}

export function passOf(
  options: { readonly storage: Storage; readonly clock: Clock; readonly entropy: Entropy },
  simulation: Simulation,
  writer: Writer,
  lookups: Lookups,
): Pass {
  const { storage, clock, entropy } = options;
  return {
    storage,
    entropy,
    simulation,
    writer,
    nowMs: () => clock.now(),
    now: () => formatTime(clock.now()),
    get: <Type extends KubeObject>(type: ResourceType<Type>, key: ObjectKey) =>
      storage.get(groupResource(type), formatKey(key)) as Type | undefined,
    list: <Type extends KubeObject>(type: ResourceType<Type>, namespace?: string) => {
      const found = storage.list(groupResource(type), namespace === undefined ? {} : { namespace });
      return (found.ok ? found.value : []) as readonly Type[];
    },
    find: (lookup, values) => lookups.find(lookup, values),
    versions: (lookup, values) => lookups.versions(lookup, values),
  };
}
