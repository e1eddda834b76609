import assert from "node:assert/strict";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { readEvents } from "@purser/kubernetes/kube/api-body";
import type { Transport, WatchEvent } from "@purser/kubernetes/kube/transport";

/** A notification of an informer about one object. */
export interface Notification {
  readonly kind: "add" | "update" | "delete";
  readonly name: string;
  readonly revision: number;
}

/** Events of the reflector itself. */
export interface ReflectorCounts {
  initial: number;
  resumed: number;
  forgotten: number;
  broken: number;
}

const initialEnd = "k8s.io/initial-events-end";

/**
 * Follows one collection like client-go's reflector since 0.35: a watch that streams the initial state, its bookmark,
 * then changes; resumes after a disconnect from the last revision; starts over when that has expired. Steps that would
 * break a client are assertions.
 */
export class Reflector {
  readonly counts: ReflectorCounts = { initial: 0, resumed: 0, forgotten: 0, broken: 0 };
  /** Changes since the latest full state, in order. */
  notifications: Notification[] = [];
  /** Revision of the latest full state. */
  since = 0;
  readonly store = new Map<string, KubeObject>();
  readonly #transport: Transport;
  readonly #path: string;
  #revision = 0;
  /** Whether it can resume: not at first, and not after its revision has expired. */
  #isCurrent = false;

  constructor(transport: Transport, path: string) {
    this.#transport = transport;
    this.#path = path;
  }

  /** The last revision received. */
  get revision(): number {
    return this.#revision;
  }

  /** Names and revisions of its objects, as text. */
  held(): readonly string[] {
    return [...this.store.values()].map(lineOf).toSorted();
  }

  /** One connection, from its request to its end; `signal` disconnects. */
  async connect(signal: AbortSignal): Promise<void> {
    const query = new URLSearchParams({ watch: "true", allowWatchBookmarks: "true", timeoutSeconds: "600" });
    const isInitial = !this.#isCurrent;
    if (isInitial) {
      query.set("sendInitialEvents", "true");
      query.set("resourceVersionMatch", "NotOlderThan");
    } else query.set("resourceVersion", String(this.#revision));
    try {
      const answer = await this.#transport({ method: "GET", path: this.#path, query, headers: {} }, signal);
      if (answer.status === 410) {
        this.#forget();
        return;
      }
      if (answer.status >= 500) throw new Error(`${answer.status}`);
      assert.equal(answer.status, 200, `a watch with ${query.toString()}`);
      await this.#follow(readEvents(answer.body), isInitial);
    } catch (problem) {
      if (problem instanceof assert.AssertionError) throw problem;
      this.counts.broken++;
    }
  }

  async #follow(events: AsyncIterable<WatchEvent>, isInitial: boolean): Promise<void> {
    let state: Map<string, KubeObject> | undefined = isInitial ? new Map() : undefined;
    if (!isInitial) this.counts.resumed++;
    for await (const { type, object } of events) {
      if (type === "ERROR") {
        const { code } = object as unknown as { readonly code?: number };
        assert.ok(code === 410 || (code ?? 0) >= 500, JSON.stringify(object));
        if (code === 410) this.#forget();
        return;
      }
      const revision = Number(object.metadata.resourceVersion);
      assert.ok(Number.isSafeInteger(revision) && revision > 0, `${type} without a revision`);
      if (state === undefined) this.#take(type, object, revision);
      else if (type === "BOOKMARK") {
        // Only the annotated bookmark marks the end of the initial state.
        if (object.metadata.annotations?.[initialEnd] !== "true") continue;
        this.#replace(state, revision);
        state = undefined;
      } else if (type === "DELETED") state.delete(object.metadata.name ?? "");
      else state.set(object.metadata.name ?? "", object);
    }
  }

  #forget(): void {
    this.counts.forgotten++;
    this.#isCurrent = false;
  }

  /** A full state may have any revision that is not older than the previous one. */
  #replace(state: ReadonlyMap<string, KubeObject>, revision: number): void {
    for (const object of state.values())
      assert.ok(
        Number(object.metadata.resourceVersion) <= revision,
        "an object of the state is newer than its bookmark",
      );
    for (const [name, { metadata }] of state) {
      const before = this.store.get(name)?.metadata;
      if (before?.uid === metadata.uid)
        assert.ok(Number(metadata.resourceVersion) >= Number(before?.resourceVersion), `${name} went back`);
    }
    this.store.clear();
    for (const [name, object] of state) this.store.set(name, object);
    this.counts.initial++;
    this.notifications = [];
    this.since = revision;
    this.#isCurrent = true;
    this.#revision = revision;
  }

  #take(type: WatchEvent["type"], object: KubeObject, revision: number): void {
    const last = this.#revision;
    const name = object.metadata.name ?? "";
    const known = this.store.get(name);
    if (type === "BOOKMARK") assert.ok(revision >= last, `a bookmark of ${revision} after ${last}`);
    else {
      assert.ok(revision > last, `${type} ${name} of ${revision} after ${last}`);
      assert.equal(
        known !== undefined,
        type !== "ADDED",
        `${type} of ${known === undefined ? "unknown" : "known"} ${name}`,
      );
      if (type === "MODIFIED") assert.equal(object.metadata.uid, known?.metadata.uid, `${name} is another one`);
      if (type === "DELETED") this.store.delete(name);
      else this.store.set(name, object);
      const kind = type === "ADDED" ? "add" : type === "DELETED" ? "delete" : "update";
      this.notifications.push({ kind, name, revision });
    }
    this.#revision = revision;
  }
}

/** One object of a list or a store as text. */
export function lineOf({ metadata }: Pick<KubeObject, "metadata">): string {
  return `${metadata.name ?? ""} ${metadata.uid ?? ""} ${metadata.resourceVersion ?? ""}`;
}
