import { keyOf, type KubeObject, type ObjectKey } from "../apis/object.ts";
import { customResourceDefinitions } from "../apis/resources.ts";
import type { ResourceType } from "../apis/resource-type.ts";
import { matchesSelector, parseLabelSelector, type Requirement, type Selector } from "../apis/selector.ts";
import type { Clock } from "../clock.ts";
import type { Entropy } from "../entropy.ts";
import { InvariantError } from "../invariant.ts";
import type { KubeClient } from "./client.ts";
import { Counters } from "./counters.ts";
import { Informer, type ChangeListener, type ObjectChange, type Projection } from "./informer.ts";
import { silent, type Log } from "./log.ts";
import type { ListScope, ObjectReader } from "./object-reader.ts";
import { isRefused } from "./refusal.ts";
import type { IndexFunction } from "./object-store.ts";

export type { ObjectChange, Projection } from "./informer.ts";
export type { IndexFunction } from "./object-store.ts";

export interface InformerRequest<Type extends KubeObject = KubeObject> {
  readonly type: ResourceType<Type>;
  /** Which objects; informers of equal type, scope and projection are shared. Default: the whole cluster. */
  readonly scope?: ListScope;
  readonly projection?: Projection;
  /** Named indexes. A name stands for one function per type: asking again for a name adds nothing. */
  readonly indexes?: Readonly<Record<string, IndexFunction<Type>>>;
  /**
   * Labels to index by value: a `list` whose selector asks `label=value` then looks only at those objects.
   */
  readonly indexedLabels?: readonly string[];
  /** Nobody reads from it: what it has not seen yet holds nothing up, be it that its server does not answer. */
  readonly onlyWakes?: boolean;
}

/** A held informer; the last release stops the shared one. */
export interface InformerLease {
  /** Resolves when the first list is in the cache; an unserved type counts as an empty list. */
  readonly synced: Promise<void>;
  release(): void;
}

export interface InformerCacheOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log?: Log;
  readonly metrics?: Counters;
}

/** Synchronous look into the cache, for the functions that map a changed object to keys. */
export interface CacheView {
  cached<Type extends KubeObject>(type: ResourceType<Type>, key: ObjectKey): Type | undefined;
  byIndex<Type extends KubeObject>(type: ResourceType<Type>, index: string, value: string): readonly Type[];
}

/**
 * Reads from informers where one covers the question, and from the live client where none does.
 * `metadata` informers answer only `cached` and `byIndex`, never `get` and `list`.
 */
export interface InformerCache extends ObjectReader, CacheView {
  /** Shares the informer of this type, scope and projection, or starts it. `onChange` first gets all that is held. */
  acquire<Type extends KubeObject>(
    request: InformerRequest<Type>,
    onChange?: (change: ObjectChange<Type>) => void,
  ): InformerLease;
  /** Resolves when every informer that is read from and can see the object shows this write or a later one. */
  showing(write: SeenWrite): Promise<void>;
  /** Resolves when every informer that is read from has its first list. */
  synced(): Promise<void>;
  /**
   * Asks the server what there is and waits until the cache shows it.
   * @returns whether the cache already did
   */
  caughtUp(signal: AbortSignal): Promise<boolean>;
  stop(): Promise<void>;
}

/** What a write did to one object: it is at this version, or gone. */
export type SeenWrite =
  | { readonly kind: "stored"; readonly type: ResourceType; readonly object: KubeObject }
  | { readonly kind: "gone"; readonly type: ResourceType; readonly key: ObjectKey; readonly uid: string | undefined };

interface Shared {
  readonly informer: Informer;
  readonly selector: Selector | undefined;
  holders: number;
  /** Those of the holders that read from it. */
  readers: number;
}

const labelIndex = (label: string): string => `label ${label}`;

