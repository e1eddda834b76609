import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { readYaml } from "@purser/kubernetes/text/documents";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { type OptionSpec, type OptionValue, UsageError } from "../command.ts";
import { longFlag, splitFlags } from "../option-flags.ts";

type Options = Readonly<Record<string, OptionValue | undefined>>;

/** A flag as settings name it: without dashes. */
interface Setting {
  readonly name: string;
  readonly kind: "list" | "text" | "switch";
  readonly choices?: readonly string[];
}

function settingsOf(specs: readonly OptionSpec[]): readonly Setting[] {
  return specs
    .map((spec): Setting => {
      const kind = spec.repeatable === true ? "list" : splitFlags(spec.flags).value === undefined ? "switch" : "text";
      const { choices } = spec;
      return { name: longFlag(spec).slice(2), kind, ...(choices === undefined ? {} : { choices }) };
    })
    .filter(({ name }) => !name.startsWith("no-"));
}

/** `PURSER_METRICS_ADDRESS` for `metrics-address`. */
const variableOf = (name: string): string => `PURSER_${name.toUpperCase().replaceAll("-", "_")}`;

/**
 * The options with what flags leave open filled in: from variables `PURSER_NAME_OF_FLAG`, else from the text of a file, which is
 * YAML or JSON with the flags' names as keys. Values of a repeatable flag come from one of the three alone; in a variable they
 * stand between commas or line breaks.
 * @throws UsageError for a file that cannot be read, a key that is no flag, and a value of the wrong kind
 */
export function configuredOptions(
  specs: readonly OptionSpec[],
  flags: Options,
  env: Readonly<Record<string, string | undefined>>,
  file?: { readonly path: string; readonly text: string },
): Options {
  const settings = settingsOf(specs);
  const held = file === undefined ? {} : fileContent(file, settings);
  const filled = settings.flatMap((setting): readonly (readonly [string, OptionValue])[] => {
    if (flags[setting.name] !== undefined && !isUngiven(flags[setting.name])) return [];
    const variable = variableOf(setting.name);
    const text = env[variable];
    if (text !== undefined && text !== "") return [[setting.name, ofVariable(setting, text, variable)]];
    const value = held[setting.name];
    return value === undefined || value === null ? [] : [[setting.name, ofFile(setting, value, file?.path ?? "")]];
  });
  return { ...flags, ...Object.fromEntries(filled) };
}

/** What the parser gives for a repeatable flag that nobody wrote. */
const isUngiven = (value: OptionValue | undefined): boolean => Array.isArray(value) && value.length === 0;

function fileContent(
  { path, text }: { readonly path: string; readonly text: string },
  settings: readonly Setting[],
): JsonObject {
  const read = readYaml(text, path);
  if (!read.ok) throw new UsageError(`--config ${path}: ${read.problem.message}`);
  const content = read.value ?? {};
  if (!isJsonObject(content))
    throw new UsageError(`--config ${path}: the file does not hold a YAML object`, "write lines NAME: VALUE");
  const names = settings.map(({ name }) => name);
  const unknown = Object.keys(content).find((name) => !names.includes(name));
  if (unknown === undefined) return content;
  const [near] = nearestNames(unknown, names);
  throw new UsageError(
    `--config ${path}: "${unknown}" is not a setting`,
    near === undefined ? "the settings are the flags of purser run, without leading dashes" : `did you mean "${near}"?`,
  );
}

function ofVariable(setting: Setting, text: string, where: string): OptionValue {
  if (setting.kind === "list") return text.split(/[,\n]/).flatMap((word) => (word.trim() === "" ? [] : [word.trim()]));
  if (setting.kind === "switch" && (text === "true" || text === "false")) return text === "true";
  return setting.kind === "switch" ? refuse(where, "true or false") : chosen(setting, text, where);
}

function ofFile(setting: Setting, value: JsonValue, path: string): OptionValue {
  const where = `--config ${path}: ${setting.name}`;
  switch (setting.kind) {
    case "switch":
      return typeof value === "boolean" ? value : refuse(where, "true or false");
    case "text":
      return typeof value === "string" || typeof value === "number"
        ? chosen(setting, String(value), where)
        : refuse(where, "a text");
    case "list":
      return Array.isArray(value) && value.every((item) => typeof item === "string")
        ? (value as readonly string[])
        : refuse(where, "a list of texts");
  }
}

function chosen({ choices }: Setting, text: string, where: string): string {
  return choices === undefined || choices.includes(text) ? text : refuse(where, choices.join(", "));
}

function refuse(where: string, wanted: string): never {
  throw new UsageError(`${where} is not valid`, `write ${wanted}`);
}

/** Names whose values differ, sorted. */
export function changedOptions(before: Options, after: Options): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).toSorted();
}
