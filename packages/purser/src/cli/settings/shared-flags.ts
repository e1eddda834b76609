// Flags that commands beside `up` and `run` have, too, and what they stand for.
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type ApiFamily, everyFamily } from "../../apis/api-family.ts";
import { type CrdSet, crdSets } from "../../apis/crd-set.ts";
import { type Compat, parseCompat } from "../../compat.ts";
import { defaultGates, type FeatureGates, parseFeatureGates } from "../../feature-gates.ts";
import { type Invocation, listOption, type OptionSpec, textOption, UsageError } from "../command.ts";

/** Where bundles are read from. */
export const bundlesOption: OptionSpec = {
  flags: "--bundles DIR",
  summary: "directory of bundle directories <package>/<version>, used instead of pulling images",
  repeatable: true,
};

/** Which of our improvements over OLM are switched back. */
export const compatOption: OptionSpec = {
  flags: "--compat SWITCHES",
  summary: "keep upstream's behaviour: strict, or a comma-separated list (docs/differences.md)",
};

/** OLM v1's switches. */
export const gatesOption: OptionSpec = {
  flags: "--feature-gates GATES",
  summary:
    "feature gates of OLM v1 as NAME=true or NAME=false, separated by commas; purser help feature-gates lists them",
};

/** Which API families are meant. */
export const familiesOption: OptionSpec = {
  flags: "--apis FAMILIES",
  summary: "API families to serve: v0,v1 (default), v0 or v1",
};

/** Which definitions of OLM v1 are applied. */
export const crdSetOption: OptionSpec = {
  flags: "--crd-set SET",
  summary:
    "CustomResourceDefinitions of OLM v1: experimental (default), or standard, without spec.config, spec.progressDeadlineMinutes and status.activeRevisions",
  choices: crdSets,
};

export function crdSetOf(invocation: Invocation): CrdSet {
  return crdSets.find((set) => set === textOption(invocation, "crd-set")) ?? "experimental";
}

/** The value of `--apis`. @throws UsageError */
export function familiesOf(invocation: Invocation): readonly ApiFamily[] {
  const text = textOption(invocation, "apis");
  if (text === undefined) return everyFamily;
  const words = text.split(",").map((word) => word.trim());
  const unknown = words.find((word) => !(everyFamily as readonly string[]).includes(word));
  if (unknown !== undefined)
    throw new UsageError(`--apis "${text}": "${unknown}" is not an API family`, "write v0, v1 or v0,v1");
  return everyFamily.filter((family) => words.includes(family));
}

/** The value of `--compat`, else of `PURSER_COMPAT`. @throws UsageError */
export function compatOf(invocation: Invocation): Compat {
  const compat = parseCompat(textOption(invocation, "compat") ?? invocation.terminal.env["PURSER_COMPAT"] ?? "");
  if (!compat.ok) throw new UsageError(compat.problem);
  return compat.value;
}

/** The value of `--feature-gates`, else of `PURSER_FEATURE_GATES`. @throws UsageError */
export function gatesOf(invocation: Invocation): FeatureGates {
  const given = textOption(invocation, "feature-gates") ?? invocation.terminal.env["PURSER_FEATURE_GATES"];
  if (given === undefined) return defaultGates;
  const gates = parseFeatureGates(given);
  if (!gates.ok) throw new UsageError(`--feature-gates: ${gates.problem}`);
  return gates.value;
}

/** The values of `--bundles` as absolute paths. @throws UsageError */
export function bundleDirectories(invocation: Invocation): readonly string[] {
  return listOption(invocation, "bundles").map((path) => existing(path, "--bundles"));
}

/** The absolute path of a directory. @throws UsageError when there is none */
export function existing(path: string, flag: string): string {
  const absolute = resolve(path);
  if (!existsSync(absolute)) throw new UsageError(`${flag}: the directory "${path}" does not exist`);
  if (!statSync(absolute).isDirectory()) throw new UsageError(`${flag}: "${path}" is not a directory`);
  return absolute;
}
