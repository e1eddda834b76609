import { scheduler } from "node:timers/promises";
import { formatKey, keyOf, parseKey, type KubeObject, type ObjectKey } from "../../apis/object.ts";
import type { ObjectWrite, WriteRefusal, Written } from "../../apis/object-write.ts";
import { groupResource, type ResourceType } from "../../apis/resource-type.ts";
import type { Clock } from "../../clock.ts";
import type { Entropy } from "../../entropy.ts";
import type { Result } from "../../result.ts";
import type { Causes } from "./causes.ts";
import type { Controller, Watch } from "./controller.ts";
import type { Counters } from "../counters.ts";
import type { EventRecorder } from "./events.ts";
import type { InformerCache, InformerLease, InformerRequest, ObjectChange, SeenWrite } from "../informer-cache.ts";
import type { Log } from "../log.ts";
import type { Identities, ObjectWriter } from "../object-writer.ts";
import type { SpanReference } from "../../tracing.ts";
import type { PassEnd } from "../plan.ts";
import { newRequestId, withRequestId } from "../../system/request-id.ts";
import { withSpan } from "../../system/current-span.ts";
import { turns, workPerTurn } from "../../system/turns.ts";
import { ApiRefusedError, isMissingRight, UnfinishedPassError } from "../refusal.ts";
import { type PassSpan, PassTraces } from "./pass-traces.ts";
import { WakingWatches } from "./waking-watches.ts";
import { WorkQueue } from "./work-queue.ts";

export interface RunnerOptions {
  readonly cache: InformerCache;
  readonly identities: Identities;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
  readonly metrics: Counters;
  /** Throws when writing is not allowed (any more): called before every write. */
  readonly fence: () => void;
  /** Resolves when the controllers that are not in the background have nothing to do, or after that time. */
  readonly calm: (signal: AbortSignal, withinMs: number) => Promise<void>;
  /** Absent: no spans are made. */
  readonly causes?: Causes;
}

export interface ControllerRunner {
  readonly name: string;
  readonly queue: WorkQueue;
  /** Starts no new pass, aborts running ones and resolves when they have ended. */
  stop(): Promise<void>;
}

/** What a pass costs about, as {@link turns} counts it: four passes begin in one turn. */
const workOfPass = workPerTurn / 4;

/** A pass exceeded its timeout. */
class PassTimeoutError extends Error {
  override readonly name = "PassTimeoutError";
}

/** Made once: an error with a stack for every pass costs as much as many a pass. */
const passIsOver = new PassTimeoutError("The pass is over");

