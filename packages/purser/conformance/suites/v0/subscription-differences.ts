// What Purser shows otherwise than OLM in a Subscription, as rules that take the two apart from it.
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { expectedAnswer, firstDifference } from "../../compare.ts";
import type { GoldenCase } from "../../suite.ts";
import { listAt, objectAt, textAt } from "../bundle-directory.ts";
import { withKnownHealth } from "./known-health.ts";

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

const both =
  (change: (answer: JsonObject, input: JsonObject) => JsonObject): Levelling =>
  (input, expected, actual) => [change(expected, input), change(actual, input)];

const ofType = (condition: JsonObject, ...types: readonly string[]): boolean =>
  types.includes(textAt(condition, "type"));

function subscriptionNamed(input: JsonObject, name: string): JsonObject {
  return (
    items(listAt(input, "objects")).find(
      (object) => object["kind"] === "Subscription" && textAt(objectAt(object, "metadata"), "name") === name,
    ) ?? {}
  );
}

const unpackAnnotations = [
  "operatorframework.io/bundle-unpack-timeout",
  "operatorframework.io/bundle-unpack-min-retry-interval",
];

const resolutionConditions = ["ResolutionFailed", "BundleUnpacking", "BundleUnpackFailed"] as const;

/** Our answer to a case; see `v0-subscription-conditions.ts`. */
export type AnswerOf = (input: JsonObject) => JsonObject;

/**
 * Where upstream gives up because of an annotation, ours has to be what it is without these annotations on anything: the
 * rest of that answer is what other cases state.
 */
function asWithout(pattern: RegExp, annotations: readonly string[], answerOf: AnswerOf): Levelling {
  return (input, expected, actual) => {
    if (!pattern.test(textAt(expected, "error"))) return [expected, actual];
    const objects = items(listAt(input, "objects")).map((object) => {
      const metadata = objectAt(object, "metadata");
      const kept = Object.entries(objectAt(metadata, "annotations")).filter(([name]) => !annotations.includes(name));
      return { ...object, metadata: { ...metadata, annotations: Object.fromEntries(kept) as JsonObject } };
    });
    return [answerOf({ ...input, objects }), actual];
  };
}

