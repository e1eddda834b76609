import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { Change } from "./change.ts";
import type { KeptChange } from "./history.ts";
import { History, HistoryRoom } from "./history.ts";
import { HotTrees, smallTable } from "./hot-trees.ts";
import type { Journal, JournalContent } from "./journal.ts";
import { WriteRefused } from "./journal.ts";
import type {
  DetachedJournal,
  Feed,
  HistoryProblem,
  ListRange,
  Storage,
  StorageKey,
  StoredChange,
  StoredVersion,
  TableName,
} from "./storage.ts";
import { Table } from "./table.ts";
import type { Shelf } from "./version.ts";
import { Version } from "./version.ts";
import type { WrittenObject } from "./written-object.ts";

/** Changes kept per table for watches that resume and for exact lists. */
const historyCapacity = 2048;
/** Characters of former states kept per table; with larger objects there are fewer changes. */
const historyText = 8 * 2 ** 20;
/** The same for all tables together, with some for each change itself. */
const historyTotal = 12 * 2 ** 20;
/** So much stays of what is old. */
const historyOld = 2 ** 20;

interface TableState {
  readonly objects: Table;
  readonly shelf: Shelf;
  readonly history: History;
  readonly listeners: Set<(change: StoredChange) => void>;
  revision: number;
}

interface Flush {
  readonly promise: Promise<void>;
  readonly settle: (problem?: Error) => void;
}

/**
 * Keys and labels are in memory, objects as texts: in the journal when there is one, otherwise in memory too. Trees exist
 * while they are in use. The journal is written in groups before anything is acknowledged.
 */
export class ObjectStore implements Storage {
  readonly #tables = new Map<TableName, TableState>();
  readonly #journal: Journal | undefined;
  readonly #trees = new HotTrees();
  readonly #room = new HistoryRoom(historyTotal);
  /** The history before this revision was never kept here. */
  readonly #start: number;
  /** The last revision given to a change, rolled back or not: none is given twice. */
  #given: number;
  #revision: number;
  #published: number;
  /** Compacted up to here, for tables that come later too. */
  #compacted = 0;
  #pending: KeptChange[] = [];
  #flush: Flush | undefined;
  #broken: Error | undefined;
  /** The last refusal of the disk. */
  #refused: WriteRefused | undefined;
  #refusals = 0;
  #forked = false;
  readonly #onTakenBack: ((table: TableName, key: StorageKey) => void)[] = [];

  constructor(content: JournalContent, journal?: Journal) {
    this.#start = content.revision;
    this.#given = content.revision;
    this.#revision = content.revision;
    this.#published = content.revision;
    this.#journal = journal;
    for (const { table, key, object, text } of content.rows) {
      const { objects, shelf } = this.#state(table);
      objects.put(Version.written(shelf, key, object, text));
    }
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
    return this.version(table, key)?.object;
  }

  version(table: TableName, key: StorageKey): StoredVersion | undefined {
    return this.#tables.get(table)?.objects.get(key);
  }

  list(table: TableName, range: ListRange = {}): Result<readonly KubeObject[], HistoryProblem> {
    const found = this.scan(table, range);
    return found.ok ? done(found.value.map(({ passing }) => passing)) : found;
  }

