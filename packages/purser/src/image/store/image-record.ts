import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What is known of a stored image; lies beside its `root`, and without it there is no image. */
export interface ImageRecord {
  readonly labels: Readonly<Record<string, string>>;
  /** Elements of the path below `root`. */
  readonly directory: readonly string[];
  /** Of all its files. */
  readonly bytes: number;
}

export const recordName = "image.json";

/** The file is read-only and not yet on disk. @throws the system's error */
export function writeRecord(directory: string, record: ImageRecord): void {
  writeFileSync(join(directory, recordName), JSON.stringify(record), { mode: 0o400, flag: "wx" });
}

/** Undefined when the directory is no stored image or cannot be read. */
export function readRecord(directory: string): ImageRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(join(directory, recordName), "utf8")) as ImageRecord;
    return Array.isArray(record.directory) ? record : undefined;
  } catch {
    return undefined;
  }
}
