import type { KubeObject, ObjectKey } from "../apis/object.ts";
import type { ResourceType } from "../apis/resource-type.ts";
import type { Clock } from "../clock.ts";
import type { Entropy } from "../entropy.ts";
import type { KubeClient } from "./client.ts";
import type { Counters } from "./counters.ts";
import type { Log } from "./log.ts";
import type { ListScope, ObjectReader } from "./object-reader.ts";

/** Values under which an object is found by `byIndex`; none: the object is not in this index. */
export type IndexFunction<Type extends KubeObject = KubeObject> = (object: Type) => readonly string[];

/** What of each object is kept. `slim` (default) drops managedFields; `metadata` asks the server for metadata alone. */
export type Projection = "slim" | "whole" | "metadata";

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
}

export interface ObjectChange<Type extends KubeObject = KubeObject> {
  /** Absent when the object is new to the cache. */
  readonly before?: Type;
  /** Absent when it is gone. */
  readonly after?: Type;
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
  acquire<Type extends KubeObject>(
    request: InformerRequest<Type>,
    onChange?: (change: ObjectChange<Type>) => void,
  ): InformerLease;
  stop(): Promise<void>;
}
