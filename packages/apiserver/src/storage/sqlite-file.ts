import { randomInt } from "node:crypto";
import { closeSync, existsSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Sqlite from "node:sqlite";
import type { DatabaseSync } from "node:sqlite";
import type { StorageProblem } from "./storage.ts";

/** `PRAGMA user_version` of the files that this program writes. */
const format = 2;
/** Pages in the write-ahead log (16 MiB) before a checkpoint, which takes two syncs. */
const checkpointPages = 4096;

const schema = `
  CREATE TABLE IF NOT EXISTS object (
    kind TEXT NOT NULL, key TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (kind, key));
  CREATE TABLE IF NOT EXISTS revision (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), last INTEGER);
  INSERT OR IGNORE INTO revision VALUES (1, 0);
  CREATE TABLE IF NOT EXISTS session (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), is_open INTEGER);
  PRAGMA user_version = ${format};`;

export type SqliteModule = typeof Sqlite;

/** Loaded on first use, without the warning that Node 22 prints: the API we use is stable in Node 24. */
export function loadSqlite(): SqliteModule {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (() => undefined) as typeof process.emitWarning;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * Creates the file when it does not exist, readable by its owner only (it contains Secrets); otherwise checks without
 * changing it that it is ours, undamaged, complete and not locked.
 * @throws errors of the system or SQLite
 */
export function createOrInspect(sqlite: SqliteModule, file: string): StorageProblem | undefined {
  const lost = (message: string): StorageProblem => ({ kind: "lost", file, message });
  const hasLog = bytesOf(`${file}-wal`) > 0;
  if (!existsSync(file)) {
    if (hasLog) return lost(`the file is missing, its write-ahead log "${file}-wal" is there`);
    create(sqlite, file);
    return undefined;
  }
  // SQLite would treat it as a new database and delete the log.
  if (bytesOf(file) === 0) return lost("the file has 0 bytes");
  const problem = inspect(sqlite, file, hasLog);
  return problem === "logMissing"
    ? lost(
        `the last purser was killed, and the write-ahead log "${file}-wal" with its last changes was removed or emptied since`,
      )
    : problem;
}

/** The file is renamed to its name when it is complete: a file of 0 bytes is never ours. */
function create(sqlite: SqliteModule, file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
  closeSync(openSync(draft, "wx", 0o600));
  try {
    const database = new sqlite.DatabaseSync(draft);
    try {
      database.exec(`BEGIN; ${schema} COMMIT`);
    } finally {
      database.close();
    }
    publish(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** If another process was faster, its file is kept. */
function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (existsSync(file)) return;
    // Not every file system supports links.
    if (!(error instanceof Error)) throw error;
    renameSync(draft, file);
  }
}

function inspect(sqlite: SqliteModule, file: string, hasLog: boolean): StorageProblem | "logMissing" | undefined {
  const location = pathToFileURL(file);
  // Without a log only the file is read: SQLite would create an empty log and leave it.
  if (!hasLog) location.searchParams.set("immutable", "1");
  const database = new sqlite.DatabaseSync(location, { readOnly: true });
  try {
    const version = numberOf(database.prepare("PRAGMA user_version").get()?.["user_version"]);
    if (version > format)
      return {
        kind: "unknownFormat",
        file,
        message: `format ${version} is newer than ${format}, which this program writes`,
      };
    const damaged = (message: string): StorageProblem => ({ kind: "damaged", file, message });
    if (version < 1) return damaged("it is a SQLite database of another program");
    const found = database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
    if (found !== "ok") return damaged(String(found));
    // Missing tables would be created, and a new cluster begin in the place of the old one.
    const missing = ["object", "revision"].find((name) => !hasTable(database, name));
    if (missing !== undefined) return damaged(`its table "${missing}" is missing`);
    const last = database.prepare("SELECT last FROM revision").get()?.["last"];
    if (last === undefined) return damaged("its revision is missing");
    if (numberOf(last) > 0 && database.prepare("SELECT 1 FROM object LIMIT 1").get() === undefined)
      return damaged("all its objects are missing");
    return hasLog || !wasOpen(database) ? undefined : "logMissing";
  } finally {
    database.close();
  }
}

function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

function wasOpen(database: DatabaseSync): boolean {
  return (
    hasTable(database, "session") && numberOf(database.prepare("SELECT is_open FROM session").get()?.["is_open"]) === 1
  );
}

/**
 * Locks the file and prepares it for writes.
 * @throws errors of SQLite
 */
export function prepare(database: DatabaseSync, durable: boolean): void {
  database.exec("PRAGMA locking_mode = EXCLUSIVE");
  database.exec("PRAGMA journal_mode = WAL");
  database.exec(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}`);
  database.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
  database.exec("BEGIN EXCLUSIVE");
  const found = numberOf(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  // Format 1 kept whole objects in the index, which costs twice the pages per write.
  if (found === 1) database.exec("ALTER TABLE object RENAME TO object_of_format_1");
  database.exec(schema);
  if (found === 1) {
    database.exec("INSERT INTO object SELECT kind, key, json FROM object_of_format_1");
    database.exec("DROP TABLE object_of_format_1");
  }
  database.exec("INSERT OR REPLACE INTO session VALUES (1, 1)");
  // Tells this file from that of another cluster.
  if (identityOf(database) === 0) database.exec(`PRAGMA application_id = ${randomInt(1, 2 ** 31)}`);
  database.exec("COMMIT");
  try {
    // From now on the mark is in the file itself and the log exists: a marked file without a log has lost changes.
    database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  } catch {
    // On a full disk the mark stays in the log, and a later removal of the log is not detected.
  }
}

/** A number in the header of the file; 0 before {@link prepare}. */
export function identityOf(database: DatabaseSync): number {
  return numberOf(database.prepare("PRAGMA application_id").get()?.["application_id"]);
}

/** Removes the mark of {@link prepare}; call it right before the database is closed. Never throws. */
export function markClosed(database: DatabaseSync): void {
  const mark = (): void => database.exec("UPDATE session SET is_open = 0");
  try {
    mark();
  } catch {
    try {
      // On a full disk the log cannot grow, but is reused from its start after a checkpoint.
      database.exec("PRAGMA wal_checkpoint(PASSIVE)");
      mark();
    } catch {
      // Then the checkpoint fails, too, and the log remains.
    }
  }
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

export function numberOf(value: unknown): number {
  return typeof value === "number" ? value : Number(value ?? 0);
}
