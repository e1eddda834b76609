import type { SecuredContainer, SecuredPod } from "./secured-pod.ts";

/** A violation: a short reason and the details. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** Checks one aspect of a pod; undefined when it is allowed. */
export type Check = (pod: SecuredPod) => Violation | undefined;

/** A check with its changes over the versions of the Pod Security Standards. */
export interface CheckHistory {
  /** Violations are sorted by id, those of baseline first. */
  readonly id: string;
  readonly level: "baseline" | "restricted";
  /** The check from each minor version of Kubernetes 1 on, ascending. */
  readonly versions: readonly { readonly since: number; readonly check: Check }[];
  /** A baseline check that this one replaces. */
  readonly overrides?: string;
}

export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

export function quoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(", ");
}

/** Sorted values without duplicates. */
export function distinct(values: Iterable<string>): readonly string[] {
  return [...new Set(values)].toSorted();
}

/** `container "a"`, `containers "a", "b"`. */
export function named(containers: readonly SecuredContainer[]): string {
  return `${plural("container", containers.length)} ${quoted(containers.map(({ name }) => name))}`;
}

/** The setters of a field, for messages: `pod and container "a"`; empty when there are none. */
export function setters(pod: boolean, containers: readonly SecuredContainer[]): string {
  return [...(pod ? ["pod"] : []), ...(containers.length === 0 ? [] : [named(containers)])].join(" and ");
}

/** Skips the check for Windows pods, where validation forbids the field. */
export function exceptOnWindows(check: Check): Check {
  return (pod) => (pod.spec.os?.name === "windows" ? undefined : check(pod));
}

/** Skips the check for pods in a user namespace, where root has no privileges on the host. */
export function exceptInUserNamespace(check: Check): Check {
  return (pod) => (pod.spec.hostUsers === false ? undefined : check(pod));
}
