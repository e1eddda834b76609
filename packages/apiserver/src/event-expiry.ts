import type { KubeObject } from "@purser/kubernetes/apis/object";
import { events } from "@purser/kubernetes/apis/resources";
import { groupResource } from "@purser/kubernetes/apis/resource-type";
import type { Clock } from "@purser/kubernetes/clock";
import type { Storage, StorageKey } from "./storage/storage.ts";

/** How long an event stays after it was written last, in milliseconds: the default of `--event-ttl`. */
const keptMs = 60 * 60_000;
const table = groupResource(events);

/**
 * Deletes events an hour after they were written last, until `signal` aborts. As with etcd leases in kube-apiserver,
 * neither admission nor finalizers apply, and watchers receive `DELETED`.
 */
export function expireEvents(storage: Storage, clock: Clock, signal: AbortSignal): void {
  // Every write moves an event to the end, so the first one always expires next.
  const due = new Map<StorageKey, number>();
  let isWaiting = false;

  const touch = (key: StorageKey, writtenMs: number): void => {
    due.delete(key);
    due.set(key, writtenMs + keptMs);
  };

  const wait = (): void => {
    const [first] = due.values();
    if (isWaiting || first === undefined) return;
    isWaiting = true;
    clock.sleep(first - clock.now(), signal).then(
      () => {
        isWaiting = false;
        forget();
        wait();
      },
      () => undefined,
    );
  };

  const forget = (): void => {
    for (const [key, dueMs] of due) {
      if (dueMs > clock.now()) return;
      due.delete(key);
      storage.remove(table, key);
    }
  };

  // A deletion that the disk refused is retried after another full period.
  storage.takenBack((where, key) => {
    if (where !== table || storage.version(table, key) === undefined) return;
    touch(key, clock.now());
    wait();
  });
  storage.feed(table, storage.published(), ({ key, versionAfter }) => {
    if (versionAfter === undefined) due.delete(key);
    else touch(key, clock.now());
    wait();
  });
  const held = storage.scan(table);
  const present = (held.ok ? held.value : []).map(({ key, passing }) => ({ key, at: writtenAt(passing, clock.now()) }));
  for (const { key, at } of present.toSorted((a, b) => a.at - b.at)) touch(key, at);
  wait();
}

/** When an event that was there before this process was written last; never later than `nowMs`. */
function writtenAt({ metadata: { creationTimestamp, managedFields = [] } }: KubeObject, nowMs: number): number {
  const times = [creationTimestamp, ...managedFields.map(({ time }) => time)].map((time) => Date.parse(time ?? ""));
  return Math.min(nowMs, Math.max(...times.filter((time) => !Number.isNaN(time))));
}
