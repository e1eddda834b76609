import type { Clock } from "@purser/kubernetes/clock";
import { formatTime } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import { formatKey } from "@purser/kubernetes/apis/object";
import type { Admission } from "./admission/admission.ts";
import type { ObjectView, WriteContext } from "./kinds/built-in-kind.ts";
import type { Registry } from "./registry/registry.ts";
import { tableOf } from "./registry/served-kind.ts";
import type { WatchBacklog } from "./resource/watches/watch-backlog.ts";
import type { Storage } from "./storage/storage.ts";

/** What every verb works with. */
export interface Machinery {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly storage: Storage;
  readonly admission: Admission;
  /** PEM of the authority that pods trust. */
  readonly rootAuthority: string;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
  /** What waits for watchers. */
  readonly backlog: WatchBacklog;
  /** What is served at this moment. */
  registry(): Registry;
  /** Must be called after every stored change of a definition: what follows from it happens in the same turn. */
  definitionChanged(name: string): void;
}

export function viewOf(storage: Storage): ObjectView {
  const rangeOf = (namespace: string | undefined) => (namespace === undefined ? {} : { namespace });
  return {
    get: (type, key) => storage.get(tableOf(type), formatKey(key)),
    list: (type, namespace) => {
      const found = storage.list(tableOf(type), rangeOf(namespace));
      return found.ok ? found.value : [];
    },
    unread: (type, namespace) => {
      const found = storage.scan(tableOf(type), rangeOf(namespace));
      return found.ok ? found.value : [];
    },
  };
}

export function writeContext(machinery: Machinery, dryRun: boolean): WriteContext {
  const { clock, entropy, storage, rootAuthority } = machinery;
  return { now: formatTime(clock.now()), entropy, view: viewOf(storage), dryRun, rootAuthority };
}
