import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import { statusObject, statusOf } from "@purser/kubernetes/apis/status";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { Machinery } from "../../machinery.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import type { Answer, Item, ItemEvent } from "../../request/answer.ts";
import { itemOf, sharedItem } from "../../request/answer.ts";
import { negotiateWatch } from "../../request/negotiation.ts";
import type { ListOptions } from "../../request/query.ts";
import { listOptions, parseRevision } from "../../request/query.ts";
import type { Storage, StoredChange, StoredVersion } from "../../storage/storage.ts";
import { awaitRevision } from "../read.ts";
import type { ResourceRequest } from "../resource-request.ts";
import type { Selection } from "../selection.ts";
import { selection } from "../selection.ts";
import type { Shaping } from "../shape.ts";
import { emptyObject } from "../ownership.ts";
import { endpointOf, shapeObject, shaping } from "../shape.ts";
import { convertsMetadata, isServedAsStored, oneToServed } from "../versions.ts";
import { turns } from "../../turns.ts";
import { WatchQueue } from "./watch-queue.ts";

/** A watch without events for this long gets a bookmark, so that its client resumes from a fresh revision. */
const idleBookmarkMs = 10_000;
/** A bookmark precedes the end of a watch by this much. */
const farewellMs = 2000;

interface Watch {
  readonly machinery: Machinery;
  readonly kind: ServedKind;
  readonly shaping: Shaping;
  readonly chosen: Selection;
  readonly options: ListOptions;
  readonly queue: WatchQueue;
}

/** Opens a watch: the feed is attached before this returns, so that nothing is missed. */
export async function watchObjects(request: ResourceRequest): Promise<Result<Answer, ApiStatus>> {
  const { machinery, kind, call, namespace } = request;
  const representation = negotiateWatch(call.headers["accept"], endpointOf(kind, true));
  if (!representation.ok) return representation;
  const shapes = shaping(representation.value, call.query);
  if (!shapes.ok) return shapes;
  const options = listOptions(call.query, true);
  if (!options.ok) return options;
  const chosen = selection(kind, options.value);
  if (!chosen.ok) return chosen;
  const asked = options.value.resourceVersion;
  const revision = asked === undefined ? done(0) : parseRevision(asked, "watch");
  if (!revision.ok) return revision;

  const { sendInitialEvents, bookmarks } = options.value;
  if (sendInitialEvents === true) {
    const there = await awaitRevision(machinery, revision.value, call.signal, asked);
    if (!there.ok) return done({ kind: "watch", events: once(errorEvent(there.problem)) });
  }
  const withState = sendInitialEvents ?? revision.value === 0;
  const { storage } = machinery;
  const start = withState || revision.value === 0 ? storage.revision() : revision.value;
  const inScope = namespace === undefined || !kind.type.namespaced ? "" : `${namespace}/`;
  const queue = new WatchQueue(AbortSignal.any([call.signal, machinery.stopping]), machinery.backlog);
  if (kind.custom !== undefined) endWhenRetired(queue, kind.custom.retired, storage);
  const feed = storage.feed(kind.table, start, (change) => {
    if (inScope === "" || change.key.startsWith(inScope)) queue.push({ kind: "change", change });
  });
  if (!feed.ok)
    return done({
      kind: "watch",
      events: once(
        errorEvent(statusOf("Expired", `too old resource version: ${revision.value} (${feed.problem.oldest})`)),
      ),
    });
  queue.follow();
  queue.onClose(() => feed.value.close());
  const watch: Watch = { machinery, kind, shaping: shapes.value, chosen: chosen.value, options: options.value, queue };
  const present = withState ? storage.scan(kind.table, namespace === undefined ? {} : { namespace }) : done([]);
  const initial = new Backlog(present.ok ? present.value : []);
  void endInTime(watch);
  if (bookmarks) void bookmarkWhenIdle(watch);
  return done({
    kind: "watch",
    events: eventsOf(watch, initial, withState && bookmarks ? start : undefined),
  });
}

/** The deletion of a definition's objects is still sent: it reaches the queue when it is durable. */
function endWhenRetired(queue: WatchQueue, retired: AbortSignal, storage: Storage): void {
  const end = (): void =>
    void storage.durable().then(
      () => queue.end(),
      () => queue.end(),
    );
  if (retired.aborted) return end();
  retired.addEventListener("abort", end, { once: true });
  queue.onClose(() => retired.removeEventListener("abort", end));
}

async function* once(event: ItemEvent): AsyncGenerator<ItemEvent> {
  yield await Promise.resolve(event);
}

function errorEvent(status: ApiStatus): ItemEvent {
  return { type: "ERROR", item: itemOf(statusObject(status) as unknown as KubeObject) };
}

/**
 * What a watch sends before it follows changes. A generator keeps its parameters as long as it lives, here for hours: this
 * one is empty then.
 */
class Backlog {
  #versions: readonly StoredVersion[];
  #at = 0;

  constructor(versions: readonly StoredVersion[]) {
    this.#versions = versions;
  }

  next(): StoredVersion | undefined {
    const version = this.#versions[this.#at++];
    if (version === undefined) this.#versions = [];
    return version;
  }
}

