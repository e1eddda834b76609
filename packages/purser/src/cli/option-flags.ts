import type { OptionSpec } from "./command.ts";

/** Splits `-n, --namespace NS` into the names and the placeholder of the value. */
export function splitFlags(flags: string): { readonly names: string; readonly value: string | undefined } {
  const [names = flags] = /^(?:-\w, )?--[a-z-]+/.exec(flags) ?? [];
  const value = flags.slice(names.length).trim();
  return { names, value: value === "" ? undefined : value };
}

/** The long name of a flag: `--namespace` for `-n, --namespace NS`. */
export const longFlag = (spec: OptionSpec): string => splitFlags(spec.flags).names.replace(/^-\w, /, "");
