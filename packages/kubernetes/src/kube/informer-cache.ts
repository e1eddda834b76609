import { keyOf, type KubeObject, type ObjectKey } from "../apis/object.ts";
import { customResourceDefinitions } from "../apis/resources.ts";
import { groupResource, type ResourceType } from "../apis/resource-type.ts";
import { matchesSelector, type Selector } from "../apis/selector.ts";
import type { Clock } from "../clock.ts";
import type { Entropy } from "../entropy.ts";
import { InvariantError } from "../invariant.ts";
import { asksNoMore, labelIndex, parsedSelector, select } from "./cached-selection.ts";
import { hasCaughtUp } from "./caught-up.ts";
import type { KubeClient } from "./client.ts";
import { Counters } from "./counters.ts";
import { Informer, type ChangeListener, type ObjectChange, type Projection, type Reduction } from "./informer.ts";
import { silent, type Log } from "./log.ts";
import type { ListScope, ObjectReader } from "./object-reader.ts";
import type { IndexFunction } from "./object-store.ts";
import { reaches } from "./resource-version.ts";

export type { ObjectChange, Projection, Reduction } from "./informer.ts";
export type { IndexFunction } from "./object-store.ts";

export interface InformerRequest<Type extends KubeObject = KubeObject> {
  readonly type: ResourceType<Type>;
  /** Informers of equal type, scope and projection are shared. Default: the whole cluster. */
  readonly scope?: ListScope;
  readonly projection?: Projection;
  /** Named indexes. A name must always stand for the same function per type: registering it again has no effect. */
  readonly indexes?: Readonly<Record<string, IndexFunction<Type>>>;
  /** Labels to index by value: a `list` with a selector `label=value` then reads only matching objects. */
  readonly indexedLabels?: readonly string[];
  /**
   * Nothing reads from it, so `synced` and `showing` do not wait for it, for example when its server does not respond.
   */
  readonly onlyWakes?: boolean;
}

/** A reference to an informer; the last release stops the shared one. */
export interface InformerLease {
  /** Resolves when the first list is in the cache; an unserved type counts as an empty list. */
  readonly synced: Promise<void>;
  /** Resolves with the server's text as soon as list or watch is forbidden; undefined when that never happened. */
  refused(): Promise<string | undefined>;
  release(): void;
}

export interface InformerCacheOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log?: Log;
  readonly metrics?: Counters;
}

/** Synchronous reads from the cache, for functions that map a changed object to keys. */
export interface CacheView {
  cached<Type extends KubeObject>(type: ResourceType<Type>, key: ObjectKey): Type | undefined;
  byIndex<Type extends KubeObject>(type: ResourceType<Type>, index: string, value: string): readonly Type[];
}

/** Sizes of indexes, for decisions about many objects. */
export interface SizeView {
  /** How many objects `byIndex` would return. */
  indexSize(type: ResourceType, index: string, value: string): number;
}

/** What informers know of versions, also those that hold metadata only. Never a request. */
export interface VersionView {
  /**
   * `held` when `get` answers without a request; else the version of the object, a text of its own when it does not exist;
   * undefined when no informer shows all objects of the type.
   */
  versionOf(type: ResourceType, key: ObjectKey): string | undefined;
  /** As `versionOf` for `list`: a text that changes with any object of the type in the namespace of the scope. */
  versionsIn(type: ResourceType, scope: ListScope): string | undefined;
  /**
   * Whether an object has changed since a version in which it was read or written, as far as any informer shows it, one that only
   * wakes too. An informer that is still behind shows no change. `unseen`: none shows the object.
   */
  changeSince(type: ResourceType, key: ObjectKey, version: ObjectVersion): "none" | "changed" | "unseen";
  /** The object as an informer with this reduction shows it, like `get` from a cache behind the cluster; undefined when none does. */
  reduced(type: ResourceType, key: ObjectKey, reduction: Reduction): KubeObject | undefined;
  /** The object as any informer holds it whole, one that only wakes too. It may be behind the writes of the same pass. */
  lastSeen(type: ResourceType, key: ObjectKey): KubeObject | undefined;
}

export interface ObjectVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Reads from an informer that covers the query, otherwise from the live client. Informers with metadata only or with a
 * reduction serve only `cached`, `byIndex` and `indexSize`, never `get` and `list`.
 */
