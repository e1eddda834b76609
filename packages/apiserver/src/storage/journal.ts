import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { DetachedJournal, StorageKey, TableName } from "./storage.ts";

/** One row to write: the new state of a key, or its removal. */
export interface JournalRow {
  readonly table: TableName;
  readonly key: StorageKey;
  /** The object as JSON. Absent: removed. */
  readonly text: string | undefined;
}

/** The disk took nothing of a group; it may take the next one. */
export class WriteRefused extends Error {
  override readonly name = "WriteRefused";
  /** There is no room, as opposed to a disk that fails. */
  readonly isFull: boolean;

  constructor(message: string, isFull: boolean) {
    super(message);
    this.isFull = isFull;
  }
}

/** Where changes become durable. */
export interface Journal {
  /** All rows or none; durable when it returns. @throws {@link WriteRefused}; anything else ends the store */
  write(rows: readonly JournalRow[], revision: number): void;
  /** The text last written under a key; undefined when there is none. @throws when the disk refuses */
  read(table: TableName, key: StorageKey): string | undefined;
  /** The texts under the first `limit` keys from `first` to `last`. @throws when the disk refuses */
  readRange(table: TableName, first: StorageKey, last: StorageKey, limit: number): ReadonlyMap<StorageKey, string>;
  /** Looks at the files now: set while every write is refused because one of them is gone or is another one. */
  detached(): DetachedJournal | undefined;
  /** Lets further changes gather before they are written together, where a write is expensive. */
  gather(): Promise<void>;
  close(): void;
}

/** What a journal held when it was opened. */
export interface JournalContent {
  readonly revision: number;
  readonly rows: Iterable<{
    readonly table: TableName;
    readonly key: StorageKey;
    readonly object: KubeObject;
    readonly text: string;
  }>;
}
