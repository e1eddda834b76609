import { shellWord } from "../../explanation/summary.ts";
import { type Invocation, listOption } from "../command.ts";

/** Flags of a ClusterExtension alone. */
export const extensionFlags = [
  "catalog-selector",
  "upgrade-constraint-policy",
  "crd-upgrade-safety",
  "dependencies",
  "label",
];

/** The command line again, for a remedy. */
export function commandOf(invocation: Invocation): string {
  const { arguments: given, options } = invocation;
  const flags = [
    "namespace",
    "name",
    "channel",
    "from-source",
    "approval",
    "watch-namespaces",
    ...extensionFlags,
    "tier",
    "set",
    "values",
    "policy",
  ].flatMap((name) => listOption(invocation, name).map((value) => `--${name} ${shellWord(value)}`));
  const switches = ["as-extension", "create-namespace", "hold"].flatMap((name) =>
    options[name] === true ? [`--${name}`] : [],
  );
  return ["purser install", ...given.map(shellWord), ...flags, ...switches].join(" ");
}
