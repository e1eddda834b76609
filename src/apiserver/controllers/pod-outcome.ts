import type { Pod } from "../../apis/core.ts";
import type { PodOutcome, PodRule, Simulation } from "./simulation.ts";

/** Annotation on a pod (or its template) that says what becomes of it. */
export const resultAnnotation = "sim/result";

/** `750ms`, `2s`, `1m`; undefined for anything else. */
function durationMs(text: string): number | undefined {
  const [, amount = "", unit = ""] = /^(\d+)(ms|s|m)$/.exec(text) ?? [];
  if (amount === "") return undefined;
  return Number(amount) * (unit === "ms" ? 1 : unit === "s" ? 1000 : 60_000);
}

/** Reads `ready`, `slow=2s`, `pending`, `never-ready`, `crash`, `image-error`, `succeed` or `fail`. */
export function parseOutcome(text: string): PodOutcome | undefined {
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
    default: {
      const afterMs = text.startsWith("slow=") ? durationMs(text.slice(5)) : undefined;
      return afterMs === undefined ? undefined : { kind: "ready", afterMs };
    }
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

/** Annotation first, then the first rule that fits; pods of jobs end well, all others become ready. */
export function outcomeOf(pod: Pod, simulation: Simulation): PodOutcome {
  const annotated = parseOutcome(pod.metadata.annotations?.[resultAnnotation] ?? "");
  if (annotated !== undefined) return annotated;
  const rule = simulation.podRules?.().find((held) => matches(held, pod));
  if (rule !== undefined) return rule.outcome;
  const ofJob = pod.metadata.ownerReferences?.some(({ kind, controller }) => kind === "Job" && controller === true);
  if (ofJob === true) return { kind: "succeed" };
  return simulation.readyAfterMs === undefined
    ? { kind: "ready" }
    : { kind: "ready", afterMs: simulation.readyAfterMs };
}
