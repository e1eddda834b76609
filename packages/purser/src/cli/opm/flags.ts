import { goQuote } from "@purser/kubernetes/go-quote";
import { parseGoUint64, readCsvRecord } from "./flag-values.ts";

/** A flag with the syntax of Go's pflag: `--name value`, `--name=value`, `-n value`, `-nvalue`. */
export interface FlagSpec {
  readonly name: string;
  readonly short?: string;
  /** Placeholder of the value in help; absent for switches. */
  readonly value?: string;
  /** Type of the value; default: any text. The flag of a list can be repeated, each time with comma-separated values. */
  readonly type?: "list" | "uint64";
  /** Value when the flag is not given, as Go prints it; default: "", "false" for switches, "[]" for lists. */
  readonly initial?: string;
  readonly required?: true;
  /** Not shown by help; with "unless alpha", shown with HELP_ALPHA=true only. */
  readonly hidden?: true | "unless alpha";
  /** Deprecation message; printed each time the flag is set. Help does not show a deprecated flag. */
  readonly deprecated?: string;
  readonly summary: string;
}

export interface ParsedFlags {
  readonly words: readonly string[];
  /** Values in the order given; a switch is "true" or "false", a list has each of its values. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The deprecation messages to print, one line for each use of a deprecated flag. */
  readonly warnings: string;
}

/** Wrong usage, with the error text of upstream's `opm`. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

/** Splits arguments into words and flags, in any order; `--` ends the flags. @throws FlagError */
export function parseFlags(args: readonly string[], specs: readonly FlagSpec[]): ParsedFlags {
  const words: string[] = [];
  const values = new Map<string, readonly string[]>();
  let warnings = "";
  const set: SetFlag = (spec, value) => {
    values.set(spec.name, [...(values.get(spec.name) ?? []), ...checkedValue(spec, value)]);
    if (spec.deprecated !== undefined) warnings += `Flag --${spec.name} has been deprecated, ${spec.deprecated}\n`;
  };
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") words.push(...rest.splice(0));
    else if (arg.startsWith("--")) longFlag(arg, rest, specs, set);
    else if (arg.startsWith("-") && arg !== "-") shortFlags(arg, rest, specs, set);
    else words.push(arg);
  }
  return { words, values, warnings };
}

type SetFlag = (spec: FlagSpec, value: string) => void;

function longFlag(arg: string, rest: string[], specs: readonly FlagSpec[], set: SetFlag): void {
  if (/^--[-=]/.test(arg)) throw new FlagError(`bad flag syntax: ${arg}`);
  const equals = arg.indexOf("=");
  const name = arg.slice(2, equals === -1 ? undefined : equals);
  const spec = specs.find((known) => known.name === name);
  if (spec === undefined) throw new FlagError(`unknown flag: --${name}`);
  if (equals !== -1) return set(spec, arg.slice(equals + 1));
  if (spec.value === undefined) return set(spec, "true");
  const value = rest.shift();
  if (value === undefined) throw new FlagError(`flag needs an argument: --${name}`);
  set(spec, value);
}

function shortFlags(arg: string, rest: string[], specs: readonly FlagSpec[], set: SetFlag): void {
  for (let index = 1; index < arg.length; index++) {
    const letter = arg.charAt(index);
    const spec = specs.find((known) => known.short === letter);
    if (spec === undefined) throw new FlagError(`unknown shorthand flag: '${letter}' in -${arg.slice(index)}`);
    const attached = arg.slice(index + 1);
    if (attached.length > 1 && attached.startsWith("=")) return set(spec, attached.slice(1));
    if (spec.value === undefined) {
      set(spec, "true");
      continue;
    }
    const value = attached === "" ? rest.shift() : attached;
    if (value === undefined) throw new FlagError(`flag needs an argument: '${letter}' in -${arg.slice(index)}`);
    return set(spec, value);
  }
}

/** Parses the value of a flag. @throws FlagError when it does not have the flag's type */
function checkedValue(spec: FlagSpec, text: string): readonly string[] {
  const wrong = (cause: string): never => {
    const flag = spec.short === undefined ? `--${spec.name}` : `-${spec.short}, --${spec.name}`;
    throw new FlagError(`invalid argument ${goQuote(text)} for "${flag}" flag: ${cause}`);
  };
  if (spec.value === undefined) {
    if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return ["true"];
    if (["0", "f", "F", "false", "FALSE", "False"].includes(text)) return ["false"];
    return wrong(`strconv.ParseBool: parsing ${goQuote(text)}: invalid syntax`);
  }
  if (spec.type === "uint64") {
    const parsed = parseGoUint64(text);
    return parsed.ok ? [String(parsed.value)] : wrong(`strconv.ParseUint: parsing ${goQuote(text)}: ${parsed.problem}`);
  }
  if (spec.type !== "list") return [text];
  const record = readCsvRecord(text);
  return record.ok ? record.value : wrong(record.problem);
}