  scan(table: TableName, range: ListRange = {}): Result<readonly StoredVersion[], HistoryProblem> {
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

  put(table: TableName, key: StorageKey, object: KubeObject, written?: WrittenObject): KubeObject {
    const state = this.#writable(table);
    const revision = this.#next();
    const stored = stamped(object, revision);
    const text = written?.object === object ? written.textAt(String(revision)) : undefined;
    const version = this.#version(state, key, revision, stored, text);
    this.#record(state, table, this.#supersede(state, key), version, version);
    state.objects.put(version);
    return stored;
  }

  remove(table: TableName, key: StorageKey, final?: KubeObject): KubeObject | undefined {
    const state = this.#writable(table);
    const before = this.#supersede(state, key);
    if (before === undefined) return undefined;
    const revision = this.#next();
    const shown = stamped(final ?? before.object, revision);
    this.#record(state, table, before, undefined, this.#version(state, key, revision, shown));
    state.objects.remove(key);
    return shown;
  }

  takenBack(onTakenBack: (table: TableName, key: StorageKey) => void): void {
    this.#onTakenBack.push(onTakenBack);
  }

  refusals(): number {
    return this.#refusals;
  }

  detached(): DetachedJournal | undefined {
    return this.#journal?.detached();
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

  forgetFormer(revision: number): number {
    return this.#room.shrink(historyOld, Math.min(revision, this.#published));
  }

  fork(): Storage {
    const fork = new ObjectStore({ revision: this.#revision, rows: [] });
    for (const [table, { objects }] of this.#tables) fork.#hold(table, objects.share());
    this.#forked = true;
    return fork;
  }

  async close(): Promise<void> {
    await this.durable().catch(() => undefined);
    this.#broken ??= new Error("the object store is closed");
    // Forks read the same versions, which must not need the journal any more.
    if (this.#forked)
      for (const { objects } of this.#tables.values()) for (const version of objects.versions()) version.supersede();
    this.#journal?.close();
  }

  #state(table: TableName): TableState {
    return this.#tables.get(table) ?? this.#hold(table, new Table());
  }

  #hold(table: TableName, objects: Table): TableState {
    const state = {
      objects,
      shelf: this.#shelf(table, objects),
      history: new History(historyCapacity, historyText, Math.max(this.#start, this.#compacted), this.#room),
      listeners: new Set<(change: StoredChange) => void>(),
      revision: this.#start,
    };
    this.#tables.set(table, state);
    return state;
  }

  #shelf(table: TableName, objects: Table): Shelf {
    const journal = this.#journal;
    return {
      trees: this.#trees,
      get small() {
        return objects.length <= smallTable;
      },
      ...(journal === undefined
        ? {}
        : {
            read: (key) => journal.read(table, key),
            readRange: (first, last, limit) => journal.readRange(table, first, last, limit),
          }),
    };
  }

  #version(
    { shelf }: TableState,
    key: StorageKey,
    revision: number,
    tree: KubeObject,
    text = JSON.stringify(tree),
  ): Version {
    const version = new Version(shelf, key, revision, tree, text);
    this.#trees.use(version);
    return version;
  }

  /** The current version, made independent of the journal. */
  #supersede({ objects }: TableState, key: StorageKey): Version | undefined {
    const before = objects.get(key);
    before?.supersede();
    return before;
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
    for (const { key, versionBefore } of state.history.after(revision).toReversed())
      if (versionBefore === undefined) past.remove(key);
      else past.put(versionBefore);
    return past;
  }

  #record(
    state: TableState,
    table: TableName,
    before: Version | undefined,
    after: Version | undefined,
    shown: Version,
  ): void {
    const change = new Change(shown.revision, table, before, after, shown);
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
        changes.map(({ table, key, versionAfter }) => ({ table, key, text: versionAfter?.text })),
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
    for (const { table, key, versionAfter } of changes)
      if (versionAfter !== undefined && this.#tables.get(table)?.objects.get(key) === versionAfter)
        versionAfter.settle();
    for (const change of changes)
      for (const listener of this.#tables.get(change.table)?.listeners ?? []) listener(change);
    flush.settle();
  }

  /** Rolls back changes that no client has seen: every answer waits for the disk first. */
  #takeBack(changes: readonly KeptChange[], problem: WriteRefused): void {
    this.#refused = problem;
    this.#refusals++;
    for (const { table, key, versionBefore } of changes.toReversed()) {
      const state = this.#state(table);
      if (versionBefore === undefined) state.objects.remove(key);
      else state.objects.put(versionBefore);
      state.history.takeBack(this.#published);
      // What was derived from the state in between is of another revision.
      state.revision = ++this.#given;
    }
    for (const { table, key } of changes) this.#state(table).objects.get(key)?.settle();
    this.#revision = this.#published;
    for (const { table, key } of changes) for (const listener of this.#onTakenBack) listener(table, key);
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
