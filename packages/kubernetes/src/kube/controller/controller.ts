import type { KubeObject, ObjectKey } from "../../apis/object.ts";
import type { ResourceType } from "../../apis/resource-type.ts";
import type { EventRecorder } from "./events.ts";
import type { CausedKey } from "./caused-key.ts";
import { invariant } from "../../invariant.ts";
import type { VersionView, CacheView, IndexFunction, ObjectChange, Projection, SizeView } from "../informer-cache.ts";
import type { Log } from "../log.ts";
import type { ListScope, ObjectReader } from "../object-reader.ts";
import type { Identities, ObjectWriter } from "../object-writer.ts";
import type { Needs, PassEnd, Plan, PlanContext, Progress } from "../plan.ts";

export interface ObserveContext {
  /** The informer cache; live reads for types without an informer. */
  readonly reader: ObjectReader;
  /** What informers hold, metadata-only ones included; never a request. */
  readonly cache: CacheView & SizeView & VersionView;
  /** Wall time in ms, read once per pass. */
  readonly now: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

export interface ApplyContext extends ObserveContext {
  /**
   * Writes as our own identity. Writes through it (and through `identities`) must be visible in the caches before the
   * key runs again.
   */
  readonly writer: ObjectWriter;
  readonly identities: Identities;
  readonly events: EventRecorder;
}

/**
 * A level-triggered reconciler: depends only on the current state and may run at any time. A throw is retried with
 * backoff.
 */
export interface ReconcileSteps<World, Action, Outcome = never, Need = never> {
  observe(key: ObjectKey, context: ObserveContext): Promise<World>;
  /** Returns the actions, or what must be observed first. */
  plan(world: World, context: PlanContext): Plan<Action> | Needs<Need>;
  /** The world extended by what the plan requested in `needs`; then it plans again. Absent: the plan has one stage. */
  supply?(world: World, need: Need, context: ObserveContext): Promise<World>;
  /**
   * @returns an outcome that is known only after the attempt, for `afterApply`; undefined when nothing depends on it
   */
  apply(key: ObjectKey, action: Action, context: ApplyContext): Promise<Outcome | undefined | void>;
  /** Decides on an outcome of `apply`; pure like `plan`. Its actions are applied in turn. */
  afterApply?(world: World, outcome: Outcome, context: PlanContext): Plan<Action>;
}

export interface Watch<Type extends KubeObject = KubeObject> {
  readonly type: ResourceType<Type>;
  readonly scope?: ListScope;
  readonly projection?: Projection;
  readonly indexes?: Readonly<Record<string, IndexFunction<Type>>>;
  readonly indexedLabels?: readonly string[];
  /** Keys to requeue for a change of `object`; called for both its old and its new content. Default: its own key. */
  readonly map?: (object: Type, cache: CacheView) => readonly ObjectKey[];
  /** Keys to requeue for a change as a whole, in place of `map`: where most changes concern few of the keys that use the object. */
  readonly concerned?: (change: ObjectChange<Type>, cache: CacheView) => readonly ObjectKey[];
  /** Filter of changes. Default: all. */
  readonly when?: (change: ObjectChange<Type>) => boolean;
  /** Cached for `observe`; changes requeue nothing. */
  readonly quiet?: boolean;
}

export interface ControllerDefinition<
  World,
  Action,
  Types extends readonly KubeObject[],
  Outcome = never,
  Need = never,
> {
  /** Lower case with dashes; used in queue names, metrics and log lines. */
  readonly name: string;
  readonly watches: { readonly [Index in keyof Types]: Watch<Types[Index]> };
  /** Keys from outside Kubernetes (such as fetched content); each iterable ends when the signal aborts. */
  readonly wakes?: readonly ((signal: AbortSignal, cache: CacheView) => AsyncIterable<CausedKey>)[];
  /** Maps objects of the types in a plan's `watches` to keys. They are not read from the cache; without a projection only metadata is kept. */
  readonly wakingWatch?: (type: ResourceType) => Pick<Watch, "scope" | "map" | "projection">;
  /** How far an object of the first watch is, for its span. Default: it has none. */
  readonly progress?: (object: Types[0]) => Progress;
  /** The object beside which a missing right is shown as an event. Default: that of the first watch with the key. */
  readonly about?: Controller["about"];
  readonly steps: ReconcileSteps<World, Action, Outcome, Need>;
  /** Number of concurrent passes. Default 4. A key never runs twice at once. */
  readonly concurrency?: number;
  /** Timeout of a pass, after which it is aborted and retried. Default 5 minutes. */
  readonly passTimeoutMs?: number;
  /**
   * Puts the controller in the background: a key waits until the other controllers have nothing to do, this long at most, so that one pass sees
   * many of their changes.
   */
  readonly backgroundMs?: number;
}

/** A controller with its type parameters hidden; pass it to `startManager`. */
export interface Controller {
  readonly name: string;
  readonly watches: readonly Watch[];
  readonly wakes: readonly ((signal: AbortSignal, cache: CacheView) => AsyncIterable<CausedKey>)[];
  readonly wakingWatch?: (type: ResourceType) => Pick<Watch, "scope" | "map" | "projection">;
  readonly about?: (key: ObjectKey, cache: CacheView) => KubeObject | undefined;
  readonly progress?: (object: KubeObject) => Progress;
  readonly concurrency: number;
  readonly passTimeoutMs: number;
  readonly backgroundMs?: number;
  /** `source.component` of its events. Default: the manager's name. */
  readonly eventComponent?: string;
  /** One pass. */
  reconcile(key: ObjectKey, context: ApplyContext): Promise<PassEnd>;
}

/** Binds the steps and fills in defaults. */
export function defineController<
  World,
  Action,
  const Types extends readonly KubeObject[],
  Outcome = never,
  Need = never,
>(definition: ControllerDefinition<World, Action, Types, Outcome, Need>): Controller {
  const {
    name,
    watches,
    wakes = [],
    steps,
    concurrency = 4,
    passTimeoutMs = 300_000,
    wakingWatch,
    about,
    progress,
    backgroundMs,
  } = definition;
  return {
    name,
    watches: watches as unknown as readonly Watch[],
    wakes,
    ...(wakingWatch === undefined ? {} : { wakingWatch }),
    ...(about === undefined ? {} : { about }),
    ...(progress === undefined ? {} : { progress: progress as (object: KubeObject) => Progress }),
    concurrency,
    passTimeoutMs,
    ...(backgroundMs === undefined ? {} : { backgroundMs }),
    async reconcile(key, context) {
      const { now } = context;
      const { world, plan } = await settled(steps, key, context);
      const carryOut = async ({ actions, ...planned }: Plan<Action>): Promise<PassEnd> => {
        let end: PassEnd = planned;
        for (const action of actions) {
          const outcome = await steps.apply(key, action, context);
          if (outcome === undefined || steps.afterApply === undefined) continue;
          end = both(end, await carryOut(steps.afterApply(world, outcome, { now })));
        }
        return end;
      };
      return carryOut(plan);
    },
  };
}

/** The earlier recheck, all watches, and all retry reasons. */
function both(one: PassEnd, other: PassEnd): PassEnd {
  const rechecks = [one, other].flatMap(({ recheckAfterMs }) => recheckAfterMs ?? []);
  const retries = [one, other].flatMap(({ retry }) => retry ?? []);
  return {
    watches: [...(one.watches ?? []), ...(other.watches ?? [])],
    ...(rechecks.length === 0 ? {} : { recheckAfterMs: Math.min(...rechecks) }),
    ...(retries.length === 0 ? {} : { retry: retries.join("\n") }),
  };
}

/** Observes and plans until the plan needs nothing more. */
async function settled<World, Action, Outcome, Need>(
  steps: ReconcileSteps<World, Action, Outcome, Need>,
  key: ObjectKey,
  context: ObserveContext,
): Promise<{ readonly world: World; readonly plan: Plan<Action> }> {
  let world = await steps.observe(key, context);
  for (;;) {
    const plan = steps.plan(world, { now: context.now });
    if (!("needs" in plan)) return { world, plan };
    invariant(steps.supply !== undefined, "a plan with stages has a supply");
    context.signal.throwIfAborted();
    world = await steps.supply(world, plan.needs, context);
  }
}
