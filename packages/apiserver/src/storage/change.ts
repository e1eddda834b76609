import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { StorageKey, StoredChange, StoredVersion, TableName } from "./storage.ts";

/** A change whose objects are parsed lazily. */
export class Change<Held extends StoredVersion = StoredVersion> implements StoredChange {
  readonly revision: number;
  readonly table: TableName;
  readonly key: StorageKey;
  readonly versionBefore: Held | undefined;
  readonly versionAfter: Held | undefined;
  readonly versionShown: Held;

  constructor(revision: number, table: TableName, before: Held | undefined, after: Held | undefined, shown: Held) {
    this.revision = revision;
    this.table = table;
    this.key = shown.key;
    this.versionBefore = before;
    this.versionAfter = after;
    this.versionShown = shown;
  }

  get before(): KubeObject | undefined {
    return this.versionBefore?.passing;
  }

  get after(): KubeObject | undefined {
    return this.versionAfter?.passing;
  }

  get shown(): KubeObject {
    return this.versionShown.passing;
  }
}

/** An existing object as a change, for a consumer that starts to follow its table. */
export function presentAsChange(table: TableName, revision: number, version: StoredVersion): StoredChange {
  return new Change(revision, table, undefined, version, version);
}
