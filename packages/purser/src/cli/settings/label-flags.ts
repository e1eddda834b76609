import { type Invocation, listOption, UsageError } from "../command.ts";

/** The labels that `--label` names: KEY=VALUE sets one, KEY- removes it (null). @throws UsageError */
export function labelChanges(invocation: Invocation): Readonly<Record<string, string | null>> {
  const given = listOption(invocation, "label").map((text): readonly [string, string | null] => {
    const at = text.indexOf("=");
    if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
    if (/^[^=]+-$/.test(text)) return [text.slice(0, -1), null];
    throw new UsageError(`--label "${text}" is not KEY=VALUE`, "write KEY=VALUE to set a label, KEY- to remove it");
  });
  return Object.fromEntries(given);
}
