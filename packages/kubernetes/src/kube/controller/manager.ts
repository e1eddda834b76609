import { invariant } from "../../invariant.ts";
import { apiServices, customResourceDefinitions } from "../../apis/resources.ts";
import { groupResource, type ResourceType } from "../../apis/resource-type.ts";
import type { Clock } from "../../clock.ts";
import type { Entropy } from "../../entropy.ts";
import type { KubeClient } from "../client.ts";
import { Causes } from "./causes.ts";
import type { Controller } from "./controller.ts";
import { runController, type ControllerRunner, type RunnerOptions } from "./controller-runner.ts";
import { Counters } from "../counters.ts";
import type { Discovery } from "../discovery.ts";
import { createEventRecorder, type EventRecorder } from "./events.ts";
import { createInformerCache, type InformerCache, type InformerLease, type ObjectChange } from "../informer-cache.ts";
import { allowHeapGrowth } from "../../system/idle-memory.ts";
import { standForElection, type Candidate, type LeaderElectionOptions } from "./leader-election.ts";
import { silent, type Log } from "../log.ts";
import type { Identities } from "../object-writer.ts";
import type { Tracing } from "../../tracing.ts";
import type { QueuedKey, WorkQueue } from "./work-queue.ts";

export interface ManagerOptions {
  /** Component name in events and logs. */
  readonly name: string;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly controllers: readonly Controller[];
  /** Identities for writes: `tokenIdentities` against a cluster, `userIdentities` in process. */
  readonly identities: Identities;
  /** Its cache of a group is dropped when a CustomResourceDefinition or APIService of that group changes. */
  readonly discovery?: Discovery;
  /** Absent: controllers run immediately. */
  readonly leaderElection?: LeaderElectionOptions;
  readonly log?: Log;
  readonly metrics?: Counters;
  /** Absent: no spans are made. */
  readonly tracing?: Tracing;
}

export interface Manager {
  readonly cache: InformerCache;
  readonly events: EventRecorder;
  readonly metrics: Counters;
  /** Whether controllers run in this process. */
  leading(): boolean;
  /** What the queue of each controller that runs here holds, by the controller's name. */
  queues(): Readonly<Record<string, readonly QueuedKey[]>>;
  /** Resolves when every informer has its first list. */
  synced(): Promise<void>;
  /** Resolves when all queues are empty, nothing is due and events are written. */
  idle(): Promise<void>;
  /** Resolves when the caches show the server's state besides, which is asked for by a list of each type. */
  settled(): Promise<void>;
  /** Stops controllers, releases the lease, stops informers. Waits for running passes. */
  stop(): Promise<void>;
}

/**
 * Starts informers immediately and controllers when this process leads. Returns before anything has happened; an
 * unreachable server is retried.
 */
