// Rules for the differences between Purser and OLM in the status of a Subscription.
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { causeCodes } from "../../../src/explanation/explanation.ts";
import { expectedAnswer, firstDifference } from "../../compare.ts";
import type { GoldenCase } from "../../suite.ts";
import { listAt, objectAt, textAt } from "../bundle-directory.ts";
import { namedHealth, withKnownHealth } from "./known-health.ts";
import { judged, namespaceAfterPass } from "./namespace-after-pass.ts";

/** Both answers without what one rule is about. */
type Levelling = (input: JsonObject, expected: JsonObject, actual: JsonObject) => readonly [JsonObject, JsonObject];

const items = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];

type Change = (condition: JsonObject, subscription: string) => JsonObject | undefined;

/** Sorted again, because the order follows the texts. */
function eachCondition(answer: JsonObject, change: Change): JsonObject {
  const subscriptions = Object.entries(objectAt(answer, "subscriptions")).map(([name, shown]) => {
    if (!isJsonObject(shown)) return [name, shown];
    const conditions = items(shown["conditions"])
      .flatMap((condition) => change(condition, name) ?? [])
      .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return [name, { ...shown, conditions }];
  });
  return { ...answer, subscriptions: Object.fromEntries(subscriptions) as JsonObject };
}

const ofType = (condition: JsonObject, ...types: readonly string[]): boolean =>
  types.includes(textAt(condition, "type"));

function subscriptionNamed(input: JsonObject, name: string): JsonObject {
  return (
    items(listAt(input, "objects")).find(
      (object) => object["kind"] === "Subscription" && textAt(objectAt(object, "metadata"), "name") === name,
    ) ?? {}
  );
}

const isSame = (one: JsonObject, other: JsonObject): boolean =>
  ["type", "reason", "message"].every((key) => textAt(one, key) === textAt(other, key));

const resolutionConditions = ["ResolutionFailed", "BundleUnpacking", "BundleUnpackFailed"] as const;

/** A condition that only the world of a case shows: no pass writes this text. */
const isStale = (condition: JsonObject): boolean => textAt(condition, "message") === "before";

const unsatisfiable = "constraints not satisfiable: ";

const unpackText = /^Bundle unpacking failed - Bundle(?:Unavailable|Invalid): \S+: \S/;

/** When OLM's pass ends with an error, Purser completes the pass, whatever the error was about. */
function goesOn(pattern: RegExp): Levelling {
  return (input, expected, actual) =>
    pattern.test(textAt(expected, "error"))
      ? [namespaceAfterPass(input, listAt(expected, "installPlans")), actual]
      : [expected, actual];
}

