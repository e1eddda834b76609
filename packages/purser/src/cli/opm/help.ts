import type { FlagSpec } from "./flags.ts";
import type { OpmCommandLine } from "./opm-command.ts";

export interface HelpOptions {
  /** Whether help shows the `alpha` group and flags that begin with `alpha-`. */
  readonly alpha?: boolean;
}

/** The output of `opm COMMAND --help`. */
export function commandHelp(command: OpmCommandLine, flags: readonly FlagSpec[], options: HelpOptions): string {
  const more = options.alpha === true && command.alphaHelp !== undefined ? `\n${command.alphaHelp}\n` : "";
  return `${command.summary}\n${more}\n${usageOf(command, flags, options)}`;
}

/** The usage line and the flags of a command. */
export function usageOf(
  { path, usage }: OpmCommandLine,
  flags: readonly FlagSpec[],
  { alpha = false }: HelpOptions,
): string {
  const told = flags.flatMap((flag): FlagSpec[] => {
    if (!isShown(flag, alpha)) return [];
    const warning = "(ALPHA: may change or be removed in any release) ";
    return [flag.name.startsWith("alpha-") ? { ...flag, summary: warning + flag.summary } : flag];
  });
  return `Usage:\n  ${`opm ${path} ${usage}`.trim()} [flags]\n\nFlags:\n${flagLines(told)}`;
}

/** The output of `opm GROUP --help`: its commands with those of nested groups, and the flags. */
export function groupUsage(
  group: string,
  commands: readonly OpmCommandLine[],
  everywhere: readonly FlagSpec[],
  { alpha = false }: HelpOptions,
): string {
  const isNamed = ({ path, hidden, deprecated }: OpmCommandLine): boolean =>
    hidden !== true && deprecated === undefined && (group !== "" || alpha || !path.startsWith("alpha "));
  const members = commands.filter((line) => isNamed(line) && (group === "" || line.path.startsWith(`${group} `)));
  const width = Math.max(...members.map(({ path }) => path.length));
  const lines = members.map(({ path, summary }) => `  ${path.padEnd(width)}  ${summary}\n`).join("");
  const name = `opm ${group}`.trim();
  return `Usage:\n  ${name} [command]\n\nCommands:\n${lines}\nFlags:\n${flagLines(everywhere.filter((flag) => isShown(flag, alpha)))}`;
}

/** Whether help and completion show a flag. */
export function isShown({ name, hidden, deprecated }: FlagSpec, alpha: boolean): boolean {
  if (hidden === true || deprecated !== undefined) return false;
  return alpha || (hidden === undefined && !name.startsWith("alpha-"));
}

function flagLines(flags: readonly FlagSpec[]): string {
  const shown = flags.map(({ name, short, value, initial, summary }) => [
    `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
    initial === undefined ? summary : `${summary} (default ${initial})`,
  ]);
  const width = Math.max(...shown.map(([left = ""]) => left.length));
  return shown.map(([left = "", right = ""]) => `  ${left.padEnd(width)}  ${right}\n`).join("");
}
