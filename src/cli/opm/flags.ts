/** A flag as Go's command lines take it: `--name value`, `--name=value`, `-n value`, `-nvalue`. */
export interface FlagSpec {
  readonly name: string;
  readonly short?: string;
  /** Stands for the value in help; absent for switches. */
  readonly value?: string;
  readonly summary: string;
}

export interface ParsedFlags {
  readonly words: readonly string[];
  /** Values in the order given; a switch is "true" or "false". */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** A mistake on the command line, in the words that upstream's tool uses. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

/** Splits arguments into words and flags, in any order; `--` ends the flags. Throws {@link FlagError}. */
export function parseFlags(args: readonly string[], specs: readonly FlagSpec[]): ParsedFlags {
  const words: string[] = [];
  const values = new Map<string, readonly string[]>();
  const set = (name: string, value: string): void => void values.set(name, [...(values.get(name) ?? []), value]);
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") words.push(...rest.splice(0));
    else if (arg.startsWith("--")) longFlag(arg, rest, specs, set);
    else if (arg.startsWith("-") && arg !== "-") shortFlags(arg, rest, specs, set);
    else words.push(arg);
  }
  return { words, values };
}

type SetFlag = (name: string, value: string) => void;

function longFlag(arg: string, rest: string[], specs: readonly FlagSpec[], set: SetFlag): void {
  const equals = arg.indexOf("=");
  const name = arg.slice(2, equals === -1 ? undefined : equals);
  const spec = specs.find((known) => known.name === name);
  if (spec === undefined) throw new FlagError(`unknown flag: --${name}`);
  if (equals !== -1)
    return set(name, spec.value === undefined ? switchValue(arg.slice(equals + 1), name) : arg.slice(equals + 1));
  if (spec.value === undefined) return set(name, "true");
  const value = rest.shift();
  if (value === undefined) throw new FlagError(`flag needs an argument: --${name}`);
  set(name, value);
}

function switchValue(text: string, name: string): string {
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return "true";
  if (["0", "f", "F", "false", "FALSE", "False"].includes(text)) return "false";
  throw new FlagError(
    `invalid argument "${text}" for "--${name}" flag: strconv.ParseBool: parsing "${text}": invalid syntax`,
  );
}

function shortFlags(arg: string, rest: string[], specs: readonly FlagSpec[], set: SetFlag): void {
  for (let index = 1; index < arg.length; index++) {
    const letter = arg.charAt(index);
    const spec = specs.find((known) => known.short === letter);
    if (spec === undefined) throw new FlagError(`unknown shorthand flag: '${letter}' in -${arg.slice(index)}`);
    if (spec.value === undefined) {
      set(spec.name, "true");
      continue;
    }
    const attached = arg.slice(index + 1).replace(/^=/, "");
    const value = attached === "" ? rest.shift() : attached;
    if (value === undefined) throw new FlagError(`flag needs an argument: '${letter}' in -${arg.slice(index)}`);
    return set(spec.name, value);
  }
}
