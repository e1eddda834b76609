import type { KubeObject, ObjectKey } from "../../apis/object.ts";
import type { ResourceType } from "../../apis/resource-type.ts";
import type { EventRecorder } from "./events.ts";
import type { CacheView, IndexFunction, ObjectChange, Projection } from "../informer-cache.ts";
import type { Log } from "../log.ts";
import type { ListScope, ObjectReader } from "../object-reader.ts";
import type { Identities, ObjectWriter } from "../object-writer.ts";
import type { Plan, PlanContext } from "../plan.ts";

export interface ObserveContext {
  /** The informers' cache; live for types that nobody watches. */
  readonly reader: ObjectReader;
  /** Wall time in ms, read once per pass and equal in all its steps. */
  readonly now: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

export interface ApplyContext extends ObserveContext {
  /** Our own identity. What is written through here (and through `identities`) is waited for before the key runs again. */
  readonly writer: ObjectWriter;
  readonly identities: Identities;
  readonly events: EventRecorder;
}

/** Level-triggered: never asks what just happened, only what is so; may run twice. A throw is retried with backoff. */
export interface ReconcileSteps<World, Action> {
  observe(key: ObjectKey, context: ObserveContext): Promise<World>;
  plan(world: World, context: PlanContext): Plan<Action>;
  apply(key: ObjectKey, action: Action, context: ApplyContext): Promise<void>;
}

export interface Watch<Type extends KubeObject = KubeObject> {
  readonly type: ResourceType<Type>;
  readonly scope?: ListScope;
  readonly projection?: Projection;
  readonly indexes?: Readonly<Record<string, IndexFunction<Type>>>;
  readonly indexedLabels?: readonly string[];
  /** Keys to run when `object` appears, changes or goes; asked for both its old and its new content. Default: its own key. */
  readonly map?: (object: Type, cache: CacheView) => readonly ObjectKey[];
  /** Changes that matter. Default: all. */
  readonly when?: (change: ObjectChange<Type>) => boolean;
  /** Cached for `observe`, wakes nothing. */
  readonly quiet?: boolean;
}

export interface ControllerDefinition<World, Action, Types extends readonly KubeObject[]> {
  /** Lower case with dashes; names queue, metrics and log lines. */
  readonly name: string;
  readonly watches: { readonly [Index in keyof Types]: Watch<Types[Index]> };
  /** Keys from outside Kubernetes (content that arrived); each iterable ends when the signal aborts. */
  readonly wakes?: readonly ((signal: AbortSignal, cache: CacheView) => AsyncIterable<ObjectKey>)[];
  readonly steps: ReconcileSteps<World, Action>;
  /** Keys at the same time. Default 4. One key never runs twice at once. */
  readonly concurrency?: number;
  /** A pass longer than this is aborted and retried. Default 5 minutes. */
  readonly passTimeoutMs?: number;
}

/** A controller with its world and actions sealed in; give it to `startManager`. */
export interface Controller {
  readonly name: string;
  readonly watches: readonly Watch[];
  readonly wakes: readonly ((signal: AbortSignal, cache: CacheView) => AsyncIterable<ObjectKey>)[];
  readonly concurrency: number;
  readonly passTimeoutMs: number;
  /** One pass. @returns ms until the next look, if the plan asks for one */
  reconcile(key: ObjectKey, context: ApplyContext): Promise<number | undefined>;
}

/** Checks nothing, starts nothing: binds the steps and fills in defaults. */
export function defineController<World, Action, const Types extends readonly KubeObject[]>(
  definition: ControllerDefinition<World, Action, Types>,
): Controller {
  const { name, watches, wakes = [], steps, concurrency = 4, passTimeoutMs = 300_000 } = definition;
  return {
    name,
    watches: watches as unknown as readonly Watch[],
    wakes,
    concurrency,
    passTimeoutMs,
    async reconcile(key, context) {
      const world = await steps.observe(key, context);
      const plan = steps.plan(world, { now: context.now });
      for (const action of plan.actions) await steps.apply(key, action, context);
      return plan.recheckAfterMs;
    },
  };
}
