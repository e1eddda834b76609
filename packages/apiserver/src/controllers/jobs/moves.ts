import type { Pod } from "@purser/kubernetes/apis/core";
import type { JsonObject } from "@purser/kubernetes/json";
import { numberIn } from "../../kinds/decoding/json-parts.ts";
import { deletionOrder } from "../deletion-order.ts";
import { retryDelay, type Failures } from "./backoff.ts";
import { indexOf } from "./indexes.ts";
import { endedAt, formerFailures, isGoing, isIndexed, replacesOnlyEnded, type Census } from "./pods.ts";

/** Changes of one pass to the pods of a running Job. */
export type Moves =
  | { readonly kind: "delete"; readonly pods: readonly Pod[] }
  /** One pod for each entry: its index, or undefined in non-indexed Jobs. */
  | { readonly kind: "create"; readonly indexes: readonly (number | undefined)[] }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "none" };

const mostAtOnce = 500;

/** The desired number of active pods. */
function wanted(spec: JsonObject, { succeeded, active }: Census): number {
  const parallelism = numberIn(spec, "parallelism") ?? 1;
  const completions = numberIn(spec, "completions");
  // Work queue: after the first success no new pods are created and the running ones are left alone.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

/** Surplus pods; in indexed Jobs also those without an index or with a duplicate one. */
function surplus(spec: JsonObject, active: readonly Pod[], count: number): readonly Pod[] {
  if (!isIndexed(spec)) return active.toSorted(deletionOrder).slice(0, count);
  const completions = numberIn(spec, "completions") ?? 0;
  const kept = new Map<number, Pod>();
  const wrong: Pod[] = [];
  for (const pod of active.toSorted(deletionOrder).toReversed()) {
    const index = indexOf(pod);
    if (index === undefined || index >= completions || kept.has(index)) wrong.push(pod);
    else kept.set(index, pod);
  }
  const more = [...kept.values()].toSorted(deletionOrder).slice(0, Math.max(0, count - wrong.length));
  return [...wrong, ...more];
}

/** The first indexes that are neither active nor finished. */
function freeIndexes(spec: JsonObject, pods: readonly Pod[], census: Census, count: number): readonly number[] {
  const busy = replacesOnlyEnded(spec) ? [...census.active, ...pods.filter(isGoing)] : census.active;
  const taken = new Set(busy.flatMap((pod) => indexOf(pod) ?? []));
  const completions = numberIn(spec, "completions") ?? 0;
  const free: number[] = [];
  for (let index = 0; index < completions && free.length < count; index++)
    if (
      !taken.has(index) &&
      census.indexes?.succeeded.has(index) !== true &&
      census.indexes?.failed?.has(index) !== true
    )
      free.push(index);
  return free;
}

/** The next step of a running Job: surplus pods are deleted before new ones are created. */
export function movesOf(
  spec: JsonObject,
  pods: readonly Pod[],
  census: Census,
  failures: Failures,
  nowMs: number,
): Moves {
  const { active, terminating } = census;
  if (spec["suspend"] === true) return active.length === 0 ? { kind: "none" } : { kind: "delete", pods: active };
  const count = wanted(spec, census);
  const excess = surplus(spec, active, Math.max(0, active.length - count)).slice(0, mostAtOnce);
  if (excess.length > 0) return { kind: "delete", pods: excess };
  const missing = count - active.length - (replacesOnlyEnded(spec) ? terminating : 0);
  if (missing <= 0) return { kind: "none" };
  const perIndex = census.indexes?.failed !== undefined;
  const wait = perIndex ? 0 : retryDelay(failures, nowMs);
  if (wait > 0) return { kind: "wait", ms: wait };
  const number = Math.min(missing, mostAtOnce);
  if (!isIndexed(spec)) return { kind: "create", indexes: Array.from({ length: number }, () => undefined) };
  const free = freeIndexes(spec, pods, census, number);
  return perIndex ? dueIndexes(census, free, nowMs) : { kind: "create", indexes: free };
}

/** Each index has its own backoff. */
function dueIndexes({ indexes }: Census, free: readonly number[], nowMs: number): Moves {
  const waits = free.map((index) => {
    const last = indexes?.delayed.get(index);
    return last === undefined ? 0 : retryDelay({ count: formerFailures(last).all + 1, lastMs: endedAt(last) }, nowMs);
  });
  const due = free.filter((_, position) => waits[position] === 0);
  if (due.length > 0) return { kind: "create", indexes: due };
  return waits.length === 0 ? { kind: "none" } : { kind: "wait", ms: Math.min(...waits) };
}
