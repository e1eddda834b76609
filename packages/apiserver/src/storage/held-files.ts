import { type BigIntStats, statSync } from "node:fs";
import type { DetachedJournal } from "./storage.ts";

interface Held {
  readonly path: string;
  readonly remedy: string;
  stat: BigIntStats;
}

/**
 * Detects that the journal's files were removed or replaced since they were opened: writes to them would be lost. A
 * `stat` of both takes some 10 microseconds, so every write can check. Files are never opened here, because closing any
 * descriptor of a file would drop SQLite's lock on it.
 */
export class HeldFiles {
  readonly #database: Held;
  readonly #log: Held;

  /** @throws the system's error when one of the files does not exist */
  constructor(database: string) {
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
  }

  /**
   * Undefined when both files are those that were opened and have not been truncated; SQLite truncates neither while it
   * is open.
   */
  detached(): DetachedJournal | undefined {
    for (const held of [this.#database, this.#log]) {
      const what = whatHappened(held);
      if (what !== undefined) return { file: held.path, message: `"${held.path}" ${what}`, remedy: held.remedy };
    }
    return undefined;
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
