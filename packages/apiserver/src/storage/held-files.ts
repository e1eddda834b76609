import { type BigIntStats, closeSync, openSync, readSync, statSync } from "node:fs";
import type { DetachedJournal } from "./storage.ts";

interface Held {
  readonly path: string;
  readonly remedy: string;
  stat: BigIntStats;
}

/** First bytes of a SQLite file, and where its `application_id` is, with the most significant byte first. */
const magic = "SQLite format 3\0";
const identityAt = 68;

/**
 * Detects that the journal's files were removed, replaced or overwritten since they were opened: writes to them would be
 * lost. A `stat` of both and the header take some 10 microseconds, so every write can check. The descriptor stays open
 * until {@link close}, because closing any descriptor of a file drops SQLite's lock on it.
 */
export class HeldFiles {
  readonly #database: Held;
  readonly #log: Held;
  readonly #descriptor: number;
  readonly #header = Buffer.alloc(identityAt + 4);
  /** Where the last checkpoint failed, the file has the former one until the next. */
  readonly #identities: ReadonlySet<number>;

  /**
   * @param identity `application_id` of the database
   * @throws the system's error when one of the files does not exist
   */
  constructor(database: string, identity: number) {
    this.#database = {
      path: database,
      remedy:
        "put it back where it was; or save the objects (kubectl get -o yaml: reads are still served), stop purser and start it again",
      stat: statSync(database, { bigint: true }),
    };
    this.#log = {
      path: `${database}-wal`,
      remedy: `stop purser: as it ends it moves what was written into "${database}"; then start it again`,
      stat: statSync(`${database}-wal`, { bigint: true }),
    };
    this.#descriptor = openSync(database, "r");
    this.#identities = new Set([identity, this.#readIdentity() ?? identity]);
  }

  /**
   * Undefined when both files are those that were opened, have not been truncated (SQLite truncates neither while it is
   * open), and the database still begins as it did.
   */
  detached(): DetachedJournal | undefined {
    for (const held of [this.#database, this.#log]) {
      const what = whatHappened(held);
      if (what !== undefined) return { file: held.path, message: `"${held.path}" ${what}`, remedy: held.remedy };
    }
    const { path, remedy } = this.#database;
    const found = this.#readIdentity();
    if (found !== undefined && this.#identities.has(found)) return undefined;
    return { file: path, message: `"${path}" was overwritten by another program`, remedy };
  }

  /** Call it when the database is closed. */
  close(): void {
    closeSync(this.#descriptor);
  }

  /** Undefined when this is no SQLite file any more. */
  #readIdentity(): number | undefined {
    readSync(this.#descriptor, this.#header, { position: 0 });
    const begins = this.#header.toString("latin1", 0, magic.length) === magic;
    return begins ? this.#header.readInt32BE(identityAt) : undefined;
  }
}

/** What happened to a file; records its current size when nothing did. */
function whatHappened(held: Held): string | undefined {
  let now: BigIntStats | undefined;
  try {
    now = statSync(held.path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    return `cannot be reached (${error instanceof Error ? error.message : String(error)})`;
  }
  if (now === undefined) return "was removed";
  if (now.ino !== held.stat.ino || now.dev !== held.stat.dev) return "was replaced by another file";
  if (now.size < held.stat.size) return "was cut off";
  held.stat = now;
  return undefined;
}
