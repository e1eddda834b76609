import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { readDocuments } from "@purser/kubernetes/text/documents";
import { formatPlace } from "@purser/kubernetes/place";
import { type Invocation, listOption, type OptionSpec, UsageError } from "../command.ts";
import { readText } from "../read-text.ts";

/** Flags that configure the operator itself. */
export const valueOptions: readonly OptionSpec[] = [
  {
    flags: "--set PATH=VALUE",
    summary: "a value of the operator's configuration, such as resources.limits.memory=1Gi or tolerations[0].key=infra",
    repeatable: true,
  },
  {
    flags: "--values FILE",
    summary: "YAML or JSON file with that configuration: spec.config of a Subscription, inline configuration of v1",
    repeatable: true,
  },
];

/**
 * The configuration that `--values` and `--set` give, undefined without them. Later files win over earlier ones by member, `--set`
 * over files; lists are replaced. A value that is JSON (`true`, `3`, `null`, `[…]`, `{…}`) counts as such, everything else is text.
 * @param held the configuration that they change
 * @throws UsageError for a file that is no YAML object, and a path that does not fit
 */
export function operatorValues(invocation: Invocation, held: JsonObject = {}): JsonObject | undefined {
  const files = listOption(invocation, "values");
  const sets = listOption(invocation, "set");
  if (files.length === 0 && sets.length === 0) return undefined;
  let values = held;
  for (const file of files) values = merged(values, valuesIn(file));
  for (const text of sets) {
    const at = text.indexOf("=");
    const path = at < 1 ? [] : pathOf(text.slice(0, at));
    if (path.length === 0 || typeof path[0] === "number")
      throw new UsageError(`--set "${text}" is not PATH=VALUE`, "write it as resources.limits.memory=1Gi");
    values = withValue(values, path, valueOf(text.slice(at + 1)), text) as JsonObject;
  }
  return values;
}

function valuesIn(file: string): JsonObject {
  const read = readText(file);
  if ("problem" in read) throw new UsageError(`--values cannot read ${file}: ${read.problem}`);
  const documents = readDocuments(read.text, { file });
  if (!documents.ok)
    throw new UsageError(`--values ${formatPlace(documents.problem.place)}: ${documents.problem.message}`);
  const [first, ...others] = documents.value;
  if (first === undefined) return {};
  if (others.length > 0 || !isJsonObject(first.value))
    throw new UsageError(`--values ${file} holds ${others.length > 0 ? "several documents" : "no object"}`);
  return first.value;
}

function merged(base: JsonObject, over: JsonObject): JsonObject {
  const members = Object.entries(over).map(([key, value]): readonly [string, JsonValue] => {
    const held = Object.hasOwn(base, key) ? base[key] : undefined;
    return [key, isJsonObject(held) && isJsonObject(value) ? merged(held, value) : (value as JsonValue)];
  });
  return Object.fromEntries([...Object.entries(base), ...members]) as JsonObject;
}

/** `a.b[0]` as steps; a dot behind a backslash belongs to the name. Empty when it is no path. */
function pathOf(text: string): readonly (string | number)[] {
  const names = text.split(/(?<!\\)\./);
  const steps = names.map((name) => /^((?:\\.|[^[\]\\])+)((?:\[\d{1,4}\])*)$/.exec(name));
  return steps.includes(null)
    ? []
    : steps.flatMap((step) => [
        (step?.[1] ?? "").replaceAll(/\\(.)/g, "$1"),
        ...[...(step?.[2] ?? "").matchAll(/\d+/g)].map(([index]) => Number(index)),
      ]);
}

/** Numbers only where they print as they were written: `1.10` is a text. */
function valueOf(text: string): JsonValue {
  try {
    const value = JSON.parse(text) as JsonValue;
    return typeof value === "number" && String(value) !== text ? text : value;
  } catch {
    return text;
  }
}

function withValue(
  held: JsonValue | undefined,
  path: readonly (string | number)[],
  value: JsonValue,
  text: string,
): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list: readonly JsonValue[] = Array.isArray(held) ? held : [];
    if (step > list.length)
      throw new UsageError(`--set "${text}" leaves out [${list.length}]`, "set the items of a list in their order");
    return list.toSpliced(step, 1, withValue(list[step], rest, value, text));
  }
  const object = isJsonObject(held) ? held : {};
  const inside = Object.hasOwn(object, step) ? object[step] : undefined;
  return Object.fromEntries([...Object.entries(object), [step, withValue(inside, rest, value, text)]]) as JsonObject;
}