export function createInformerCache(options: InformerCacheOptions): InformerCache {
  const { client, metrics = new Counters(), log = silent } = options;
  /** By type, because every read asks for one. */
  const informers = new Map<string, Map<string, Shared>>();
  const stopping = new Set<Promise<void>>();

  const ofType = (type: ResourceType): readonly Shared[] => [...(informers.get(typeKey(type))?.values() ?? [])];
  const all = (): readonly Shared[] => [...informers.values()].flatMap((held) => [...held.values()]);
  const read = (): readonly Informer[] => all().flatMap(({ informer, readers }) => (readers > 0 ? [informer] : []));

  /** Those that can hold `key`; field selectors are not evaluated here, so theirs never answer a question. */
  function covering(type: ResourceType, namespace: string | undefined): readonly Shared[] {
    return ofType(type).filter(({ informer: { scope, projection } }) => {
      const wide = scope.namespace === undefined || scope.namespace === namespace;
      return wide && projection !== "metadata" && scope.fieldSelector === undefined;
    });
  }

  async function get<Type extends KubeObject>(type: ResourceType<Type>, key: ObjectKey): Promise<Type | undefined> {
    const candidates = covering(type, key.namespace);
    for (const { informer, selector } of candidates) {
      await informer.ready();
      const held = informer.store.get(key);
      // One without a selector knows that the object does not exist; one with a selector only that it may not match.
      if (held !== undefined || selector === undefined) return held as Type | undefined;
    }
    metrics.add("cache_live_reads_total", { resource: type.plural, verb: "get" });
    return client.get(type, key);
  }

  async function list<Type extends KubeObject>(
    type: ResourceType<Type>,
    scope: ListScope = {},
  ): Promise<readonly Type[]> {
    const asked = parsedSelector(scope.labelSelector);
    if (scope.fieldSelector === undefined && asked !== "unreadable") {
      const shared = covering(type, scope.namespace).find(
        ({ selector }) => selector === undefined || (asked !== undefined && asksNoMore(asked, selector)),
      );
      if (shared !== undefined) {
        await shared.informer.ready();
        return select(shared.informer, scope.namespace, asked) as readonly Type[];
      }
    }
    metrics.add("cache_live_reads_total", { resource: type.plural, verb: "list" });
    return client.list(type, scope);
  }

  function acquire<Type extends KubeObject>(
    request: InformerRequest<Type>,
    onChange?: (change: ObjectChange<Type>) => void,
  ): InformerLease {
    const { type, scope = {}, projection = "slim", indexes = {}, indexedLabels = [], onlyWakes = false } = request;
    const siblings = informers.get(typeKey(type)) ?? new Map<string, Shared>();
    informers.set(typeKey(type), siblings);
    const key = scopeKey(scope, projection);
    let shared = siblings.get(key);
    if (shared === undefined) {
      const selector = parsedSelector(scope.labelSelector);
      if (selector === "unreadable") throw new InvariantError(`"${scope.labelSelector}" is no label selector`);
      const informer = new Informer(type, scope, projection, { ...options, log, metrics });
      shared = { informer, selector, holders: 0, readers: 0 };
      siblings.set(key, shared);
      if (typeKey(type) === typeKey(customResourceDefinitions)) informer.listen(wakeUnserved);
    }
    const { informer } = shared;
    shared.holders++;
    if (!onlyWakes) shared.readers++;
    for (const [name, of] of Object.entries(indexes)) informer.store.addIndex(name, of as IndexFunction);
    for (const label of indexedLabels)
      informer.store.addIndex(labelIndex(label), ({ metadata: { labels } }) =>
        labels !== undefined && Object.hasOwn(labels, label) ? [labels[label] ?? ""] : [],
      );
    const end = onChange === undefined ? undefined : informer.listen(onChange as ChangeListener);
    let held = true;
    return {
      synced: informer.synced(),
      release() {
        if (!held) return;
        held = false;
        end?.();
        shared.holders--;
        if (!onlyWakes) shared.readers--;
        if (shared.holders > 0) return;
        siblings.delete(key);
        const stopped = informer.stop();
        stopping.add(stopped);
        void stopped.finally(() => stopping.delete(stopped));
      },
    };
  }

  /** A definition has appeared or changed: who waits for its type need not wait for the next try. */
  function wakeUnserved({ after }: ObjectChange): void {
    if (after === undefined) return;
    const [plural, ...group] = (after.metadata.name ?? "").split(".");
    for (const { informer } of all()) {
      const { type, state } = informer;
      if (state.kind === "unserved" && type.plural === plural && type.group === group.join(".")) informer.nudge();
    }
  }

  function showing(write: SeenWrite): Promise<void> {
    const key = write.kind === "stored" ? keyOf(write.object) : write.key;
    const watching = ofType(write.type).filter(
      ({ informer: { scope }, readers }) =>
        readers > 0 && (scope.namespace === undefined || scope.namespace === key.namespace),
    );
    const waits = watching.map(({ informer, selector }) => {
      if (write.kind === "gone") return informer.gone(key, write.uid);
      const { uid, resourceVersion, labels = {} } = write.object.metadata;
      // What does not match this informer's selector will never come, but what it held before must go.
      if (selector !== undefined && !matchesSelector(selector, labels)) return informer.gone(key, undefined);
      if (informer.scope.fieldSelector !== undefined || resourceVersion === undefined) return Promise.resolve();
      return informer.seen(key, uid, resourceVersion);
    });
    return Promise.all(waits).then(() => {});
  }

  async function caughtUp(signal: AbortSignal): Promise<boolean> {
    let ready = true;
    for (const { informer, readers } of all()) {
      if (readers > 0) await informer.synced();
      else await informer.tried();
      const { type, scope, store } = informer;
      if (informer.state.kind === "stopped" || informer.state.kind === "failing") continue;
      const served = await currentMetadata(client, type, scope, signal);
      if (served === undefined) {
        // Unserved in this moment: the informer finds out by itself when its watch ends.
        continue;
      }
      const uids = new Set(served.map(({ metadata }) => metadata.uid));
      const missing = served.filter(
        (object) => store.get(keyOf(object))?.metadata.resourceVersion !== object.metadata.resourceVersion,
      );
      const surplus = store.list().filter(({ metadata }) => !uids.has(metadata.uid));
      for (const object of missing) {
        const { uid, resourceVersion } = object.metadata;
        const key = keyOf(object);
        if (store.get(key)?.metadata.resourceVersion === resourceVersion) continue;
        ready = false;
        if (resourceVersion !== undefined) await informer.seen(key, uid, resourceVersion);
      }
      for (const object of surplus) {
        if (store.get(keyOf(object)) !== object) continue;
        ready = false;
        await informer.gone(keyOf(object), object.metadata.uid);
      }
    }
    return ready;
  }

  return {
    get,
    list,
    acquire,
    showing,
    caughtUp,
    cached(type, key) {
      for (const { informer } of ofType(type)) {
        const held = informer.store.get(key);
        if (held !== undefined) return held as never;
      }
      return undefined;
    },
    byIndex(type, index, value) {
      const shared = ofType(type).find(({ informer }) => informer.store.hasIndex(index));
      if (shared === undefined) throw new InvariantError(`no informer of ${type.plural} has the index "${index}"`);
      return shared.informer.store.byIndex(index, value) as never;
    },
    async synced() {
      await Promise.all(read().map((informer) => informer.synced()));
    },
    async stop() {
      const ending = all().map(({ informer }) => informer.stop());
      informers.clear();
      await Promise.all([...ending, ...stopping]);
    },
  };
}