const levellings: Readonly<Record<string, Levelling>> = {
  // What changes the whole expected answer comes first: the other rules then apply to it.
  "annotations about unpack jobs have no effect": goesOn(/^failed to parse unpack/),
  "a deleted plan does not block resolution": goesOn(/^installplans\.operators\.coreos\.com ".*" not found$/),
  "a wrong number of groups is shown": goesOn(/^found \d+ operatorGroups, expected 1$/),
  "the health of catalogs is known": (input, expected, actual) => {
    if (textAt(expected, "error") !== "connection refused") return [expected, actual];
    const name = textAt(input, "subscription");
    const subscriptions = objectAt(expected, "subscriptions");
    const known = withKnownHealth(input, objectAt(subscriptions, name));
    return [{ ...expected, error: null, subscriptions: { ...subscriptions, [name]: known } }, actual];
  },
  "refusals begin with a cause": (_input, expected, actual) => [
    expected,
    eachCondition(actual, (condition) => {
      const message = textAt(condition, "message");
      const start = message.indexOf("\n");
      const code = /^([A-Za-z]+): \S/.exec(message)?.[1];
      return ofType(condition, "ResolutionFailed") && start >= 0 && causeCodes.some((known) => known === code)
        ? { ...condition, message: message.slice(start + 1) }
        : condition;
    }),
  ],
  // Which of several conflicts OLM names is random; ours names one that a Subscription of the case is part of.
  "one of several conflicts is shown": (input, expected, actual) => {
    const names = items(listAt(input, "objects"))
      .filter((object) => object["kind"] === "Subscription")
      .map((object) => textAt(objectAt(object, "metadata"), "name"));
    const isConflict = (text: string): boolean => names.some((name) => text.includes(`, subscription ${name} exists`));
    const level = (answer: JsonObject, isRight: (text: string) => boolean): JsonObject =>
      eachCondition(answer, (condition) => {
        const [start, rest] = textAt(condition, "message").split(unsatisfiable);
        const isShown = ofType(condition, "ResolutionFailed") && start === "" && rest !== undefined && isRight(rest);
        return isShown ? { ...condition, message: unsatisfiable } : condition;
      });
    return [level(expected, (text) => text !== ""), level(actual, isConflict)];
  },
  // Only from what is expected: a stale condition on ours alone is a fault.
  "what no longer holds goes at once": (input, expected, actual) => [
    eachCondition(expected, (condition, name) => {
      const held = items(listAt(objectAt(subscriptionNamed(input, name), "status"), "conditions"));
      const shown = items(listAt(objectAt(objectAt(actual, "subscriptions"), name), "conditions"));
      const stale = ofType(condition, ...resolutionConditions) && held.some((before) => isSame(before, condition));
      return stale && !shown.some((ours) => ours["type"] === condition["type"]) ? undefined : condition;
    }),
    actual,
  ],
  "bundles are read, not unpacked by jobs": (input, expected, actual) => {
    const failing = textAt(expected, "error").startsWith("bundle unpacking failed with an error");
    const due = failing ? namespaceAfterPass(input, listAt(expected, "installPlans")) : expected;
    // OLM asks for another look only once a failure is new.
    const again = due["requeueSeconds"];
    const shows = Object.values(objectAt(due, "subscriptions")).some(
      (shown) =>
        isJsonObject(shown) &&
        items(listAt(shown, "conditions")).some((held) => ofType(held, "BundleUnpackFailed") && !isStale(held)),
    );
    const requeueSeconds = Array.isArray(again) && again.length === 0 && shows ? [300] : again;
    const text = "what is wrong with the bundle";
    const expectedTexts = eachCondition({ ...due, requeueSeconds }, (condition) =>
      ofType(condition, "BundleUnpackFailed")
        ? { ...condition, message: text }
        : ofType(condition, "BundleUnpacking")
          ? { ...condition, message: "" }
          : condition,
    );
    const ours = eachCondition(actual, (condition) =>
      ofType(condition, "BundleUnpackFailed") && (unpackText.test(textAt(condition, "message")) || isStale(condition))
        ? { ...condition, message: text }
        : condition,
    );
    return [expectedTexts, ours];
  },
  "a generated Subscription shows its plan": (input, expected, actual) => {
    const subscriptions = Object.entries(objectAt(expected, "subscriptions")).map(([name, shown]) => {
      const subscription = subscriptionNamed(input, name);
      const { conditions: _conditions, ...due } = judged(input, subscription);
      const annotations = objectAt(objectAt(subscription, "metadata"), "annotations");
      const isMade = textAt(annotations, "olm.generated-by") !== "" && textAt(due, "installPlan") !== "";
      return [name, isMade && isJsonObject(shown) && shown["installPlan"] === undefined ? { ...shown, ...due } : shown];
    });
    return [{ ...expected, subscriptions: Object.fromEntries(subscriptions) as JsonObject }, actual];
  },
  "the catalog that is unhealthy is named": (input, expected, actual) => [
    eachCondition(expected, (condition, name) =>
      ofType(condition, "CatalogSourcesUnhealthy") ? (namedHealth(input, name, condition) ?? condition) : condition,
    ),
    actual,
  ],
};

/** Whether all rules together explain the answer, and this one is needed for it. */
function explains(rule: string, { input, expect }: GoldenCase, value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const level = (names: readonly string[]): boolean => {
    let [expected, actual]: readonly [JsonObject, JsonObject] = [expectedAnswer(expect), value];
    for (const name of names) [expected, actual] = levellings[name]?.(input, expected, actual) ?? [expected, actual];
    return firstDifference(expected, actual) === undefined;
  };
  const all = Object.keys(levellings);
  return level(all) && !level(all.filter((name) => name !== rule));
}

/** The rules by name. */
export const subscriptionDifferences: Readonly<Record<string, (golden: GoldenCase, value: JsonValue) => boolean>> =
  Object.fromEntries(
    Object.keys(levellings).map((rule) => [
      rule,
      (golden: GoldenCase, value: JsonValue) => explains(rule, golden, value),
    ]),
  );
