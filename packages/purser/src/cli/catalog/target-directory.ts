import { type Invocation, type OptionSpec, textOption, UsageError } from "../command.ts";

/** `-o` of commands that write into the directory of `--to`; as everywhere it is how to print. */
export const directoryOutput: OptionSpec = {
  flags: "-o, --output FORMAT",
  summary: "how to print",
  choices: ["table", "json", "yaml"],
};

/**
 * The directory that `--to` names.
 * @throws UsageError without one
 */
export function targetDirectory(invocation: Invocation): string {
  const directory = textOption(invocation, "to");
  if (directory === undefined) throw new UsageError("the directory to write to is missing", "--to DIR");
  return directory;
}
