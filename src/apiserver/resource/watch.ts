import type { KubeObject } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import { apiVersionOf } from "../../apis/resource-type.ts";
import { statusObject, statusOf } from "../../apis/status.ts";
import type { JsonObject } from "../../json.ts";
import type { WatchEvent } from "../../kube/transport.ts";
import type { Result } from "../../result.ts";
import { done } from "../../result.ts";
import type { Call, Machinery } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import type { Answer } from "../request/answer.ts";
import { negotiateWatch } from "../request/negotiation.ts";
import type { ListOptions } from "../request/query.ts";
import { listOptions, parseRevision } from "../request/query.ts";
import type { StoredChange } from "../storage/storage.ts";
import { awaitRevision } from "./read.ts";
import type { Selection } from "./selection.ts";
import { selection } from "./selection.ts";
import type { Shaping } from "./shape.ts";
import { emptyObject } from "./ownership.ts";
import { endpointOf, shapeObject, shaping } from "./shape.ts";
import { oneToServed } from "./versions.ts";
import { WatchQueue } from "./watch-queue.ts";

/** A watch that has told nothing for this long gets a bookmark, so that its client resumes from a fresh revision. */
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
export async function watchObjects(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  namespace: string | undefined,
): Promise<Result<Answer, ApiStatus>> {
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
    const there = await awaitRevision(machinery, revision.value, call.signal);
    if (!there.ok) return done({ kind: "watch", events: once(errorEvent(there.problem)) });
  }
  const withState = sendInitialEvents ?? revision.value === 0;
  const { storage } = machinery;
  const start = withState || revision.value === 0 ? storage.revision() : revision.value;
  const inScope = namespace === undefined || !kind.type.namespaced ? "" : `${namespace}/`;
  const queue = new WatchQueue(
    AbortSignal.any([call.signal, machinery.stopping, ...(kind.custom === undefined ? [] : [kind.custom.retired])]),
  );
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
  queue.onClose(() => feed.value.close());
  const initial = withState ? storage.list(kind.table, namespace === undefined ? {} : { namespace }) : done([]);
  const watch: Watch = { machinery, kind, shaping: shapes.value, chosen: chosen.value, options: options.value, queue };
  void endInTime(watch);
  if (bookmarks) void bookmarkWhenIdle(watch);
  return done({
    kind: "watch",
    events: eventsOf(watch, initial.ok ? initial.value : [], withState && bookmarks ? start : undefined),
  });
}

async function* once(event: WatchEvent): AsyncGenerator<WatchEvent> {
  yield await Promise.resolve(event);
}

function errorEvent(status: ApiStatus): WatchEvent {
  return { type: "ERROR", object: statusObject(status) as unknown as KubeObject };
}

async function* eventsOf(
  watch: Watch,
  initial: readonly KubeObject[],
  initialEnd: number | undefined,
): AsyncGenerator<WatchEvent> {
  const { machinery, kind, queue, chosen } = watch;
  const shape = shaper(watch);
  try {
    await machinery.storage.durable();
    for (const stored of initial) {
      const object = await oneToServed(machinery, kind, stored);
      if (!object.ok) return yield errorEvent(object.problem);
      if (chosen.matches?.(object.value) === false) continue;
      const shaped = shape(object.value);
      if (!shaped.ok) return yield errorEvent(shaped.problem);
      yield { type: "ADDED", object: shaped.value };
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
      const event = await eventOf(watch, next.change);
      if (!event.ok) return yield errorEvent(event.problem);
      if (event.value === undefined) continue;
      const shaped = shape(event.value.object);
      if (!shaped.ok) return yield errorEvent(shaped.problem);
      yield { type: event.value.type, object: shaped.value };
    }
  } finally {
    queue.close();
  }
}

/** Shapes one object after the other; a Table tells its columns once. */
function shaper({ kind, shaping, machinery }: Watch): (object: KubeObject) => Result<KubeObject, ApiStatus> {
  let first = true;
  return (object) => {
    const shaped = shapeObject(kind, object, shaping, machinery.clock.now(), first);
    first = false;
    return shaped.ok ? done(shaped.value as unknown as KubeObject) : shaped;
  };
}

/** What a change means to this watch: objects enter and leave a selection. Undefined: nothing. */
async function eventOf(
  { machinery, kind, chosen: { matches } }: Watch,
  change: StoredChange,
): Promise<Result<WatchEvent | undefined, ApiStatus>> {
  const shown = await oneToServed(machinery, kind, change.shown);
  if (!shown.ok) return shown;
  if (matches === undefined) {
    const type = change.after === undefined ? "DELETED" : change.before === undefined ? "ADDED" : "MODIFIED";
    return done({ type, object: shown.value });
  }
  const before = change.before === undefined ? undefined : await oneToServed(machinery, kind, change.before);
  if (before?.ok === false) return before;
  const was = before !== undefined && matches(before.value);
  const is = change.after !== undefined && matches(shown.value);
  if (is) return done({ type: was ? "MODIFIED" : "ADDED", object: shown.value });
  if (!was) return done(undefined);
  if (change.after === undefined) return done({ type: "DELETED", object: shown.value });
  const metadata = { ...before.value.metadata, resourceVersion: String(change.revision) };
  return done({ type: "DELETED", object: { ...before.value, metadata } });
}

/** An object with a revision and nothing else, in the shape of all others. */
function bookmark(
  { kind }: Watch,
  shape: (object: KubeObject) => Result<KubeObject, ApiStatus>,
  revision: number,
  initialEnd: boolean,
): WatchEvent | undefined {
  const metadata: JsonObject = {
    resourceVersion: String(revision),
    ...(initialEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
  };
  const { metadata: _metadata, ...empty } = emptyObject(kind);
  const object = { kind: kind.type.kind, apiVersion: apiVersionOf(kind.type), metadata, ...empty };
  const shaped = shape(object as unknown as KubeObject);
  return shaped.ok ? { type: "BOOKMARK", object: shaped.value } : undefined;
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
  let told = 0;
  try {
    for (;;) {
      const pushed = queue.pushed;
      await machinery.clock.sleep(idleBookmarkMs, queue.signal);
      const revision = machinery.storage.published();
      if (queue.pushed !== pushed || revision === told) continue;
      queue.push({ kind: "bookmark", revision });
      told = revision;
    }
  } catch {
    // The watch was closed.
  }
}
