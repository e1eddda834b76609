import type { OptionSpec } from "./command.ts";

/** `-n, --namespace NS` as its names and what stands for its value. */
export function splitFlags(flags: string): { readonly names: string; readonly value: string | undefined } {
  const [names = flags] = /^(?:-\w, )?--[a-z-]+/.exec(flags) ?? [];
  const value = flags.slice(names.length).trim();
  return { names, value: value === "" ? undefined : value };
}

/** `--namespace` of `-n, --namespace NS`. */
export const longFlag = (spec: OptionSpec): string => splitFlags(spec.flags).names.replace(/^-\w, /, "");
