import type { FlagSpec } from "./flags.ts";
import type { OpmCommandLine } from "./opm-command.ts";

export interface HelpOptions {
  /** Whether help tells of the `alpha` group and of flags that begin with `alpha-`. */
  readonly alpha?: boolean;
}

/** What `opm COMMAND --help` prints. */
export function commandHelp(command: OpmCommandLine, everywhere: readonly FlagSpec[], options: HelpOptions): string {
  const more = options.alpha === true && command.alphaHelp !== undefined ? `\n${command.alphaHelp}\n` : "";
  return `${command.summary}\n${more}\n${usageOf(command, everywhere, options)}`;
}

/** How a command is called, with its flags. */
export function usageOf(
  { path, usage, flags }: OpmCommandLine,
  everywhere: readonly FlagSpec[],
  { alpha = false }: HelpOptions,
): string {
  const told = flags.flatMap((flag): FlagSpec[] => {
    if (!flag.name.startsWith("alpha-")) return [flag];
    return alpha ? [{ ...flag, summary: `(ALPHA: may change or go in any release) ${flag.summary}` }] : [];
  });
  return `Usage:\n  ${`opm ${path} ${usage}`.trim()} [flags]\n\nFlags:\n${flagLines([...told, ...everywhere])}`;
}

/** What `opm GROUP --help` prints: how its commands are called, with those of groups inside. */
export function groupUsage(
  group: string,
  commands: readonly OpmCommandLine[],
  everywhere: readonly FlagSpec[],
  { alpha = false }: HelpOptions,
): string {
  const members = commands.filter(({ path }) =>
    group === "" ? alpha || !path.startsWith("alpha ") : path.startsWith(`${group} `),
  );
  const width = Math.max(...members.map(({ path }) => path.length));
  const lines = members.map(({ path, summary }) => `  ${path.padEnd(width)}  ${summary}\n`).join("");
  const name = `opm ${group}`.trim();
  return `Usage:\n  ${name} [command]\n\nCommands:\n${lines}\nFlags:\n${flagLines(everywhere)}`;
}

function flagLines(flags: readonly FlagSpec[]): string {
  const shown = flags.map(({ name, short, value, summary }) => [
    `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
    summary,
  ]);
  const width = Math.max(...shown.map(([left = ""]) => left.length));
  return shown.map(([left = "", right = ""]) => `  ${left.padEnd(width)}  ${right}\n`).join("");
}
