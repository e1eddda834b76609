// Rules of comparison that suites share. A suite combines them; none looks at a case's name.
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Compare, Difference } from "./suite.ts";

/** Members of `expect` that say how to compare and are no part of the answer. */
const aboutComparing = new Set(["unordered", "alternatives", "otherOrders", "panic"]);

function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The first difference in document order; keys are compared as a set, lists by position. */
export function firstDifference(
  expected: JsonValue | undefined,
  actual: JsonValue | undefined,
  pointer = "",
): Difference | undefined {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const items = actual as readonly JsonValue[];
    for (const [index, item] of (expected as readonly JsonValue[]).entries()) {
      const found = firstDifference(item, items[index], `${pointer}/${index}`);
      if (found !== undefined) return found;
    }
    return items.length > expected.length
      ? { pointer: `${pointer}/${expected.length}`, expected: undefined, actual: items[expected.length] }
      : undefined;
  }
  if (isJsonObject(expected) && isJsonObject(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const found = firstDifference(member(expected, key), member(actual, key), `${pointer}/${escapePointer(key)}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return Object.is(expected, actual) ? undefined : { pointer, expected, actual };
}

/** `expect` without what only says how to compare. */
export function expectedAnswer(expect: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(expect).filter(([key]) => !aboutComparing.has(key)));
}

/** When OLM panicked, any answer but a crash is right: a typed error or a result. */
export function comparePanic(value: JsonValue): Difference | undefined {
  const crashed = isJsonObject(value) && member(value, "panic") !== undefined;
  return crashed ? { pointer: "/panic", expected: undefined, actual: member(value, "panic") } : undefined;
}

function otherAnswers(expect: JsonObject): readonly JsonValue[] {
  const lists = [member(expect, "alternatives"), member(expect, "otherOrders")];
  return lists.flatMap((list) => (Array.isArray(list) ? (list as readonly JsonValue[]) : []));
}

/**
 * Exactly, by the common conventions. An entry of `alternatives` or `otherOrders` that is an object is another whole
 * answer; a text is another value of the member `textMember`.
 */
export function compareExactly(textMember = "error"): Compare {
  return (golden, value) => {
    const { expect } = golden;
    if (member(expect, "panic") !== undefined) return comparePanic(value);
    const main = expectedAnswer(expect);
    const difference = firstDifference(main, value);
    if (difference === undefined) return undefined;
    const matched = otherAnswers(expect).some((other) => {
      const whole = isJsonObject(other) ? expectedAnswer(other) : { ...main, [textMember]: other };
      return firstDifference(whole, value) === undefined;
    });
    return matched ? undefined : difference;
  };
}

/** Both sides with the items of every list under one of `keys` sorted by their JSON text. */
export function sortedLists(value: JsonValue, keys: readonly string[]): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => sortedLists(item, keys));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held = null]) => {
      const inner = sortedLists(held, keys);
      return keys.includes(key) && Array.isArray(inner)
        ? [key, (inner as readonly JsonValue[]).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))]
        : [key, inner];
    }),
  );
}

/**
 * The rule for `loose` cases: members called `texts` only have to be there on both sides. Everything else stays
 * exact, so the same items fail with the same codes.
 */
function withoutTexts(value: JsonValue, texts: readonly string[]): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => withoutTexts(item, texts));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held = null]) => [
      key,
      texts.includes(key) && typeof held === "string" ? "(a text)" : withoutTexts(held, texts),
    ]),
  );
}

/** `exact` for every case; in loose ones the members called `texts` may differ. */
export function compareLoosely(exact: Compare, texts: readonly string[]): Compare {
  return (golden, value) => {
    const difference = exact(golden, value);
    if (difference === undefined || !golden.loose) return difference;
    return firstDifference(withoutTexts(expectedAnswer(golden.expect), texts), withoutTexts(value, texts));
  };
}