export interface InformerCache extends ObjectReader, CacheView, SizeView, VersionView {
  /**
   * Shares the informer of this type, scope and projection, or starts it. `onChange` is first called with all existing
   * objects.
   */
  acquire<Type extends KubeObject>(
    request: InformerRequest<Type>,
    onChange?: (change: ObjectChange<Type>) => void,
  ): InformerLease;
  /** Resolves when every readable informer that covers the object shows this write or a later one. */
  showing(write: SeenWrite): Promise<void>;
  /** Resolves when every readable informer has its first list. */
  synced(): Promise<void>;
  /** The types that `synced` waits for or that may not be watched, sorted by name. */
  unfollowed(): readonly UnfollowedType[];
  /**
   * Queries the server's current version and waits until the cache shows it.
   * @returns whether the cache already did
   */
  caughtUp(signal: AbortSignal): Promise<boolean>;
  stop(): Promise<void>;
}

/** A type that cannot be followed, and why the server refused its list or watch, when it did. */
export interface UnfollowedType {
  /** As `kubectl` writes it, e.g. `deployments.apps`. */
  readonly resource: string;
  readonly problem?: string;
}

/** Effect of a write on one object: its new version, or its deletion. */
export type SeenWrite =
  | { readonly kind: "stored"; readonly type: ResourceType; readonly object: KubeObject }
  | { readonly kind: "gone"; readonly type: ResourceType; readonly key: ObjectKey; readonly uid: string | undefined };

interface Shared {
  readonly informer: Informer;
  readonly selector: Selector | undefined;
  holders: number;
  /** Number of references that read from it. */
  readers: number;
}

