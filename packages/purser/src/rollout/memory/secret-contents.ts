import type { Secret } from "@purser/kubernetes/apis/core";
import type { ObjectMeta } from "@purser/kubernetes/apis/object";
import type { Clock } from "@purser/kubernetes/clock";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { knownMs } from "./known-members.ts";

/** Characters of Secret data whose objects are cached; above that the least recently used Secrets are evicted. */
const capacity = 8 * 2 ** 20;

/** Revisions whose annotations are remembered. */
const mostRevisions = 10_000;

type Objects = Map<string, Result<JsonObject, string>>;

interface Kept {
  readonly name: string;
  /** Without its data. */
  readonly secret: Secret;
  readonly size: number;
  readonly objects: Objects;
  /** By the monotonic clock. */
  readAt?: number;
}

/**
 * Caches the objects in immutable Secrets, by key, over the passes of a rollout, so that megabytes are parsed, hashed and
 * compared once. A Secret that was created again under the same name has an entry of its own.
 */
export class SecretContents {
  readonly #kept = new Map<string, Kept>();
  readonly #clock: Pick<Clock, "monotonic"> | undefined;
  readonly #annotations = new Map<string, string>();
  #size = 0;

  /** @param clock absent: no read is recent */
  constructor(clock?: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Notes when an immutable Secret was read last, and returns it. */
  noted(secret: Secret | undefined): Secret | undefined {
    const { uid, resourceVersion } = secret?.metadata ?? {};
    if (secret?.immutable !== true || uid === undefined || resourceVersion === undefined) return secret;
    this.of(secret);
    const state = `${uid} ${resourceVersion}`;
    const kept = this.#kept.get(state);
    if (kept === undefined || this.#clock === undefined) return secret;
    kept.readAt = this.#clock.monotonic();
    // It was deleted and created again.
    for (const [other, { name }] of this.#kept) if (name === kept.name && other !== state) this.#drop(other);
    return secret;
  }

  /** The Secret `namespace/name` without its data, when it was read in the last minutes and the objects of all `keys` are known. */
  recent(name: string, keys: readonly string[]): Secret | undefined {
    const now = this.#clock?.monotonic() ?? 0;
    for (const kept of this.#kept.values()) {
      if (kept.name !== name || kept.readAt === undefined || now - kept.readAt >= knownMs) continue;
      if (keys.every((key) => kept.objects.has(key))) return kept.secret;
    }
    return undefined;
  }

  /** Whether a revision has the annotations that were noted last: a change asks for a pass that reads everything. */
  hasSameAnnotations({ uid = "", annotations = {} }: ObjectMeta): boolean {
    const before = this.#annotations.get(uid);
    return before === undefined || before === JSON.stringify(annotations);
  }

  /** Call when all Secrets of the revision were read for its annotations: a pass that failed before has to read them again. */
  noteAnnotations({ uid = "", annotations = {} }: ObjectMeta): void {
    this.#annotations.delete(uid);
    this.#annotations.set(uid, JSON.stringify(annotations));
    const [oldest = ""] = this.#annotations.keys();
    if (this.#annotations.size > mostRevisions) this.#annotations.delete(oldest);
  }

  /** The objects read from this Secret so far, to which the caller adds. Not cached for a Secret without uid or resourceVersion. */
  of({ metadata, data = {} }: Secret): Objects {
    const { uid, resourceVersion, namespace = "", name = "" } = metadata;
    if (uid === undefined || resourceVersion === undefined) return new Map();
    const state = `${uid} ${resourceVersion}`;
    const known = this.#kept.get(state);
    this.#drop(state);
    const entry: Kept = known ?? {
      name: `${namespace}/${name}`,
      secret: {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { uid, resourceVersion, namespace, name },
        immutable: true,
      },
      size: Object.values(data).reduce((sum, text) => sum + text.length, 0),
      objects: new Map(),
    };
    this.#kept.set(state, entry);
    this.#size += entry.size;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= capacity) break;
      this.#drop(oldest);
    }
    return entry.objects;
  }

  /** Evicts the Secrets with these names (`namespace/name`), when their rollout has ended. */
  forget(names: ReadonlySet<string>): void {
    for (const [state, { name }] of this.#kept) if (names.has(name)) this.#drop(state);
  }

  #drop(state: string): void {
    this.#size -= this.#kept.get(state)?.size ?? 0;
    this.#kept.delete(state);
  }
}
