import { resolve } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { TextError } from "@purser/kubernetes/text/problem";
import { HeldFiles } from "./held-files.ts";
import type { Journal, JournalContent, JournalRow } from "./journal.ts";
import { WriteRefused } from "./journal.ts";
import { ObjectStore } from "./object-store.ts";
import { createOrInspect, identityOf, loadSqlite, markClosed, numberOf, prepare } from "./sqlite-file.ts";
import type { DetachedJournal, Storage, StorageProblem } from "./storage.ts";
import { readObject } from "./version.ts";

export interface SqliteOptions {
  /** Survives power loss too: every group of changes is synced to the disk. Off: survives only the process. */
  readonly durable?: boolean;
}

/**
 * Opens or creates the journal file, holds an exclusive lock on it until closed, and reads it into memory.
 * A file that cannot be read is left as it is.
 */
export async function openSqliteStorage(
  file: string,
  options: SqliteOptions = {},
): Promise<Result<Storage, StorageProblem>> {
  const sqlite = loadSqlite();
  try {
    const refused = createOrInspect(sqlite, file);
    if (refused !== undefined) return failed(refused);
    const database = new sqlite.DatabaseSync(file);
    try {
      prepare(database, options.durable === true);
      const files = new HeldFiles(resolve(file), identityOf(database));
      return done(new ObjectStore(readContent(database), new SqliteJournal(database, files)));
    } catch (problem) {
      database.close();
      throw problem;
    }
  } catch (problem) {
    return failed(storageProblem(file, problem));
  }
}

function readContent(database: DatabaseSync): JournalContent {
  const last = numberOf(database.prepare("SELECT last FROM revision").get()?.["last"]);
  return { revision: last, rows: readRows(database) };
}

/** One by one, so that the whole content is never in memory. */
function* readRows(database: DatabaseSync): JournalContent["rows"] & Generator {
  for (const row of database.prepare("SELECT kind, key, json FROM object ORDER BY kind, key").iterate()) {
    const [table, key, text] = [String(row["kind"]), String(row["key"]), String(row["json"])];
    yield { table, key, object: objectOf(table, key, text), text };
  }
}

function objectOf(table: string, key: string, text: string): KubeObject {
  try {
    const object = readObject(text);
    if (object !== undefined) return object;
  } catch (problem) {
    if (!(problem instanceof TextError)) throw problem;
  }
  throw new DamagedRow(`${table} ${key} is no Kubernetes object`);
}

class DamagedRow extends Error {}

class SqliteJournal implements Journal {
  readonly #database: DatabaseSync;
  readonly #files: HeldFiles;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #last: StatementSync;
  readonly #get: StatementSync;
  readonly #range: StatementSync;

  constructor(database: DatabaseSync, files: HeldFiles) {
    this.#database = database;
    this.#files = files;
    this.#begin = database.prepare("BEGIN");
    this.#commit = database.prepare("COMMIT");
    this.#put = database.prepare("INSERT INTO object VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET json = excluded.json");
    this.#remove = database.prepare("DELETE FROM object WHERE kind = ? AND key = ?");
    this.#get = database.prepare("SELECT json FROM object WHERE kind = ? AND key = ?");
    this.#range = database.prepare(
      "SELECT key, json FROM object WHERE kind = ? AND key BETWEEN ? AND ? ORDER BY key LIMIT ?",
    );
    this.#range.setReturnArrays(true);
    this.#last = database.prepare("UPDATE revision SET last = ?");
  }

  write(rows: readonly JournalRow[], revision: number): void {
    try {
      this.#begin.run();
      for (const { table, key, text } of rows)
        if (text === undefined) this.#remove.run(table, key);
        else this.#put.run(table, key, text);
      this.#last.run(revision);
      this.#refuseDetached();
      this.#commit.run();
    } catch (problem) {
      // If a transaction cannot be rolled back, the error ends the store.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw refusal(problem);
    }
    // Checked after the commit: a change written to a removed file must not be acknowledged, and cannot be reverted any
    // more.
    const detached = this.#files.detached();
    if (detached !== undefined) throw new Error(wordsOf(detached));
  }

  #refuseDetached(): void {
    const detached = this.#files.detached();
    if (detached !== undefined) throw new WriteRefused(wordsOf(detached), false);
  }

  detached(): DetachedJournal | undefined {
    return this.#files.detached();
  }

  read(table: string, key: string): string | undefined {
    const row = this.#get.get(table, key);
    return row === undefined ? undefined : String(row["json"]);
  }

  readRange(table: string, first: string, last: string, limit: number): ReadonlyMap<string, string> {
    const rows = this.#range.all(table, first, last, limit) as unknown as [string, string][];
    return new Map(rows);
  }

  /** Changes of this turn are written together: with eight clients that halves the time, synced or not. */
  gather(): Promise<void> {
    return nextTurn();
  }

  close(): void {
    markClosed(this.#database);
    // SQLite checks too: it deletes no log at a path whose database is another file by now.
    this.#database.close();
    this.#files.close();
  }
}

const wordsOf = ({ message, remedy }: DetachedJournal): string => `${message}: ${remedy}`;

/** Errors of a full, failing or read-only disk become a {@link WriteRefused}: the next write may succeed. */
function refusal(problem: unknown): unknown {
  const code = resultCode(problem);
  if (!(problem instanceof Error) || !refusals.has(code)) return problem;
  return new WriteRefused(problem.message, code === full);
}

function resultCode(problem: unknown): number {
  return problem instanceof Error && "errcode" in problem ? numberOf(problem.errcode) & 0xff : 0;
}

/** SQLite's primary result codes. */
const busy = 5;
const locked = 6;
const corrupt = 11;
const notADatabase = 26;
const readOnly = 8;
const inputOutput = 10;
const full = 13;
const cannotOpen = 14;
const refusals: ReadonlySet<number> = new Set([busy, readOnly, inputOutput, full, cannotOpen]);

function storageProblem(file: string, problem: unknown): StorageProblem {
  const message = problem instanceof Error ? problem.message : String(problem);
  const code = resultCode(problem);
  if (code === busy || code === locked)
    return { kind: "locked", file, message: "another process has this data directory open" };
  if (code === corrupt || code === notADatabase || problem instanceof SyntaxError || problem instanceof DamagedRow)
    return { kind: "damaged", file, message };
  // Opening writes a little too, so a full disk may be reported with another code.
  const isDisk = code === full || code === inputOutput;
  return { kind: "unreadable", file, message: isDisk ? `${message}: is there room on the disk?` : message };
}
