import { AsyncLocalStorage } from "node:async_hooks";
import type { SpanReference } from "../tracing.ts";

/** A span while work of it goes on. */
export interface SpanScope {
  readonly reference: SpanReference;
  /** Another span or process names it, so it has to be sent. */
  isNamed: boolean;
}

const running = new AsyncLocalStorage<SpanScope | undefined>();

/** Calls `act` so that {@link currentSpan} is that of `scope` in it and in everything that it awaits. */
export function withSpan<Value>(scope: SpanScope | undefined, act: () => Value): Value {
  return scope === undefined ? act() : running.run(scope, act);
}

/** The span of what the caller works on, to be named by another one; undefined outside of {@link withSpan}. */
export function currentSpan(): SpanReference | undefined {
  const scope = running.getStore();
  if (scope !== undefined) scope.isNamed = true;
  return scope?.reference;
}
