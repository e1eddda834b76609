import type { SecuredContainer, SecuredPod } from "./secured-pod.ts";

/** Why a check refuses a pod: what in short, and what exactly. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** Looks at one aspect of a pod; undefined when nothing is wrong with it. */
export type Check = (pod: SecuredPod) => Violation | undefined;

/** A check as it changed over the versions of the policy. */
export interface CheckHistory {
  /** Violations are told in the order of the ids, those of baseline first. */
  readonly id: string;
  readonly level: "baseline" | "restricted";
  /** From which minor version of Kubernetes 1 on which form counts; rising. */
  readonly versions: readonly { readonly since: number; readonly check: Check }[];
  /** A check of baseline that this one stands for. */
  readonly overrides?: string;
}

export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

export function quoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(", ");
}

/** Each value once, sorted. */
export function distinct(values: Iterable<string>): readonly string[] {
  return [...new Set(values)].toSorted();
}

/** `container "a"`, `containers "a", "b"`. */
export function named(containers: readonly SecuredContainer[]): string {
  return `${plural("container", containers.length)} ${quoted(containers.map(({ name }) => name))}`;
}

/** Who sets something for the whole pod and for containers: `pod and container "a"`; empty when nobody does. */
export function setters(pod: boolean, containers: readonly SecuredContainer[]): string {
  return [...(pod ? ["pod"] : []), ...(containers.length === 0 ? [] : [named(containers)])].join(" and ");
}

/** Windows knows no such thing, and validation refuses to hear of it there. */
export function exceptOnWindows(check: Check): Check {
  return (pod) => (pod.spec.os?.name === "windows" ? undefined : check(pod));
}

/** Root in a user namespace of its own is nobody outside. */
export function exceptInUserNamespace(check: Check): Check {
  return (pod) => (pod.spec.hostUsers === false ? undefined : check(pod));
}