async function* eventsOf(watch: Watch, initial: Backlog, initialEnd: number | undefined): AsyncGenerator<ItemEvent> {
  const { machinery, queue } = watch;
  const shape = shaper(watch);
  try {
    await machinery.storage.durable();
    for (let version = initial.next(); version !== undefined; version = initial.next()) {
      await turns.before(watch.chosen.work);
      const item = await itemOfVersion(watch, version);
      if (!item.ok) return yield errorEvent(item.problem);
      if (item.value === undefined) continue;
      const shaped = shape(item.value);
      if (!shaped.ok) return yield errorEvent(shaped.problem);
      yield { type: "ADDED", item: shaped.value };
    }
    if (initialEnd !== undefined) {
      const event = bookmark(watch, shape, initialEnd, true);
      if (event !== undefined) yield event;
    }
    for (;;) {
      const next = await queue.next();
      if (next === undefined) return;
      if (next.kind === "bookmark") {
        const event = bookmark(watch, shape, next.revision, false);
        if (event !== undefined) yield event;
        continue;
      }
      await turns.before(watch.chosen.work);
      const event = await eventOf(watch, next.change);
      if (!event.ok) return yield errorEvent(event.problem);
      if (event.value === undefined) continue;
      const shaped = shape(event.value.item);
      if (!shaped.ok) return yield errorEvent(shaped.problem);
      yield { type: event.value.type, item: shaped.value };
    }
  } finally {
    queue.close();
  }
}

/** Shapes one object after the other; only the first Table has column definitions. */
function shaper({ kind, shaping, machinery }: Watch): (item: Item) => Result<Item, ApiStatus> {
  if (shaping.representation.shape === "object") return done;
  let first = true;
  return ({ object }) => {
    const shaped = shapeObject(kind, object, shaping, machinery.clock.now(), first);
    first = false;
    return shaped.ok ? done(itemOf(shaped.value as unknown as KubeObject)) : shaped;
  };
}

/** Whether the watch chooses the version, decided by its key and labels alone; undefined when they do not decide it. */
function decidedOf({ kind, chosen: { matches, decides } }: Watch, version: StoredVersion): boolean | undefined {
  return matches === undefined ? true : convertsMetadata(kind) ? undefined : decides?.(version);
}

/** The version as this watch shows it; undefined when it does not choose it. */
async function itemOfVersion(watch: Watch, version: StoredVersion): Promise<Result<Item | undefined, ApiStatus>> {
  const { machinery, kind, chosen } = watch;
  const decided = decidedOf(watch, version);
  if (decided === false) return done(undefined);
  if (decided === true && isServedAsStored(kind)) return done(version);
  const served = await oneToServed(machinery, kind, version.object, version.size);
  if (!served.ok) return served;
  if (decided === undefined && chosen.matches?.(served.value) === false) return done(undefined);
  return done(isServedAsStored(kind) ? version : sharedItem(served.value));
}

/** What a change means to this watch: objects enter and leave a selection. Undefined: nothing. */
async function eventOf(watch: Watch, change: StoredChange): Promise<Result<ItemEvent | undefined, ApiStatus>> {
  const { versionBefore, versionAfter, versionShown } = change;
  if (watch.chosen.matches === undefined) {
    const shown = await itemOfVersion(watch, versionShown);
    if (!shown.ok || shown.value === undefined) return shown.ok ? done(undefined) : shown;
    const type = versionAfter === undefined ? "DELETED" : versionBefore === undefined ? "ADDED" : "MODIFIED";
    return done({ type, item: shown.value });
  }
  const before = versionBefore === undefined ? done(undefined) : await itemOfVersion(watch, versionBefore);
  if (!before.ok) return before;
  const was = before.value;
  if (versionAfter !== undefined) {
    const after = await itemOfVersion(watch, versionAfter);
    if (!after.ok) return after;
    if (after.value !== undefined) return done({ type: was === undefined ? "ADDED" : "MODIFIED", item: after.value });
    if (was === undefined) return done(undefined);
    const metadata = { ...was.object.metadata, resourceVersion: String(change.revision) };
    return done({ type: "DELETED", item: itemOf({ ...was.object, metadata }) });
  }
  if (was === undefined) return done(undefined);
  const { machinery, kind } = watch;
  if (isServedAsStored(kind)) return done({ type: "DELETED", item: versionShown });
  const shown = await oneToServed(machinery, kind, versionShown.object, versionShown.size);
  return shown.ok ? done({ type: "DELETED", item: sharedItem(shown.value) }) : shown;
}

/** An object with a revision and nothing else, in the shape of all others. */
function bookmark(
  { kind }: Watch,
  shape: (item: Item) => Result<Item, ApiStatus>,
  revision: number,
  initialEnd: boolean,
): ItemEvent | undefined {
  const metadata: JsonObject = {
    resourceVersion: String(revision),
    ...(initialEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
  };
  const { metadata: _metadata, ...empty } = emptyObject(kind);
  const object = { kind: kind.type.kind, apiVersion: apiVersionOf(kind.type), metadata, ...empty };
  const shaped = shape(itemOf(object as unknown as KubeObject));
  return shaped.ok ? { type: "BOOKMARK", item: shaped.value } : undefined;
}

/** Ends the watch when its time is over, with a last bookmark shortly before. */
async function endInTime({ machinery, options, queue }: Watch): Promise<void> {
  const seconds = options.timeoutSeconds ?? 1800 + machinery.entropy.fraction() * 1800;
  const farewell = options.bookmarks && seconds * 1000 > farewellMs ? farewellMs : 0;
  try {
    await machinery.clock.sleep(seconds * 1000 - farewell, queue.signal);
    if (farewell > 0) {
      queue.push({ kind: "bookmark", revision: machinery.storage.published() });
      await machinery.clock.sleep(farewell, queue.signal);
    }
    queue.end();
  } catch {
    // The watch was closed first.
  }
}

async function bookmarkWhenIdle({ machinery, queue }: Watch): Promise<void> {
  let sent = 0;
  try {
    for (;;) {
      const pushed = queue.pushed;
      await machinery.clock.sleep(idleBookmarkMs, queue.signal);
      const revision = machinery.storage.published();
      if (queue.pushed !== pushed || revision === sent) continue;
      queue.push({ kind: "bookmark", revision });
      sent = revision;
    }
  } catch {
    // The watch was closed.
  }
}
