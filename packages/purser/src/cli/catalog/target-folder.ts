import { type Invocation, type OptionSpec, textOption, UsageError } from "../command.ts";

/** `-o` of commands that write into the folder of `--to`; as everywhere it is how to print. */
export const folderOutput: OptionSpec = {
  flags: "-o, --output FORMAT",
  summary: "how to print",
  choices: ["table", "json", "yaml"],
};

/**
 * The folder that `--to` names.
 * @throws UsageError without one
 */
export function targetFolder(invocation: Invocation): string {
  const folder = textOption(invocation, "to");
  if (folder === undefined) throw new UsageError("the directory to write to is missing", "--to DIR");
  return folder;
}
