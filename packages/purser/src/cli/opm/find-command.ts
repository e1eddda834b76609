import type { FlagSpec } from "./flags.ts";

/** A group such as `alpha list`, or a command; the path of the root is "". */
export interface FoundCommand {
  readonly path: string;
  /** The arguments without the words of `path`. */
  readonly rest: readonly string[];
}

/**
 * Finds the command or group that the arguments name, for command paths such as `alpha list packages`. As in Go's cobra,
 * flags may precede a name; an unknown flag takes the next word as its value.
 */
export function findCommand(
  args: readonly string[],
  paths: readonly string[],
  flagsOfGroup: (path: string) => readonly FlagSpec[],
): FoundCommand {
  let path = "";
  let rest = args;
  for (;;) {
    const at = firstWord(rest, flagsOfGroup(path));
    const longer = path === "" ? (rest[at] ?? "") : `${path} ${rest[at] ?? ""}`;
    if (at === -1 || !paths.some((known) => known === longer || known.startsWith(`${longer} `))) return { path, rest };
    path = longer;
    rest = rest.toSpliced(at, 1);
  }
}

/** Index of the first argument that is neither a flag nor a flag's value; -1 when there is none. */
function firstWord(args: readonly string[], flags: readonly FlagSpec[]): number {
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "--") return -1;
    if (!arg.startsWith("-")) {
      if (arg !== "") return index;
      continue;
    }
    const isSeparate = !arg.includes("=") && (arg.startsWith("--") || arg.length === 2);
    const spec = flags.find(({ name, short }) => arg === `--${name}` || (short !== undefined && arg === `-${short}`));
    if (!isSeparate || (spec !== undefined && spec.value === undefined)) continue;
    if (index + 2 >= args.length) return -1;
    index++;
  }
  return -1;
}
