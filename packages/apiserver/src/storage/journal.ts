import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { DetachedJournal, StorageKey, TableName } from "./storage.ts";

/** One row to write: the new state of a key, or its deletion. */
export interface JournalRow {
  readonly table: TableName;
  readonly key: StorageKey;
  /** The object as JSON. Absent: removed. */
  readonly text: string | undefined;
}

/** The disk refused a group of changes; it may accept the next one. */
export class WriteRefused extends Error {
  override readonly name = "WriteRefused";
  /** Whether the disk is full, as opposed to failing. */
  readonly isFull: boolean;

  constructor(message: string, isFull: boolean) {
    super(message);
    this.isFull = isFull;
  }
}

/** Port for durable changes. */
export interface Journal {
  /**
   * Writes all rows or none; durable when it returns.
   * @throws {@link WriteRefused}; any other error ends the store
   */
  write(rows: readonly JournalRow[], revision: number): void;
  /**
   * The last text of a key; undefined when there is none.
   * @throws when the disk refuses
   */
  read(table: TableName, key: StorageKey): string | undefined;
  /** The texts under the first `limit` keys from `first` to `last`. @throws when the disk refuses */
  readRange(table: TableName, first: StorageKey, last: StorageKey, limit: number): ReadonlyMap<StorageKey, string>;
  /** Checks the files now: set while all writes are refused because a file was removed or replaced. */
  detached(): DetachedJournal | undefined;
  /** Waits for further changes to be written together, where a write is expensive. */
  gather(): Promise<void>;
  close(): void;
}

/** Content of a journal when it was opened. */
export interface JournalContent {
  readonly revision: number;
  readonly rows: Iterable<{
    readonly table: TableName;
    readonly key: StorageKey;
    readonly object: KubeObject;
    readonly text: string;
  }>;
}
