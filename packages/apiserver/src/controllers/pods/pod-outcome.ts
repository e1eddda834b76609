import type { Pod } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { PodOutcome, PodRule, Simulation } from "./simulation.ts";

/** Annotation on a pod (or its template) or on a namespace that sets the simulated outcome of the pod or pods. */
export const resultAnnotation = "sim/result";

/** Valid values, for the warning about an unknown one. */
export const knownResults =
  "ready, slow=DURATION, pending, never-ready, crash, image-error, succeed, fail; ready, succeed and fail take =DURATION too, such as fail=2s";

/** Parses `750ms`, `2s`, `1m`; undefined for anything else. */
function durationMs(text: string): number | undefined {
  const [, amount = "", unit = ""] = /^(\d+)(ms|s|m)$/.exec(text) ?? [];
  if (amount === "") return undefined;
  return Number(amount) * (unit === "ms" ? 1 : unit === "s" ? 1000 : 60_000);
}

/** Parses one of {@link knownResults}; undefined for anything else. */
export function parseOutcome(text: string): PodOutcome | undefined {
  const equals = text.indexOf("=");
  if (equals >= 0) {
    const afterMs = durationMs(text.slice(equals + 1));
    return afterMs === undefined ? undefined : delayed(text.slice(0, equals), afterMs);
  }
  switch (text) {
    case "ready":
      return { kind: "ready" };
    case "pending":
      return { kind: "pending" };
    case "never-ready":
      return { kind: "neverReady" };
    case "crash":
      return { kind: "crash" };
    case "image-error":
      return { kind: "imageError" };
    case "succeed":
      return { kind: "succeed" };
    case "fail":
      return { kind: "fail" };
    default:
      return undefined;
  }
}

function delayed(result: string, afterMs: number): PodOutcome | undefined {
  switch (result) {
    case "ready":
    case "slow":
      return { kind: "ready", afterMs };
    case "succeed":
      return { kind: "succeed", afterMs };
    case "fail":
      return { kind: "fail", afterMs };
    default:
      return undefined;
  }
}

function imageMatches(pattern: string, pod: Pod): boolean {
  const images = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].map(({ image }) => image ?? "");
  return pattern.endsWith("*")
    ? images.some((image) => image.startsWith(pattern.slice(0, -1)))
    : images.includes(pattern);
}

function matches(rule: PodRule, pod: Pod): boolean {
  if (rule.namespace !== undefined && rule.namespace !== pod.metadata.namespace) return false;
  if (rule.image !== undefined && !imageMatches(rule.image, pod)) return false;
  return Object.entries(rule.labels ?? {}).every(([key, value]) => pod.metadata.labels?.[key] === value);
}

/**
 * The outcome by the pod's annotation, else its namespace's, else the first matching rule; by default pods of Jobs
 * succeed and all others become ready.
 */
export function outcomeOf(pod: Pod, namespace: KubeObject | undefined, simulation: Simulation): PodOutcome {
  for (const object of [pod, namespace]) {
    const annotated = parseOutcome(object?.metadata.annotations?.[resultAnnotation] ?? "");
    if (annotated !== undefined) return annotated;
  }
  const rule = simulation.podRules?.().find((held) => matches(held, pod));
  if (rule !== undefined) return rule.outcome;
  const ofJob = pod.metadata.ownerReferences?.some(({ kind, controller }) => kind === "Job" && controller === true);
  if (ofJob === true) return { kind: "succeed" };
  return simulation.readyAfterMs === undefined
    ? { kind: "ready" }
    : { kind: "ready", afterMs: simulation.readyAfterMs };
}