/** Runs one controller until it is stopped: watches fill the queue, workers process its keys. */
export function runController(controller: Controller, options: RunnerOptions): ControllerRunner {
  const { cache, clock, entropy, log, metrics } = options;
  const labels = { controller: controller.name };
  const stopping = new AbortController();
  const queue = new WorkQueue({
    clock,
    entropy,
    onDepth: (depth) => metrics.set("queue_depth", labels, depth),
    onTaken: (waitedMs) => metrics.observe("purser_queue_wait_seconds", labels, waitedMs / 1000),
  });

  /** The current error of each key, so that a repeated one is logged once. */
  const refused = new Map<string, string>();

  const traces = options.causes === undefined ? undefined : new PassTraces(controller, options.causes);

  const leases = controller.watches.map((watch) => holdWatch(watch, cache, queue, traces));
  const waking = new WakingWatches(
    (type) =>
      holdWatch(
        { projection: "metadata", ...controller.wakingWatch?.(type), type, onlyWakes: true },
        cache,
        queue,
        traces,
      ),
    (name, text) =>
      showMissingRight(
        parseKey(name),
        `${text}. Changes that others make to such objects are noticed late until this right is granted`,
      ),
  );

  async function work(): Promise<void> {
    // With incomplete caches existing objects would look missing.
    await Promise.all(leases.map((lease) => lease.synced));
    for (let name = await queue.take(); name !== undefined; name = await queue.take()) {
      // Many controllers may have keys because of one change.
      await turns.before(workOfPass);
      const key = name;
      const { backgroundMs } = controller;
      if (backgroundMs !== undefined) {
        const leftMs = backgroundMs - queue.waitedMs(key);
        if (leftMs > 0) await options.calm(stopping.signal, leftMs);
        queue.begin(key);
      }
      await withRequestId(newRequestId(), () => pass(key));
      // In process nothing waits for sockets: without this a busy controller would starve listeners.
      await scheduler.yield();
    }
  }

  /** Frees the worker when the steps are done; the key remains locked until the caches show its writes. */
  async function pass(name: string): Promise<void> {
    const writes: SeenWrite[] = [];
    const started = clock.monotonic();
    const span = traces?.begin(name);
    let next: (() => void) | undefined;
    try {
      const {
        recheckAfterMs,
        retry,
        watches = [],
      } = await withSpan(span?.scope, () => attempt(parseKey(name), writes, span?.scope.reference));
      waking.hold(name, watches);
      next = () => {
        if (retry !== undefined) failed(name, new UnfinishedPassError(retry), span, writes.length);
        if (recheckAfterMs !== undefined) queue.addAfter(name, recheckAfterMs);
      };
      if (retry === undefined) {
        queue.forget(name);
        refused.delete(name);
        metrics.add("reconciles_total", { ...labels, result: "done" });
        span?.end("done", writes.length);
      }
    } catch (error) {
      if (!stopping.signal.aborted) next = () => failed(name, error, span, writes.length);
    }
    metrics.add("reconcile_ms_total", labels, clock.monotonic() - started);
    void settle(name, writes, next);
  }

  /** In order: an object that the pass created and deleted must not count as deleted before it appeared. */
  async function settle(name: string, writes: readonly SeenWrite[], next: (() => void) | undefined): Promise<void> {
    for (const write of writes) await cache.showing(write);
    next?.();
    queue.release(name);
  }

  function failed(name: string, error: unknown, span: PassSpan | undefined, writes: number): void {
    const conflict = error instanceof ApiRefusedError && error.refusal.kind === "conflict";
    metrics.add("reconciles_total", { ...labels, result: conflict ? "conflict" : "error" });
    const seconds = error instanceof ApiRefusedError ? error.refusal.status.details?.retryAfterSeconds : undefined;
    queue.retry(name, (seconds ?? 0) * 1000);
    const text = error instanceof Error ? error.message : String(error);
    span?.end(conflict ? "conflict" : "error", writes, { text, times: queue.failures(name) });
    const isExpected = error instanceof ApiRefusedError || error instanceof UnfinishedPassError;
    if (isMissingRight(error) && refused.get(name) !== text)
      showMissingRight(parseKey(name), `${text}. Grant this right; the request is retried`);
    // A conflict is expected: the next pass sees the other write. A repeated refusal was already logged, and the
    // object's status shows it.
    const level = conflict || (isExpected && refused.get(name) === text) ? "debug" : isExpected ? "warn" : "error";
    if (isExpected) refused.set(name, text);
    log(level, "A pass failed and will be tried again", {
      ...labels,
      key: name,
      failures: queue.failures(name),
      // The stack is useful for bugs, not for refusals.
      error: !isExpected && error instanceof Error ? (error.stack ?? text) : text,
    });
  }

  /** An event beside the object itself, whose status may be what cannot be written. */
  function showMissingRight(key: ObjectKey, text: string): void {
    const [own] = controller.watches;
    const object = controller.about?.(key, cache) ?? (own === undefined ? undefined : cache.cached(own.type, key));
    if (object === undefined) return;
    options.events.record(object, "Warning", "PermissionDenied", text);
  }

  async function attempt(key: ObjectKey, writes: SeenWrite[], span: SpanReference | undefined): Promise<PassEnd> {
    const ending = new AbortController();
    const stop = (): void => ending.abort(stopping.signal.reason);
    stopping.signal.addEventListener("abort", stop, { once: true });
    if (stopping.signal.aborted) stop();
    const deadline = new AbortController();
    const timeout = clock.sleep(controller.passTimeoutMs, deadline.signal).then(
      () => ending.abort(new PassTimeoutError(`The pass took longer than ${controller.passTimeoutMs} ms`)),
      () => {},
    );
    const track = (writer: ObjectWriter): ObjectWriter =>
      trackedWriter(tracedWriter(writer, traces, span), cache, writes, ending.signal, options.fence);
    const { identities } = options;
    try {
      // Steps that ignore the signal must not block the worker.
      return await Promise.race([
        controller.reconcile(key, {
          reader: cache,
          cache,
          now: clock.now(),
          signal: ending.signal,
          log: (level, message, facts) => log(level, message, { ...labels, key: formatKey(key), ...facts }),
          writer: track(identities.own()),
          identities: {
            own: () => track(identities.own()),
            serviceAccount: (ref) => track(identities.serviceAccount(ref)),
          },
          events: options.events,
        }),
        aborted(ending.signal),
      ]);
    } finally {
      stopping.signal.removeEventListener("abort", stop);
      deadline.abort(passIsOver);
      await timeout;
      // Prevents writes by steps that are still running.
      ending.abort(passIsOver);
    }
  }

  const workers = Array.from({ length: controller.concurrency }, work);
  const wakes = controller.wakes.map(async (wake) => {
    try {
      for await (const key of wake(stopping.signal, cache)) {
        traces?.because(formatKey(key), key.cause);
        queue.add(formatKey(key));
      }
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
  });

  return {
    name: controller.name,
    queue,
    async stop() {
      stopping.abort(new Error(`The controller "${controller.name}" was stopped`));
      queue.close();
      for (const lease of leases) lease.release();
      await Promise.all([...workers, ...wakes]);
      waking.release();
    },
  };
}

function ofEach(map: NonNullable<Watch["map"]>): NonNullable<Watch["concerned"]> {
  return ({ before, after }, cache) =>
    [before, after].flatMap((object) => (object === undefined ? [] : map(object, cache)));
}

function holdWatch(
  watch: Watch & Pick<InformerRequest, "onlyWakes">,
  cache: InformerCache,
  queue: WorkQueue,
  traces: PassTraces | undefined,
): InformerLease {
  const { map = (object: KubeObject): readonly ObjectKey[] => [keyOf(object)], when, quiet = false } = watch;
  const { concerned = ofEach(map) } = watch;
  const onChange = (change: ObjectChange): void => {
    const cause = traces?.causeOf(watch, change);
    if (when !== undefined && !when(change)) return;
    for (const key of concerned(change, cache)) {
      traces?.because(formatKey(key), cause);
      queue.add(formatKey(key));
    }
  };
  return cache.acquire(watch, quiet ? undefined : onChange);
}

function tracedWriter(
  writer: ObjectWriter,
  traces: PassTraces | undefined,
  span: SpanReference | undefined,
): ObjectWriter {
  if (traces === undefined || span === undefined) return writer;
  return {
    write: (write, signal) =>
      "dryRun" in write && write.dryRun === true
        ? writer.write(write, signal)
        : traces.write(write, span, () => writer.write(write, signal)),
  };
}

/** Records the effect of each write, so that the key runs again only when the caches show it. */
function trackedWriter(
  writer: ObjectWriter,
  cache: InformerCache,
  writes: SeenWrite[],
  pass: AbortSignal,
  fence: () => void,
): ObjectWriter {
  return {
    async write(write: ObjectWrite, signal: AbortSignal): Promise<Result<Written, WriteRefusal>> {
      pass.throwIfAborted();
      fence();
      const before = write.verb === "delete" ? cache.cached(write.type, write.key)?.metadata.uid : undefined;
      const result = await writer.write(write, signal);
      if (!result.ok || ("dryRun" in write && write.dryRun === true)) return result;
      const { type } = write;
      const { object, deletedUid } = result.value;
      if (object !== undefined)
        writes.push(
          isEnded(object)
            ? { kind: "gone", type, key: keyOf(object), uid: object.metadata.uid }
            : { kind: "stored", type, object },
        );
      else if (write.verb === "delete") {
        const uid = write.preconditions?.uid ?? deletedUid ?? madeInThisPass(writes, type, write.key) ?? before;
        writes.push({ kind: "gone", type, key: write.key, uid });
      }
      return result;
    },
  };
}

/** After a write that removed the last finalizer the server returns the object once more and deletes it. */
function isEnded({ metadata }: KubeObject): boolean {
  if (metadata.deletionTimestamp === undefined || (metadata.finalizers?.length ?? 0) > 0) return false;
  return (metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

function madeInThisPass(writes: readonly SeenWrite[], type: ResourceType, key: ObjectKey): string | undefined {
  const made = writes.findLast(
    (write) =>
      write.kind === "stored" &&
      groupResource(write.type) === groupResource(type) &&
      formatKey(keyOf(write.object)) === formatKey(key),
  );
  return made?.kind === "stored" ? made.object.metadata.uid : undefined;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
