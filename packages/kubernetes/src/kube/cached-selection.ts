import type { KubeObject } from "../apis/object.ts";
import { matchesSelector, parseLabelSelector, type Requirement, type Selector } from "../apis/selector.ts";
import type { Informer } from "./informer.ts";

/** Name of the index of objects by the value of a label. */
export const labelIndex = (label: string): string => `label ${label}`;

/** Narrows by the namespace or by the indexed label of which the selector requires one value, whichever leaves fewer objects. */
export function select(
  { store }: Informer,
  namespace: string | undefined,
  selector: Selector | undefined,
): readonly KubeObject[] {
  if (selector === undefined) return store.list(namespace);
  const keeps = ({ metadata }: KubeObject): boolean =>
    (namespace === undefined || metadata.namespace === namespace) && matchesSelector(selector, metadata.labels ?? {});
  let fewest = store.sizeIn(namespace);
  let narrowest: { readonly index: string; readonly value: string } | undefined;
  for (const requirement of selector) {
    if (requirement.operator !== "in" || requirement.values.length !== 1) continue;
    const index = labelIndex(requirement.key);
    const [value = ""] = requirement.values;
    if (!store.hasIndex(index) || store.indexSize(index, value) >= fewest) continue;
    [fewest, narrowest] = [store.indexSize(index, value), { index, value }];
  }
  return narrowest === undefined
    ? store.list(namespace, keeps)
    : store.byIndex(narrowest.index, narrowest.value, keeps);
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
