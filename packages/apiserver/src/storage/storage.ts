import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { Result } from "@purser/kubernetes/result";
import type { WrittenObject } from "./written-object.ts";

/**
 * Where objects of one kind are kept, whatever version serves them: `plural.group`, or the plural alone for
 * the core group. Kinds that are two views of one object (core and `events.k8s.io` events) share a table.
 */
export type TableName = string;

/** `namespace/name`, or `name` alone for cluster-scoped objects. Tables are ordered by it. */
export type StorageKey = string;

/**
 * One immutable state of one object as it lies in the store. Its tree is made from its text (or the text handed on as
 * it is): both say the same.
 */
export interface StoredVersion {
  readonly key: StorageKey;
  /** The object's `resourceVersion`. */
  readonly revision: number;
  /** Labels as stored, without reading the rest. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** The object; its tree stays in memory for a while. */
  readonly object: KubeObject;
  /** The object for one look, as scans take it: its tree may be made anew for each. */
  readonly passing: KubeObject;
  /** The object as JSON without white space. */
  readonly text: string;
  /** Length of the text, in characters. */
  readonly size: number;
}

/** One committed change. The object's `resourceVersion` is `revision`, for a removal too. */
export interface StoredChange {
  readonly revision: number;
  readonly table: TableName;
  readonly key: StorageKey;
  /** State before; absent when the change created the object. Each `version...` is the same without reading it. */
  readonly before: KubeObject | undefined;
  readonly versionBefore: StoredVersion | undefined;
  /** State after; absent when the change removed the object. */
  readonly after: KubeObject | undefined;
  readonly versionAfter: StoredVersion | undefined;
  /** What a watcher is shown: the state after or, for a removal, the final state stamped with `revision`. */
  readonly shown: KubeObject;
  readonly versionShown: StoredVersion;
}

export interface Feed {
  close(): void;
}

export type HistoryProblem = {
  /** The revisions asked for are no longer kept; `oldest` is the first one that can still be served. */
  readonly kind: "compacted";
  readonly oldest: number;
};

export interface ListRange {
  /** Only this namespace. */
  readonly namespace?: string;
  /** Only keys that sort after this one. */
  readonly after?: StorageKey;
  /** The state at exactly this revision; absent: now. */
  readonly at?: number;
}

/** A file of the journal is not the one that was opened: it was removed or replaced. */
export interface DetachedJournal {
  readonly file: string;
  /** Names the file and what happened to it. */
  readonly message: string;
  /** What the administrator can do. */
  readonly remedy: string;
}

/**
 * The ordered store: one revision counter over all tables, objects immutable, reads and changes synchronous
 * (so a read, a decision and a change without an `await` between them are atomic), durability asynchronous.
 *
 * A change is visible to reads at once; it may be acknowledged, and reaches feeds, only when it is durable.
 * Callers await {@link Storage.durable} before they answer a client. Changes made in one synchronous run become
 * durable together or not at all.
 */
export interface Storage {
  /** Revision of the last change, durable or not. */
  revision(): number;
  /** Revision up to which every change is durable and has been given to the feeds. */
  published(): number;
  get(table: TableName, key: StorageKey): KubeObject | undefined;
  /** As {@link get}, without reading the object; the same one until the next change. */
  version(table: TableName, key: StorageKey): StoredVersion | undefined;
  /** In key order. */
  scan(table: TableName, range?: ListRange): Result<readonly StoredVersion[], HistoryProblem>;
  /** The objects of a scan, all in memory at once. */
  list(table: TableName, range?: ListRange): Result<readonly KubeObject[], HistoryProblem>;
  count(table: TableName): number;
  /** Revision of the last change of this table: what is derived from the table stays valid until it changes. */
  tableRevision(table: TableName): number;
  /** Names of the tables that hold at least one object. */
  tables(): readonly TableName[];
  /**
   * Stores `object` with the next revision as its `resourceVersion` and gives back what was stored. A text that was written
   * of this very object before saves the time to write it now.
   * @throws when the journal broke earlier: no change can become durable any more
   */
  put(table: TableName, key: StorageKey, object: KubeObject, written?: WrittenObject): KubeObject;
  /**
   * Removes the object; undefined when there is none. `final` is the last state to show to watchers (default:
   * the stored one). Gives back that state stamped with the revision of the removal.
   */
  remove(table: TableName, key: StorageKey, final?: KubeObject): KubeObject | undefined;
  /** How often the disk has refused changes. */
  refusals(): number;
  /**
   * Resolves when every change made so far is durable. Rejects with `WriteRefused` when the disk took none of the
   * changes that were waiting, or has refused some since it had done so `refusals` times: they are taken back, and
   * the next ones may succeed. Rejects with anything else when the journal is broken.
   */
  durable(refusals?: number): Promise<void>;
  /** Why every write is refused: the files were removed or replaced. Undefined while they are in place, and for memory. */
  detached(): DetachedJournal | undefined;
  /** Calls `onTakenBack` for every object whose change was rolled back, because the disk refused it. */
  takenBack(onTakenBack: (table: TableName, key: StorageKey) => void): void;
  /**
   * Calls `onChange` for every durable change of the table after `revision`: first the retained ones, at once
   * and synchronously, then each new one in order. `onChange` must not throw and must not change the store.
   */
  feed(table: TableName, revision: number, onChange: (change: StoredChange) => void): Result<Feed, HistoryProblem>;
  /** First revision from which a feed of the table can start, minus one. */
  oldest(table: TableName): number;
  /** Forgets history up to and including `revision`. */
  compact(revision: number): void;
  /**
   * Forgets changes up to `revision` until little is kept of all tables; a small history is kept whole. A feed that
   * has seen the last change of a table can resume. @returns how many characters of former states were dropped
   */
  forgetFormer(revision: number): number;
  /**
   * A new memory store with the same content and revision; neither sees the other's later changes. Costs nothing until one
   * of the two changes a table.
   */
  fork(): Storage;
  close(): Promise<void>;
}

export type StorageProblem =
  | { readonly kind: "locked"; readonly file: string; readonly message: string }
  | { readonly kind: "damaged"; readonly file: string; readonly message: string }
  /** There was a cluster, and its file, or the log with its last changes, is missing or empty. */
  | { readonly kind: "lost"; readonly file: string; readonly message: string }
  /** Written by a later version of this program. */
  | { readonly kind: "unknownFormat"; readonly file: string; readonly message: string }
  | { readonly kind: "unreadable"; readonly file: string; readonly message: string };
