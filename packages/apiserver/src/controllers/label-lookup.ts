import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { matchesSelector, selectorOf, type LabelSelector } from "@purser/kubernetes/apis/selector";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectIn, textIn } from "../kinds/decoding/json-parts.ts";

const anyLabels = "*";

/** Under what an object with labels is found: each of its labels, within its namespace. */
export function labelValues({ metadata: { namespace = "", labels = {} } }: KubeObject): readonly string[] {
  return Object.entries(labels).map(([key, value]) => `${namespace}/${key}=${value}`);
}

/**
 * Under what an object with a selector is found, by whoever has labels: one of the labels that it asks for, since
 * those whom it selects have all of them.
 */
function selectorValue(namespace: string | undefined, matchLabels: JsonObject): string {
  const [key] = Object.keys(matchLabels);
  return `${namespace ?? ""}/${key === undefined ? anyLabels : `${key}=${textIn(matchLabels, key)}`}`;
}

/** {@link selectorValue} of `spec.selector`, which is a label selector. */
export function setSelectorValues(set: KubeObject): readonly string[] {
  return [selectorValue(set.metadata.namespace, objectIn(selectorIn(set), "matchLabels"))];
}

/** {@link selectorValue} of `spec.selector`, which is a map of labels; without one it selects nothing. */
export function mapSelectorValues(service: KubeObject): readonly string[] {
  const selector = selectorIn(service);
  return Object.keys(selector).length === 0 ? [] : [selectorValue(service.metadata.namespace, selector)];
}

function selectorIn(object: KubeObject): JsonObject {
  return objectIn(objectIn(asJson(object), "spec"), "selector");
}

/** Under what to look for the objects whose selector may match the labels of `object`. */
export function selectorsFor(object: KubeObject): readonly string[] {
  return [...labelValues(object), `${object.metadata.namespace ?? ""}/${anyLabels}`];
}

/** Under what to look for the objects that `selector`, a map of labels, may match. */
export function candidatesOf(namespace: string | undefined, selector: JsonObject): readonly string[] {
  return [selectorValue(namespace, selector)];
}

/** Tells which objects a stored label selector selects; one that cannot be read selects nothing. */
export function labelMatcher(selector: JsonObject): (object: KubeObject) => boolean {
  const parsed = selectorOf(selector as LabelSelector);
  return ({ metadata: { labels = {} } }) => parsed.ok && matchesSelector(parsed.value, labels);
}
