import type { KubeObject } from "../../apis/object.ts";
import type { Result } from "../../result.ts";
import { done, failed } from "../../result.ts";
import { History } from "./history.ts";
import type { Journal, JournalContent, JournalRow } from "./journal.ts";
import { WriteRefused } from "./journal.ts";
import type { Feed, HistoryProblem, ListRange, Storage, StorageKey, StoredChange, TableName } from "./storage.ts";
import { Table } from "./table.ts";

/** Changes kept per table for watches that resume and for exact lists. */
const historyCapacity = 2048;

interface TableState {
  readonly objects: Table;
  readonly history: History;
  readonly listeners: Set<(change: StoredChange) => void>;
  revision: number;
}

interface Flush {
  readonly promise: Promise<void>;
  readonly settle: (problem?: Error) => void;
}

/** Memory is the read path; a journal, when there is one, is written in groups before anything is acknowledged. */
export class ObjectStore implements Storage {
  readonly #tables = new Map<TableName, TableState>();
  readonly #journal: Journal | undefined;
  /** Nothing before this revision was ever kept here. */
  readonly #start: number;
  /** The last revision given to a change, taken back or not: none is given twice. */
  #given: number;
  #revision: number;
  #published: number;
  /** Compacted up to here, for tables that come later too. */
  #compacted = 0;
  #pending: StoredChange[] = [];
  #flush: Flush | undefined;
  #broken: Error | undefined;
  /** What the disk said last when it refused. */
  #refused: WriteRefused | undefined;
  #refusals = 0;
  readonly #onTakenBack: ((table: TableName, key: StorageKey) => void)[] = [];

  constructor(content: JournalContent, journal?: Journal) {
    this.#start = content.revision;
    this.#given = content.revision;
    this.#revision = content.revision;
    this.#published = content.revision;
    this.#journal = journal;
    for (const { table, key, object } of content.rows) this.#state(table).objects.put(key, object);
  }

  revision(): number {
    return this.#revision;
  }

  published(): number {
    return this.#published;
  }

  tableRevision(table: TableName): number {
    return this.#tables.get(table)?.revision ?? this.#start;
  }

  get(table: TableName, key: StorageKey): KubeObject | undefined {
    return this.#tables.get(table)?.objects.get(key);
  }