export function startManager(options: ManagerOptions): Manager {
  const { name, client, clock, entropy, controllers, identities, leaderElection } = options;
  const { log = silent, metrics = new Counters() } = options;
  const stopping = new AbortController();
  const cache = createInformerCache({ client, clock, entropy, log, metrics });
  const recorders = new Map(
    [name, ...controllers.flatMap(({ eventComponent }) => eventComponent ?? [])].map((component) => [
      component,
      createEventRecorder({ writer: identities.own(), component, clock, entropy, log, signal: stopping.signal }),
    ]),
  );
  const recorderOf = (component: string): EventRecorder => {
    const recorder = recorders.get(component);
    invariant(recorder !== undefined, `events of ${component} have a recorder`);
    return recorder;
  };
  const flushed = async (): Promise<void> => {
    await Promise.all([...recorders.values()].map((recorder) => recorder.flushed()));
  };
  // Acquired at the start, so that a process that takes over has warm caches.
  const held = controllers.flatMap(({ watches }) => watches.map((watch) => cache.acquire(watch)));
  if (options.discovery !== undefined) held.push(...keepFresh(options.discovery, cache, controllers));
  let runners: readonly ControllerRunner[] = [];
  let candidate: Candidate | undefined;
  let causes: Causes | undefined;

  function startControllers(fence: () => void): void {
    const calm: RunnerOptions["calm"] = (signal, withinMs) => untilCalm(foreground(), clock, signal, withinMs);
    const traced = options.tracing === undefined ? {} : { causes: new Causes(options.tracing) };
    causes = traced.causes;
    const shared = { cache, identities, clock, entropy, log, metrics, fence, calm, ...traced };
    runners = controllers.map((controller) =>
      runController(controller, { ...shared, events: recorderOf(controller.eventComponent ?? name) }),
    );
  }

  /** Their queues. Read when they are needed: all controllers are started by then. */
  const foreground = (): readonly WorkQueue[] =>
    runners.flatMap(({ queue }, index) => (controllers[index]?.backgroundMs === undefined ? [queue] : []));

  async function stopControllers(): Promise<void> {
    const running = runners;
    runners = [];
    await Promise.all(running.map((runner) => runner.stop()));
    causes?.close();
  }

  if (leaderElection === undefined) startControllers(() => {});
  else {
    candidate = standForElection(client, { ...leaderElection, clock, entropy, log }, async (term) => {
      metrics.set("leading", {}, 1);
      // Collections of a small heap would lengthen its passes; a follower has none.
      const endGrowth = allowHeapGrowth();
      startControllers(() => candidate?.fence());
      await new Promise<void>((resolve) => term.addEventListener("abort", () => resolve(), { once: true }));
      await stopControllers();
      endGrowth();
      metrics.set("leading", {}, 0);
    });
  }

  const isIdle = (): boolean => runners.every(({ queue }) => queue.isIdle());

  async function idle(): Promise<void> {
    do {
      await cache.synced();
      await Promise.all(runners.map(({ queue }) => queue.idle()));
      await flushed();
    } while (!stopping.signal.aborted && !isIdle());
  }

  async function settled(): Promise<void> {
    const signal = stopping.signal;
    while (!signal.aborted) {
      await idle();
      const showed = await cache.caughtUp(signal);
      if (showed && isIdle()) return;
    }
  }

  return {
    cache,
    events: recorderOf(name),
    metrics,
    leading: () => (candidate === undefined ? !stopping.signal.aborted : candidate.leading()),
    queues: () => Object.fromEntries(runners.map(({ name: controller, queue }) => [controller, queue.snapshot()])),
    synced: () => cache.synced(),
    idle,
    settled,
    async stop() {
      await candidate?.stop();
      await stopControllers();
      await flushed();
      stopping.abort(new Error("The manager was stopped"));
      for (const lease of held) lease.release();
      await cache.stop();
    },
  };
}

/** Until all queues are idle at one moment, or that time has passed. */
async function untilCalm(
  queues: readonly WorkQueue[],
  clock: Clock,
  signal: AbortSignal,
  withinMs: number,
): Promise<void> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const allIdle = async (): Promise<void> => {
    while (!ending.signal.aborted && queues.some((queue) => !queue.isIdle()))
      await Promise.all(queues.map((queue) => queue.idle()));
  };
  await Promise.race([allIdle(), clock.sleep(withinMs, ending.signal).catch(() => undefined)]);
  signal.removeEventListener("abort", end);
  end();
}

/** Objects of both kinds are named `something.group`. Shares the controllers' own watch where there is one. */
function keepFresh(
  discovery: Discovery,
  cache: InformerCache,
  controllers: readonly Controller[],
): readonly InformerLease[] {
  const forget = ({ before, after }: ObjectChange): void => {
    const name = (after ?? before)?.metadata.name ?? "";
    discovery.invalidate(name.slice(name.indexOf(".") + 1));
  };
  const watches = controllers.flatMap((controller) => controller.watches);
  return [customResourceDefinitions, apiServices].map((type: ResourceType) => {
    const shared = watches.find((watch) => groupResource(watch.type) === groupResource(type));
    return cache.acquire(
      { type, projection: shared?.projection ?? (shared === undefined ? "metadata" : "slim") },
      forget,
    );
  });
}