const levellingsWith = (answerOf: AnswerOf): Readonly<Record<string, Levelling>> => ({
  // What changes the whole expected answer comes first: the other rules then apply to it.
  "annotations about unpack jobs have no effect": asWithout(/^failed to parse unpack/, unpackAnnotations, answerOf),
  "a plan that is gone stops nothing": asWithout(
    /^installplans\.operators\.coreos\.com ".*" not found$/,
    ["olm.generated-by"],
    answerOf,
  ),
  "the health of catalogs is known": (input, expected, actual) => {
    if (textAt(expected, "error") !== "connection refused") return [expected, actual];
    const name = textAt(input, "subscription");
    const subscriptions = objectAt(expected, "subscriptions");
    const known = withKnownHealth(input, objectAt(subscriptions, name));
    return [{ ...expected, error: null, subscriptions: { ...subscriptions, [name]: known } }, actual];
  },
  "refusals begin with a cause": both((answer) =>
    eachCondition(answer, (condition) => {
      const message = textAt(condition, "message");
      const start = message.indexOf("\n");
      return ofType(condition, "ResolutionFailed") && start >= 0 && /^[A-Z][A-Za-z]+: /.test(message)
        ? { ...condition, message: message.slice(start + 1) }
        : condition;
    }),
  ),
  "one of several conflicts is shown": both((answer) =>
    eachCondition(answer, (condition) => {
      const [start, rest] = textAt(condition, "message").split("constraints not satisfiable: ");
      return ofType(condition, "ResolutionFailed") && start === "" && rest !== undefined
        ? { ...condition, message: "constraints not satisfiable: " }
        : condition;
    }),
  ),
  "what no longer holds goes at once": both((answer, input) =>
    eachCondition(answer, (condition, name) => {
      const held = listAt(objectAt(subscriptionNamed(input, name), "status"), "conditions");
      const stale = items(held).some(
        (before) =>
          textAt(before, "type") === textAt(condition, "type") &&
          textAt(before, "reason") === textAt(condition, "reason") &&
          textAt(before, "message") === textAt(condition, "message"),
      );
      return stale && ofType(condition, ...resolutionConditions) ? undefined : condition;
    }),
  ),
  "bundles are read, not unpacked by jobs": (_input, expected, actual) => {
    const error = textAt(expected, "error");
    const failing = error.startsWith("bundle unpacking failed with an error");
    const about = (answer: JsonObject): JsonObject => {
      const shown = Object.values(objectAt(answer, "subscriptions"))
        .filter(isJsonObject)
        .some((subscription) =>
          items(subscription["conditions"]).some((condition) =>
            ofType(condition, "BundleUnpackFailed", "BundleUnpacking"),
          ),
        );
      const level = eachCondition(answer, (condition) => {
        if (failing && ofType(condition, ...resolutionConditions)) return undefined;
        return ofType(condition, "BundleUnpackFailed", "BundleUnpacking") ? { ...condition, message: "" } : condition;
      });
      return { ...level, ...(failing ? { error: null } : {}), ...(shown || failing ? { requeueSeconds: [] } : {}) };
    };
    return [about(expected), about(actual)];
  },
  "a generated Subscription shows its plan": both((answer, input) => {
    const subscriptions = Object.entries(objectAt(answer, "subscriptions")).map(([name, shown]) => {
      const { metadata, status } = subscriptionNamed(input, name);
      const annotations = isJsonObject(metadata) ? objectAt(metadata, "annotations") : {};
      const referenced = isJsonObject(status) && member(status, "installPlanRef") !== undefined;
      if (!isJsonObject(shown) || referenced || textAt(annotations, "olm.generated-by") === "") return [name, shown];
      const {
        installPlan: _plan,
        installPlanGeneration: _generation,
        state: _state,
        currentCSV: _csv,
        ...rest
      } = shown;
      return [name, rest];
    });
    return { ...answer, subscriptions: Object.fromEntries(subscriptions) as JsonObject };
  }),
  "a wrong number of groups is shown": (_input, expected, actual) => {
    if (!/^found \d+ operatorGroups, expected 1$/.test(textAt(expected, "error"))) return [expected, actual];
    const withoutRefusal = (answer: JsonObject): JsonObject =>
      eachCondition({ ...answer, error: null }, (condition) =>
        ofType(condition, ...resolutionConditions) ? undefined : condition,
      );
    return [withoutRefusal(expected), withoutRefusal(actual)];
  },
  "the catalog that is unhealthy is named": (input, expected, actual) => {
    const level = (answer: JsonObject): JsonObject =>
      eachCondition(answer, (condition, name) => {
        if (!ofType(condition, "CatalogSourcesUnhealthy")) return condition;
        const source = textAt(objectAt(subscriptionNamed(input, name), "spec"), "source");
        const health = objectAt(input, "health");
        const ill = Object.values(health).some((said) => said !== "healthy");
        if (source === "") return undefined;
        return ill && !textAt(condition, "message").startsWith("targeted") ? { ...condition, message: "" } : condition;
      });
    return [level(expected), level(actual)];
  },
});

/** Whether all rules together explain the answer, and this one is needed for it. */
function explains(
  rule: string,
  levellings: Readonly<Record<string, Levelling>>,
  { input, expect }: GoldenCase,
  value: JsonValue,
): boolean {
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
export function subscriptionDifferences(
  answerOf: AnswerOf,
): Readonly<Record<string, (golden: GoldenCase, value: JsonValue) => boolean>> {
  const levellings = levellingsWith(answerOf);
  return Object.fromEntries(
    Object.keys(levellings).map((rule) => [
      rule,
      (golden: GoldenCase, value: JsonValue): boolean => explains(rule, levellings, golden, value),
    ]),
  );
}