/** A cache without informers; each is started by the first lease on its type and scope and ends with the last release. */
export function createInformerCache(options: InformerCacheOptions): InformerCache {
  const { client, metrics = new Counters(), log = silent } = options;
  /** By type, for fast lookup in every read. */
  const informers = new Map<string, Map<string, Shared>>();
  const stopping = new Set<Promise<void>>();

  const ofType = (type: ResourceType): readonly Shared[] => [...(informers.get(typeKey(type))?.values() ?? [])];
  const all = (): readonly Shared[] => [...informers.values()].flatMap((held) => [...held.values()]);
  const read = (): readonly Informer[] => all().flatMap(({ informer, readers }) => (readers > 0 ? [informer] : []));

  /**
   * Informers that cover `key`; those with field selectors never do, because field selectors are not evaluated here.
   */
  function covering(type: ResourceType, namespace: string | undefined): readonly Shared[] {
    return ofType(type).filter(({ informer: { scope, projection }, readers }) => {
      if (readers === 0) return false;
      const wide = scope.namespace === undefined || scope.namespace === namespace;
      return wide && typeof projection === "string" && projection !== "metadata" && scope.fieldSelector === undefined;
    });
  }

  async function get<Type extends KubeObject>(type: ResourceType<Type>, key: ObjectKey): Promise<Type | undefined> {
    const candidates = covering(type, key.namespace);
    for (const { informer, selector } of candidates) {
      await informer.ready();
      const held = informer.store.get(key);
      // Without a selector a missing entry means that the object does not exist; with a selector it may just not match.
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
      const shared = answering(type, scope.namespace, asked);
      if (shared !== undefined) {
        await shared.informer.ready();
        return select(shared.informer, scope.namespace, asked) as readonly Type[];
      }
    }
    metrics.add("cache_live_reads_total", { resource: type.plural, verb: "list" });
    return client.list(type, scope);
  }

  function answering(
    type: ResourceType,
    namespace: string | undefined,
    asked: Selector | undefined,
  ): Shared | undefined {
    return covering(type, namespace).find(
      ({ selector }) => selector === undefined || (asked !== undefined && asksNoMore(asked, selector)),
    );
  }

  /** An informer with all objects of the type, or all in the namespace; undefined before its first list. */
  function showingAll(type: ResourceType, namespace: string | undefined): Informer | undefined {
    return ofType(type).find(({ informer: { scope, state }, selector }) => {
      const wide = scope.namespace === undefined || scope.namespace === namespace;
      const listed = state.kind === "synced" || state.kind === "unserved";
      return wide && listed && selector === undefined && scope.fieldSelector === undefined;
    })?.informer;
  }

  function versionOf(type: ResourceType, key: ObjectKey): string | undefined {
    const isHeld = covering(type, key.namespace).some(
      ({ informer, selector }) => selector === undefined || informer.store.get(key) !== undefined,
    );
    if (isHeld) return "held";
    const informer = showingAll(type, key.namespace);
    return informer === undefined ? undefined : versionText(informer.store.get(key));
  }

  function versionsIn(type: ResourceType, scope: ListScope): string | undefined {
    const asked = parsedSelector(scope.labelSelector);
    if (scope.fieldSelector !== undefined || asked === "unreadable") return undefined;
    if (answering(type, scope.namespace, asked) !== undefined) return "held";
    const informer = showingAll(type, scope.namespace);
    return informer === undefined ? undefined : informer.store.list(scope.namespace).map(versionText).join("\n");
  }

  function changeSince(type: ResourceType, key: ObjectKey, version: ObjectVersion): "none" | "changed" | "unseen" {
    const shown = ofType(type).flatMap(({ informer: { scope, state, store } }) => {
      const wide = scope.namespace === undefined || scope.namespace === key.namespace;
      const follows = state.kind === "synced" && state.refusal === undefined;
      return wide && follows ? (store.get(key)?.metadata ?? []) : [];
    });
    if (shown.length === 0) return "unseen";
    const isSame = ({ uid, resourceVersion = "" }: KubeObject["metadata"]): boolean =>
      uid === version.uid &&
      (resourceVersion === version.resourceVersion || reaches(version.resourceVersion, resourceVersion));
    return shown.every(isSame) ? "none" : "changed";
  }

  function lastSeen(type: ResourceType, key: ObjectKey): KubeObject | undefined {
    const whole = ofType(type).filter(({ informer: { projection } }) => projection === "whole");
    return whole.flatMap(({ informer: { store } }) => store.get(key) ?? [])[0];
  }

  function reduced(type: ResourceType, key: ObjectKey, { name }: Reduction): KubeObject | undefined {
    const showing = ofType(type).filter(
      ({ informer: { projection }, readers }) =>
        readers > 0 && typeof projection === "object" && projection.name === name,
    );
    return showing.flatMap(({ informer: { store } }) => store.get(key) ?? [])[0];
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
      refused: () => informer.refused(),
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

  function indexed(type: ResourceType, index: string): Informer["store"] {
    const shared = ofType(type).find(({ informer }) => informer.store.hasIndex(index));
    if (shared === undefined) throw new InvariantError(`no informer of ${type.plural} has the index "${index}"`);
    return shared.informer.store;
  }

  /** A definition has changed: its type is requested immediately instead of after the retry delay. */
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
      if (write.kind === "gone") return informer.gone(key, { uid: write.uid });
      const { uid, resourceVersion, labels = {} } = write.object.metadata;
      // An object that does not match the informer's selector will not appear, but its former version must disappear.
      if (selector !== undefined && !matchesSelector(selector, labels)) return informer.gone(key, { resourceVersion });
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
      if (!(await hasCaughtUp(informer, client, signal))) ready = false;
    }
    return ready;
  }

  return {
    get,
    list,
    acquire,
    showing,
    caughtUp,
    versionOf,
    versionsIn,
    changeSince,
    reduced,
    lastSeen,
    cached(type, key) {
      for (const { informer, readers } of ofType(type)) {
        // An informer that only wakes holds metadata, which nobody may take for the object.
        const held = readers > 0 ? informer.store.get(key) : undefined;
        if (held !== undefined) return held as never;
      }
      return undefined;
    },
    byIndex: (type, index, value) => indexed(type, index).byIndex(index, value) as never,
    indexSize: (type, index, value) => indexed(type, index).indexSize(index, value),
    async synced() {
      await Promise.all(read().map((informer) => informer.synced()));
    },
    unfollowed() {
      const waiting = read().flatMap(({ type, state }): readonly UnfollowedType[] => {
        const resource = groupResource(type);
        if (state.kind === "starting") return [{ resource }];
        const error = state.kind === "failing" ? state.error : state.kind === "synced" ? state.refusal : undefined;
        return error === undefined ? [] : [{ resource, problem: textOf(error) }];
      });
      const byResource = new Map(waiting.map((type) => [type.resource, type]));
      return [...byResource.values()].toSorted((a, b) => (a.resource < b.resource ? -1 : 1));
    },
    async stop() {
      const ending = all().map(({ informer }) => informer.stop());
      informers.clear();
      await Promise.all([...ending, ...stopping]);
    },
  };
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const versionText = (object: KubeObject | undefined): string =>
  object === undefined ? "absent" : `${object.metadata.uid} ${object.metadata.resourceVersion}`;

function typeKey({ group, version, plural }: ResourceType): string {
  return `${group}/${version}/${plural}`;
}

function scopeKey({ namespace, labelSelector, fieldSelector }: ListScope, projection: Projection): string {
  return JSON.stringify([namespace, labelSelector, fieldSelector, projection]);
}
