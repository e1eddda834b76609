import { nearestNames } from "../explanation/nearest-name.ts";
import { type CommandSpec, type Invocation, type OptionSpec, type OptionValue, UsageError } from "./command.ts";
import { globalOptions } from "./global-options.ts";
import { longFlag, splitFlags } from "./option-flags.ts";
import { isTemplated } from "./output/output-format.ts";

/**
 * The arguments and options among `args` for `command`, options by their long names without dashes; `--no-wait` sets `wait` to
 * false, which is true without it unless there is a `--wait`. `path` is the program name and the words that name the command. As kubectl reads them:
 * `--name value`, `--name=value`, `-n value`, `-nvalue`, `-n=value`, several short flags in one word, arguments only behind `--`.
 * @throws UsageError for invalid arguments
 */
export function parseCommand(
  path: string,
  command: CommandSpec,
  args: readonly string[],
): Pick<Invocation, "arguments" | "options"> {
  const own = command.options ?? [];
  const ownNames = new Set(own.map(longFlag));
  const specs = [...own, ...globalOptions.filter((spec) => !ownNames.has(longFlag(spec)))];
  const words = new Reading(specs, `${path} --help`).read(args);
  checkArguments(path, command, words);
  return { arguments: words.operands, options: words.options };
}

/** What `-vv` sets. */
const twice = { verbose: true, bodies: true } as const;

interface Flag {
  readonly spec: OptionSpec;
  readonly long: string;
  readonly takesValue: boolean;
}

class Reading {
  readonly #flags = new Map<string, Flag>();
  readonly #help: string;
  readonly #options: Record<string, OptionValue> = {};
  readonly #operands: string[] = [];

  constructor(specs: readonly OptionSpec[], help: string) {
    this.#help = help;
    for (const spec of specs) {
      const long = longFlag(spec);
      const { names, value } = splitFlags(spec.flags);
      const flag = { spec, long, takesValue: value !== undefined };
      for (const name of names.split(", ")) this.#flags.set(name, flag);
    }
    for (const name of this.#flags.keys())
      if (name.startsWith("--no-") && !this.#flags.has(`--${nameOf(name)}`)) this.#options[nameOf(name)] = true;
  }

  read(args: readonly string[]): {
    readonly operands: readonly string[];
    readonly options: Readonly<Record<string, OptionValue>>;
  } {
    const rest = [...args];
    for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
      if (word === "--") this.#operands.push(...rest.splice(0));
      else if (word === "-" || !word.startsWith("-")) this.#operands.push(word);
      else if (word === "-vv" && this.#flags.get("-v")?.long === "--verbose") Object.assign(this.#options, twice);
      else if (word.startsWith("--")) this.#readLong(word, rest);
      else this.#readShort(word, rest);
    }
    return { operands: this.#operands, options: this.#options };
  }

  #readLong(word: string, rest: string[]): void {
    const equals = word.indexOf("=");
    const flag = this.#flags.get(equals < 0 ? word : word.slice(0, equals));
    // As kubectl's; both only show what would be written.
    if (flag?.long === "--dry-run" && /=(client|server)$/.test(word)) return this.#set(flag, true);
    if (flag === undefined || (equals >= 0 && !flag.takesValue)) throw this.#unknown(word);
    if (!flag.takesValue) this.#set(flag, !flag.long.startsWith("--no-"));
    else this.#setValue(flag, equals < 0 ? rest.shift() : word.slice(equals + 1));
  }

  #readShort(word: string, rest: string[]): void {
    const flag = this.#flags.get(word.slice(0, 2));
    const joined = word.slice(2);
    if (flag === undefined) throw this.#unknown(word);
    if (flag.takesValue) return this.#setValue(flag, joined === "" ? rest.shift() : joined.replace(/^=/, ""));
    this.#set(flag, true);
    if (joined !== "") this.#readShort(`-${joined}`, rest);
  }

  #setValue(flag: Flag, value: string | undefined): void {
    const { spec, long } = flag;
    if (value === undefined) throw new UsageError(`option "${spec.flags}" argument missing`, this.#help);
    // Whatever prints a document prints parts of it too.
    const isPart = long === "--output" && isTemplated(value) && spec.choices?.includes("json") === true;
    if (spec.choices !== undefined && !spec.choices.includes(value) && !isPart) {
      const allowed = spec.choices.join(", ");
      throw new UsageError(`option "${spec.flags}" argument "${value}" is invalid. Allowed: ${allowed}.`, this.#help);
    }
    this.#set(flag, value);
  }

  #set({ spec, long }: Flag, value: string | boolean): void {
    const name = nameOf(long);
    const before = this.#options[name];
    this.#options[name] =
      spec.repeatable === true && typeof value === "string" ? [...(Array.isArray(before) ? before : []), value] : value;
  }

  #unknown(word: string): UsageError {
    const [flag = word] = word.split("=");
    const [near] = word.startsWith("--") ? nearestNames(flag, this.#flags.keys(), 1) : [];
    return new UsageError(`unknown option "${word}"`, near === undefined ? this.#help : `Did you mean ${near}?`);
  }
}

const nameOf = (long: string): string => long.replace(/^--(no-)?/, "");

function checkArguments(
  path: string,
  { arguments: specs = [] }: CommandSpec,
  { operands: given, options }: Pick<Invocation, "options"> & { readonly operands: readonly string[] },
): void {
  const missing = specs.find(
    ({ required, unless }, at) =>
      required === true && given[at] === undefined && (unless === undefined || options[unless] === undefined),
  );
  if (missing !== undefined) throw new UsageError(`missing required argument "${missing.name}"`, `${path} --help`);
  if (given.length <= specs.length || specs.at(-1)?.variadic === true) return;
  const words = given.slice(specs.length).map((word) => `"${word}"`);
  throw new UsageError(`too many arguments: ${words.join(", ")}`, `${path} --help`);
}