/** Narrows by an indexed label where the selector asks for one value of it, then by the whole selector. */
function select(
  { store }: Informer,
  namespace: string | undefined,
  selector: Selector | undefined,
): readonly KubeObject[] {
  if (selector === undefined) return store.list(namespace);
  const indexed = selector.find(
    (requirement) =>
      requirement.operator === "in" && requirement.values.length === 1 && store.hasIndex(labelIndex(requirement.key)),
  );
  const candidates =
    indexed?.operator === "in"
      ? store.byIndex(labelIndex(indexed.key), indexed.values[0] ?? "")
      : store.list(namespace);
  return candidates.filter(
    ({ metadata }) =>
      (namespace === undefined || metadata.namespace === namespace) && matchesSelector(selector, metadata.labels ?? {}),
  );
}

/** Whether all that `asked` selects is selected by `held` too: each of its requirements is asked for as well. */
function asksNoMore(asked: Selector, held: Selector): boolean {
  const requirements = new Set(asked.map(requirementText));
  return held.every((requirement) => requirements.has(requirementText(requirement)));
}

function requirementText(requirement: Requirement): string {
  return JSON.stringify(requirement, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}

function parsedSelector(text: string | undefined): Selector | undefined | "unreadable" {
  if (text === undefined || text === "") return undefined;
  const parsed = parseLabelSelector(text);
  return parsed.ok ? parsed.value : "unreadable";
}

async function currentMetadata(
  client: KubeClient,
  type: ResourceType,
  scope: ListScope,
  signal: AbortSignal,
): Promise<readonly KubeObject[] | undefined> {
  try {
    return (await client.page(type, scope, { metadataOnly: true }, signal)).items;
  } catch (error) {
    if (isRefused(error, "notFound")) return undefined;
    throw error;
  }
}

function typeKey({ group, version, plural }: ResourceType): string {
  return `${group}/${version}/${plural}`;
}

function scopeKey({ namespace, labelSelector, fieldSelector }: ListScope, projection: Projection): string {
  return JSON.stringify([namespace, labelSelector, fieldSelector, projection]);
}
