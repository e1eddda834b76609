import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { createMergePatch } from "@purser/kubernetes/object/patches/merge-patch";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type { Invocation } from "../command.ts";
import { operatorValues } from "./operator-values.ts";
import { checkSubscriptionConfig } from "./values-check.ts";

/** A change of the configuration of an installed operator. */
export interface ChangedValues {
  /** A merge patch of `spec.config`; null when nothing is left of it. */
  readonly patch: JsonValue;
  /** `resources.limits.memory  1Gi -> 2Gi`, a line for each changed value. */
  readonly lines: readonly string[];
}

/**
 * What `--set` and `--values` change of `spec.config` of a Subscription, or of the inline configuration of a ClusterExtension: members
 * that they do not name are kept, and null removes one. Undefined without the flags, "same" when they change nothing.
 * @throws UsageError for what the configuration of a Subscription cannot hold, and as {@link operatorValues}
 */
export async function changedValues(
  invocation: Invocation,
  api: "v0" | "v1",
  config: JsonValue | undefined,
): Promise<ChangedValues | "same" | undefined> {
  const whole = isJsonObject(config) ? config : {};
  const inline = api === "v1" ? member(whole, "inline") : whole;
  const before = isJsonObject(inline) ? inline : {};
  const given = operatorValues(invocation, before);
  if (given === undefined) return undefined;
  const after = withoutNulls(given) as JsonObject;
  if (api === "v0") await checkSubscriptionConfig(after);
  if (deepEqual(before, after)) return "same";
  const isEmpty = Object.keys(after).length === 0;
  const patch = isEmpty
    ? null
    : api === "v0"
      ? createMergePatch(before, after)
      : { configType: "Inline", inline: createMergePatch(before, after) };
  return { patch, lines: linesOf(before, after, "") };
}

/** What a null asks to remove is left out, and so are objects that hold nothing else. */
function withoutNulls(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, held]): readonly (readonly [string, JsonValue])[] => {
    if (held === undefined || held === null) return [];
    const kept = withoutNulls(held);
    const isEmptied = isJsonObject(held) && isJsonObject(kept) && Object.keys(kept).length === 0;
    return isEmptied && Object.keys(held).length > 0 ? [] : [[name, kept]];
  });
  return Object.fromEntries(members);
}

function linesOf(before: JsonValue | undefined, after: JsonValue | undefined, path: string): readonly string[] {
  if (deepEqual(before ?? null, after ?? null)) return [];
  if (isJsonObject(before) && isJsonObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => linesOf(before[name], after[name], path === "" ? name : `${path}.${name}`));
  }
  const words = (value: JsonValue | undefined): string =>
    value === undefined ? "not set" : typeof value === "string" ? value : JSON.stringify(value);
  return [`${path}  ${words(before)} -> ${words(after)}`];
}