  list(table: TableName, range: ListRange = {}): Result<readonly KubeObject[], HistoryProblem> {
    const { at, namespace, after } = range;
    if (at !== undefined && at < this.#compacted) return failed({ kind: "compacted", oldest: this.#compacted });
    if (at === undefined || at >= this.tableRevision(table))
      return done(this.#tables.get(table)?.objects.list(namespace, after) ?? []);
    const oldest = this.oldest(table);
    if (at < oldest) return failed({ kind: "compacted", oldest });
    return done(this.#stateAt(table, at).list(namespace, after));
  }

  count(table: TableName): number {
    return this.#tables.get(table)?.objects.size ?? 0;
  }

  tables(): readonly TableName[] {
    return [...this.#tables].filter(([, { objects }]) => objects.size > 0).map(([name]) => name);
  }

  put(table: TableName, key: StorageKey, object: KubeObject): KubeObject {
    const state = this.#writable(table);
    const revision = this.#next();
    const stored = stamped(object, revision);
    this.#record(state, { revision, table, key, before: state.objects.get(key), after: stored, shown: stored });
    state.objects.put(key, stored);
    return stored;
  }

  remove(table: TableName, key: StorageKey, final?: KubeObject): KubeObject | undefined {
    const state = this.#writable(table);
    const before = state.objects.get(key);
    if (before === undefined) return undefined;
    const revision = this.#next();
    const shown = stamped(final ?? before, revision);
    this.#record(state, { revision, table, key, before, after: undefined, shown });
    state.objects.remove(key);
    return shown;
  }

  takenBack(onTakenBack: (table: TableName, key: StorageKey) => void): void {
    this.#onTakenBack.push(onTakenBack);
  }

  refusals(): number {
    return this.#refusals;
  }

  durable(refusals = this.#refusals): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    if (this.#refused !== undefined && this.#refusals > refusals) return Promise.reject(this.#refused);
    return this.#flush?.promise ?? Promise.resolve();
  }

  feed(table: TableName, revision: number, onChange: (change: StoredChange) => void): Result<Feed, HistoryProblem> {
    const state = this.#state(table);
    const oldest = this.oldest(table);
    if (revision < oldest) return failed({ kind: "compacted", oldest });
    const listener = (change: StoredChange): void => {
      if (change.revision > revision) onChange(change);
    };
    for (const change of state.history.after(revision)) if (change.revision <= this.#published) onChange(change);
    state.listeners.add(listener);
    return done({ close: () => void state.listeners.delete(listener) });
  }

  oldest(table: TableName): number {
    return this.#tables.get(table)?.history.forgotten ?? Math.max(this.#start, this.#compacted);
  }

  compact(revision: number): void {
    this.#compacted = Math.max(this.#compacted, Math.min(revision, this.#published));
    for (const { history } of this.#tables.values()) history.forget(this.#compacted);
  }

  fork(): Storage {
    const rows = function* (
      tables: ReadonlyMap<TableName, TableState>,
    ): Generator<JournalRow & { object: KubeObject }> {
      for (const [table, { objects }] of tables)
        for (const [key, object] of objects.entries()) yield { table, key, object };
    };
    return new ObjectStore({ revision: this.#revision, rows: rows(this.#tables) });
  }

  async close(): Promise<void> {
    await this.durable().catch(() => undefined);
    this.#broken ??= new Error("the object store is closed");
    this.#journal?.close();
  }

  #state(table: TableName): TableState {
    let state = this.#tables.get(table);
    if (state === undefined) {
      state = {
        objects: new Table(),
        history: new History(historyCapacity, Math.max(this.#start, this.#compacted)),
        listeners: new Set(),
        revision: this.#start,
      };
      this.#tables.set(table, state);
    }
    return state;
  }

  #next(): number {
    this.#given++;
    this.#revision = this.#given;
    return this.#given;
  }

  #writable(table: TableName): TableState {
    if (this.#broken !== undefined) throw this.#broken;
    return this.#state(table);
  }

  /** The table as it was: today's content with the later changes taken back, newest first. */
  #stateAt(table: TableName, revision: number): Table {
    const state = this.#state(table);
    const past = new Table(state.objects);
    for (const { key, before } of state.history.after(revision).toReversed())
      if (before === undefined) past.remove(key);
      else past.put(key, before);
    return past;
  }

  #record(state: TableState, change: StoredChange): void {
    state.revision = change.revision;
    state.history.add(change);
    this.#pending.push(change);
    if (this.#flush !== undefined) return;
    const flush = newFlush();
    this.#flush = flush;
    void (this.#journal?.gather() ?? Promise.resolve()).then(() => this.#publish(flush));
  }

  #publish(flush: Flush): void {
    const changes = this.#pending;
    this.#pending = [];
    this.#flush = undefined;
    const revision = changes.at(-1)?.revision ?? this.#published;
    try {
      this.#journal?.write(
        changes.map(({ table, key, after }) => ({ table, key, object: after })),
        revision,
      );
    } catch (problem) {
      const why = problem instanceof Error ? problem : new Error(String(problem));
      if (why instanceof WriteRefused) this.#takeBack(changes, why);
      else this.#broken = why;
      flush.settle(why);
      return;
    }
    this.#published = revision;
    for (const change of changes)
      for (const listener of this.#tables.get(change.table)?.listeners ?? []) listener(change);
    flush.settle();
  }

  /** Nobody was told of these changes: whoever answers waits for the disk first. */
  #takeBack(changes: readonly StoredChange[], problem: WriteRefused): void {
    this.#refused = problem;
    this.#refusals++;
    for (const { table, key, before } of changes.toReversed()) {
      const state = this.#state(table);
      if (before === undefined) state.objects.remove(key);
      else state.objects.put(key, before);
      state.history.takeBack(this.#published);
      // What was derived from the state in between is of another revision.
      state.revision = ++this.#given;
    }
    this.#revision = this.#published;
    for (const { table, key } of changes) for (const told of this.#onTakenBack) told(table, key);
  }
}

function stamped(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

function newFlush(): Flush {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => undefined);
  return { promise, settle: (problem) => (problem === undefined ? resolve() : reject(problem)) };
}

/** A store that lives as long as the process. */
export function memoryStorage(): Storage {
  return new ObjectStore({ revision: 0, rows: [] });
}
