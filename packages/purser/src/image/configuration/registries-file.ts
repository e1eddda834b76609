import { done, failed, type Result } from "@purser/kubernetes/result";
import { parse, TomlError } from "smol-toml";
import type { ConfigurationProblem } from "./configuration-problem.ts";

/** Which references a mirror serves. */
export type MirrorUse = "all" | "digest-only" | "tag-only";

export interface Mirror {
  readonly location: string;
  readonly isInsecure: boolean;
  readonly use: MirrorUse;
}

/** One `[[registry]]` of registries.conf. */
export interface RegistryRule {
  /** `host[:port][/path]`, or `*.example.com`. */
  readonly prefix: string;
  /** What stands in place of the prefix; empty only for a wildcard, where references stay as they are. */
  readonly location: string;
  readonly isInsecure: boolean;
  readonly isBlocked: boolean;
  /** In order of preference. */
  readonly mirrors: readonly Mirror[];
  readonly file: string;
  readonly line: number;
}

/**
 * The rules of a registries.conf in version 2, checked as containers/image does (`sysregistriesv2`): of several rules with
 * the same prefix the first counts. Lists for short names are not read, because short names are refused.
 */
export function parseRegistriesFile(text: string, file: string): Result<readonly RegistryRule[], ConfigurationProblem> {
  let content: Readonly<Record<string, unknown>>;
  try {
    content = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ""] = error.message.split("\n");
    return failed({ file, line: error.line, text: reason.replace("Invalid TOML document: ", "not valid TOML: ") });
  }
  if (content["registries"] !== undefined)
    return failed({ file, text: "version 1 of the format is not supported; write [[registry]] tables" });
  const helpers = content["credential-helpers"];
  if (helpers !== undefined && !isNames(helpers))
    return failed({ file, text: '"credential-helpers" must be a list of names' });
  const tables = content["registry"] ?? [];
  if (!Array.isArray(tables)) return failed({ file, text: '"registry" must be written as [[registry]] tables' });
  const lines = linesOf(text);
  const rules: RegistryRule[] = [];
  for (const [index, table] of tables.entries()) {
    const line = lines[index] ?? 1;
    const rule = parseRule(table as Readonly<Record<string, unknown>>);
    if (!rule.ok) return failed({ file, line, text: rule.problem });
    rules.push({ ...rule.value, file, line });
  }
  return withoutConflicts(rules);
}

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === "string" && name !== "");

/**
 * The programs that a registries.conf names for all registries, `secretservice` for `docker-credential-secretservice`; undefined when
 * it names none or cannot be read. `containers-auth.json` stands for the auth files, which are asked anyway.
 */
export function credentialHelpersIn(text: string): readonly string[] | undefined {
  try {
    const names = parse(text)["credential-helpers"];
    return isNames(names) && names.length > 0 ? names.filter((name) => name !== "containers-auth.json") : undefined;
  } catch {
    return undefined;
  }
}

/** The lines of the `[[registry]]` headers. */
function linesOf(text: string): readonly number[] {
  return text.split("\n").flatMap((line, index) => (/^\s*\[\[\s*"?registry"?\s*\]\]/.test(line) ? [index + 1] : []));
}

type Table = Readonly<Record<string, unknown>>;
type Rule = Omit<RegistryRule, "file" | "line">;

function parseRule(table: Table): Result<Rule, string> {
  const location = locationOf(table, "location");
  if (!location.ok) return location;
  const given = locationOf(table, "prefix");
  if (!given.ok) return given;
  const prefix = given.value || location.value;
  if (prefix === "") return failed("a registry needs a location or a prefix");
  const isWildcard = prefix.startsWith("*.");
  if (location.value === "" && !isWildcard)
    return failed(`registry "${prefix}" needs a location; only *.example.com needs none`);
  if (isWildcard && /[/@:]/.test(prefix)) return failed(`prefix "${prefix}" must have the form *.example.com`);
  if (table["pull-from-mirror"] !== undefined)
    return failed('"pull-from-mirror" belongs to a mirror, not to a registry');
  const flags = flagsOf(table, ["insecure", "blocked", "mirror-by-digest-only"]);
  if (!flags.ok) return flags;
  const [isInsecure = false, isBlocked = false, isByDigest = false] = flags.value;
  const mirrors: Mirror[] = [];
  const tables = table["mirror"] ?? [];
  if (!Array.isArray(tables)) return failed('"mirror" must be written as [[registry.mirror]] tables');
  for (const one of tables as readonly Table[]) {
    const mirror = parseMirror(one, isByDigest);
    if (!mirror.ok) return mirror;
    mirrors.push(mirror.value);
  }
  return done({ prefix, location: location.value, isInsecure, isBlocked, mirrors });
}

function parseMirror(table: Table, isByDigest: boolean): Result<Mirror, string> {
  const location = locationOf(table, "location");
  if (!location.ok) return location;
  if (location.value === "") return failed("a mirror needs a location");
  const flags = flagsOf(table, ["insecure"]);
  if (!flags.ok) return flags;
  const use = table["pull-from-mirror"];
  if (use === undefined || use === "")
    return done({
      location: location.value,
      isInsecure: flags.value[0] ?? false,
      use: isByDigest ? "digest-only" : "all",
    });
  if (isByDigest) return failed('"mirror-by-digest-only" and "pull-from-mirror" exclude one another');
  if (use !== "all" && use !== "digest-only" && use !== "tag-only")
    return failed('"pull-from-mirror" must be "all", "digest-only" or "tag-only"');
  return done({ location: location.value, isInsecure: flags.value[0] ?? false, use });
}

function locationOf(table: Table, name: "location" | "prefix"): Result<string, string> {
  const value = table[name] ?? "";
  if (typeof value !== "string") return failed(`"${name}" must be a string`);
  if (/^https?:\/\//.test(value)) return failed(`"${name}" must not begin with http:// or https://`);
  return done(value.replace(/\/+$/, ""));
}

function flagsOf(table: Table, names: readonly string[]): Result<readonly boolean[], string> {
  const wrong = names.find((name) => !["undefined", "boolean"].includes(typeof table[name]));
  return wrong === undefined
    ? done(names.map((name) => table[name] === true))
    : failed(`"${wrong}" must be true or false`);
}

function withoutConflicts(rules: readonly RegistryRule[]): Result<readonly RegistryRule[], ConfigurationProblem> {
  const key = ({ prefix, location }: RegistryRule): string => location || prefix;
  for (const rule of rules) {
    const other = rules.find((one) => key(one) === key(rule));
    if (other === undefined) continue;
    const { file, line } = rule;
    for (const [name, isEqual] of [
      ["insecure", other.isInsecure === rule.isInsecure],
      ["blocked", other.isBlocked === rule.isBlocked],
    ] as const)
      if (!isEqual)
        return failed({
          file,
          line,
          text: `"${key(rule)}" stands in line ${other.line} with another value of "${name}"`,
        });
  }
  return done(rules.filter((rule) => rules.find(({ prefix }) => prefix === rule.prefix) === rule));
}
