import type { KubeObject } from "../apis/object.ts";
import { matchesSelector, parseLabelSelector, type Requirement, type Selector } from "../apis/selector.ts";
import type { Informer } from "./informer.ts";

/** Name of the index of objects by the value of a label. */
export const labelIndex = (label: string): string => `label ${label}`;

/** Narrows by an indexed label if the selector requires one value of it, then by the whole selector. */
export function select(
  { store }: Informer,
  namespace: string | undefined,
  selector: Selector | undefined,
): readonly KubeObject[] {
  if (selector === undefined) return store.list(namespace);
  const indexed = selector.find(
    (requirement) =>
      requirement.operator === "in" && requirement.values.length === 1 && store.hasIndex(labelIndex(requirement.key)),
  );
  const candidates =
    indexed?.operator === "in"
      ? store.byIndex(labelIndex(indexed.key), indexed.values[0] ?? "")
      : store.list(namespace);
  return candidates.filter(
    ({ metadata }) =>
      (namespace === undefined || metadata.namespace === namespace) && matchesSelector(selector, metadata.labels ?? {}),
  );
}

/** Whether `asked` is at least as narrow as `held`: it contains all of its requirements. */
export function asksNoMore(asked: Selector, held: Selector): boolean {
  return held.every((requirement) => asked.some((other) => isSame(requirement, other)));
}

function isSame(left: Requirement, right: Requirement): boolean {
  if (left.key !== right.key || left.operator !== right.operator) return false;
  return requirementText(left) === requirementText(right);
}

function requirementText(requirement: Requirement): string {
  return JSON.stringify(requirement, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}

export function parsedSelector(text: string | undefined): Selector | undefined | "unreadable" {
  if (text === undefined || text === "") return undefined;
  const parsed = parseLabelSelector(text);
  return parsed.ok ? parsed.value : "unreadable";
}
