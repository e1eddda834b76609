import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { matchesSelector, selectorOf, type LabelSelector } from "@purser/kubernetes/apis/selector";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectIn, textIn } from "../kinds/decoding/json-parts.ts";

const anyLabels = "*";

/** Index values of an object with labels: each label, prefixed with its namespace. */
export function labelValues({ metadata: { namespace = "", labels = {} } }: KubeObject): readonly string[] {
  return Object.entries(labels).map(([key, value]) => `${namespace}/${key}=${value}`);
}

/**
 * Index value of an object with a selector: one of the labels that it requires, because every object it selects has
 * that label.
 */
function selectorValue(namespace: string | undefined, matchLabels: JsonObject): string {
  const [key] = Object.keys(matchLabels);
  return `${namespace ?? ""}/${key === undefined ? anyLabels : `${key}=${textIn(matchLabels, key)}`}`;
}

/** {@link selectorValue} of `spec.selector`, a LabelSelector. */
export function setSelectorValues(set: KubeObject): readonly string[] {
  return [selectorValue(set.metadata.namespace, objectIn(selectorIn(set), "matchLabels"))];
}

/** {@link selectorValue} of `spec.selector`, a map of labels; none without a selector, which selects nothing. */
export function mapSelectorValues(service: KubeObject): readonly string[] {
  const selector = selectorIn(service);
  return Object.keys(selector).length === 0 ? [] : [selectorValue(service.metadata.namespace, selector)];
}

function selectorIn(object: KubeObject): JsonObject {
  return objectIn(objectIn(asJson(object), "spec"), "selector");
}

/** Index values to look up objects whose selector may match the labels of `object`. */
export function selectorsFor(object: KubeObject): readonly string[] {
  return [...labelValues(object), `${object.metadata.namespace ?? ""}/${anyLabels}`];
}

/** Index values to look up objects that `selector`, a map of labels, may match. */
export function candidatesOf(namespace: string | undefined, selector: JsonObject): readonly string[] {
  return [selectorValue(namespace, selector)];
}

/**
 * Whether the labels of a stored object are among those that a map requires. Stored labels are valid, so that a map with
 * others matches none of them; the first label that differs ends the comparison, however many there are.
 */
export function hasLabels({ metadata: { labels = {} } }: KubeObject, wanted: JsonObject): boolean {
  for (const key in wanted) if (!Object.hasOwn(labels, key) || labels[key] !== wanted[key]) return false;
  return true;
}

/** A predicate for a stored label selector; an invalid selector matches nothing. */
export function labelMatcher(selector: JsonObject): (object: KubeObject) => boolean {
  const parsed = selectorOf(selector as LabelSelector);
  return ({ metadata: { labels = {} } }) => parsed.ok && matchesSelector(parsed.value, labels);
}
