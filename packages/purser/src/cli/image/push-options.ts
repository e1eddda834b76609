import type { ArgumentSpec, OptionSpec } from "../command.ts";

export const targetArgument: ArgumentSpec = {
  name: "reference",
  summary: "HOST/REPOSITORY:TAG, oci:DIR[:NAME] or oci-archive:FILE[:NAME]",
  required: true,
};

export const pushOptions: readonly OptionSpec[] = [
  { flags: "-o, --output FORMAT", summary: "how to print", choices: ["table", "json", "yaml"] },
];
