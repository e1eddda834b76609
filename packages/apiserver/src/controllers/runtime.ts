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

/** What one pass of a controller may use. Reads see every stored change, its own writes included. */
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
  /** As {@link list} for those under one of the values; it sees what is durable. */
  find<Type extends KubeObject>(lookup: Lookup<Type>, ...values: readonly string[]): readonly Type[];
  /** As {@link find}, without reading the objects. */
  versions<Type extends KubeObject>(lookup: Lookup<Type>, ...values: readonly string[]): readonly StoredVersion[];
}

export interface Watch {
  /** Storage table: `plural.group`. */
  readonly table: string;
  /** Keys to look at again because of the change. */
  readonly keys: (change: StoredChange, pass: Pass) => readonly string[];
}

/** One loop: keys become dirty through watches; each is brought in order by reading everything anew. */
export interface BuiltInController {
  readonly name: string;
  /** Who owns the fields that it writes; `kube-controller-manager` for most. */
  readonly manager?: string;
  readonly watches: readonly Watch[];
  /** Called once before the first change, with a way to follow further tables. */
  readonly start?: (follow: (watch: Watch) => void, enqueue: (key: string) => void, pass: Pass) => void;
  /** Gives back milliseconds after which the key must be looked at again; undefined when only changes matter. */
  readonly reconcile: (key: string, pass: Pass) => Promise<number | undefined>;
}

/** The key of the changed object itself. */
export function ownKey(change: StoredChange): readonly string[] {
  return [change.key];
}

/** `namespace/name` of the controlling owner of the given kind, from both sides of the change. */
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
 * The watch of objects that `owner` controls: what happens to them concerns it, and so do fitting ones that nobody
 * controls, because it adopts them.
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
      const adopting = pass.find(bySelector, ...selectorsFor(after)).filter((set) => {
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

/** Follows the custom resources of every definition, from when there is one. */
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

/** A pass over a small object, and one look at another, as {@link turns} counts them. */
const workOfPass = 8 * 1024;
const workOfLook = 512;
/** With more keys than that, those whose rest is over are forgotten: most of their objects are gone. */
const mostResting = 256;
const firstRetryMs = 5;
const longestRetryMs = 60_000;

/** What all loops have in common. */
export interface LoopWorld {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly pace: Pace;
}

/** Runs one controller: its queue, its timers, its failures. One key at a time. */
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
  /** Keys of large passes, and until when they rest. */
  readonly #resting = new Map<string, number>();
  #endRest: () => void = () => undefined;
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

  /** Every present object counts as a change, then every later one. */
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
    if (this.#mayRun(key)) this.#endRest();
    this.#running ??= this.#drain().finally(() => {
      this.#running = undefined;
      this.#pace.end();
      const [next] = this.#queue;
      if (next !== undefined) this.#enqueue(next);
    });
  }

  #mayRun(key: string): boolean {
    return this.#pace.isOver(this.#resting.get(key) ?? 0);
  }

  async #drain(): Promise<void> {
    this.#pace.begin();
    // A turn later: changes of one synchronous run are looked at together.
    await Promise.resolve();
    while (this.#queue.size > 0 && !this.#stopping.signal.aborted) {
      const key = this.#queue.values().find((queued) => this.#mayRun(queued));
      if (key === undefined) {
        const dues = [...this.#queue].map((queued) => this.#resting.get(queued) ?? 0);
        await this.#pace.until(Math.min(...dues), (end) => (this.#endRest = end));
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
    const { pass, looked } = counted(this.#pass);
    try {
      const after = await this.#controller.reconcile(key, pass);
      this.#failures.delete(key);
      if (after !== undefined) this.#recheck(key, after);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      if (!(error instanceof RefusedError)) throw error;
      // A conflict means that somebody wrote meanwhile: the next pass sees it. Anything else waits longer each time.
      if (error.status === 409 && failures < 5) this.#queue.add(key);
      else this.#recheck(key, Math.min(longestRetryMs, firstRetryMs * 2 ** (failures - 1)));
    } finally {
      this.#pace.count();
      turns.add(looked() * workOfLook);
      const due = this.#pace.restAfter(looked());
      if (due === undefined) this.#resting.delete(key);
      else this.#resting.set(key, due);
      if (this.#resting.size > mostResting)
        for (const [rested, until] of this.#resting) if (this.#pace.isOver(until)) this.#resting.delete(rested);
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

  /** Nothing queued, running or due. */
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
    this.#endRest();
    await this.#running;
  }
}

/** The same pass, and how many objects it has looked at since. */
function counted(pass: Pass): { readonly pass: Pass; readonly looked: () => number } {
  let looked = 0;
  const many = <Found extends readonly unknown[]>(found: Found): Found => {
    looked += found.length;
    return found;
  };
  return {
    looked: () => looked,
    pass: {
      ...pass,
      list: (type, namespace) => many(pass.list(type, namespace)),
      find: (lookup, ...values) => many(pass.find(lookup, ...values)),
      versions: (lookup, ...values) => many(pass.versions(lookup, ...values)),
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
    find: (lookup, ...values) => lookups.find(lookup, values),
    versions: (lookup, ...values) => lookups.versions(lookup, values),
  };
}
