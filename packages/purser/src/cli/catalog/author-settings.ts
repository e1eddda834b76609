import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { isJsonObject, type JsonValue } from "@purser/kubernetes/json";
import { ruleTable, type Severity } from "../../catalog/lint/rules.ts";
import { readYaml } from "@purser/kubernetes/text/documents";
import { UsageError } from "../command.ts";

export const settingsFileName = ".purser.yaml";

/** The content of a `.purser.yaml` file. */
export interface AuthorSettings {
  /** The path of the file; undefined when there is none. */
  readonly file?: string;
  readonly severities: ReadonlyMap<string, Severity>;
}

/**
 * Reads the nearest `.purser.yaml` in `from` or one of its parent directories; empty settings when there is none.
 * @throws UsageError when the file cannot be parsed
 */
export function readSettings(from: string): AuthorSettings {
  const file = findUpwards(resolve(from));
  if (file === undefined) return { severities: new Map() };
  const read = readYaml(readFileSync(file, "utf8"), file);
  if (!read.ok) throw new UsageError(`${file}: ${read.problem.message}`);
  const value = read.value ?? {};
  if (!isJsonObject(value)) throw new UsageError(`${file} is not an object`);
  for (const key of Object.keys(value))
    if (key !== "rules")
      throw new UsageError(`${file} has the key "${key}", which purser does not know`, "known keys: rules");
  return { file, severities: severitiesOf(value["rules"], file) };
}

function findUpwards(directory: string): string | undefined {
  const file = join(directory, settingsFileName);
  if (existsSync(file)) return file;
  const parent = dirname(directory);
  return parent === directory ? undefined : findUpwards(parent);
}

function severitiesOf(rules: JsonValue | undefined, file: string): ReadonlyMap<string, Severity> {
  if (rules === undefined || rules === null) return new Map();
  if (!isJsonObject(rules))
    throw new UsageError(`rules in ${file} is not an object`, "write it as in: rules: {PCH107: off}");
  return new Map(
    // YAML parses an unquoted `off` as false.
    Object.entries(rules).map(([id, severity]) =>
      ruleSetting(id, severity === false ? "off" : typeof severity === "string" ? severity : JSON.stringify(severity)),
    ),
  );
}

/**
 * Parses the value of `--rule`: `RULE=error|warn|off`, where RULE is the id or the name of a rule.
 * @throws UsageError for anything else
 */
export function parseRuleFlag(text: string): readonly [id: string, severity: Severity] {
  const at = text.indexOf("=");
  if (at < 0) throw new UsageError(`--rule ${text} has no severity`, `--rule ${text}=error|warn|off`);
  return ruleSetting(text.slice(0, at), text.slice(at + 1));
}

function ruleSetting(name: string, severity: string): readonly [id: string, severity: Severity] {
  const rule = ruleTable.find((each) => each.id === name.toUpperCase() || each.name === name);
  if (rule === undefined) {
    const near = nearestNames(name, [...ruleTable.map(({ id }) => id), ...ruleTable.map((each) => each.name)]);
    throw new UsageError(
      `there is no rule "${name}"`,
      near.length === 0 ? "docs/catalog-rules.md lists the rules" : `did you mean ${near.join(", ")}?`,
    );
  }
  if (severity !== "error" && severity !== "warn" && severity !== "off")
    throw new UsageError(`"${severity}" is not a severity`, "severities: error, warn, off");
  if (rule.kind === "hard" && severity !== "error")
    throw new UsageError(`${rule.id} (${rule.name}) makes a catalog unusable and stays an error`);
  return [rule.id, severity];
}
