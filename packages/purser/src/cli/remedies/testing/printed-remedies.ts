import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type DeletingRemedy, remedyFrom } from "../../../explanation/explanation.ts";
import { readYaml } from "@purser/kubernetes/text/documents";

/** A way out as a command printed it. */
export interface PrintedRemedy {
  readonly summary: string;
  /** Undefined for advice. */
  readonly command: string | undefined;
}

/** What it says that it deletes. */
export const deletionOf = ({ summary, command }: PrintedRemedy): DeletingRemedy["deletes"] | undefined =>
  command === undefined ? undefined : remedyFrom(summary, command).deletes;

const isCommand = (text: string): boolean => /^(purser|kubectl|printf) /.test(text);

/** `COMMAND      SUMMARY`, or one of them. */
function parted(text: string): PrintedRemedy {
  if (!isCommand(text)) return { summary: text, command: undefined };
  const [command = "", summary = ""] = text.split(/ {6}(?=\S)/);
  return { summary, command };
}

/**
 * The remedies of an explanation or of the failure of a command, in all forms in which they are printed: `fix:` and `or:` with the
 * command below, `see:`, `do` and `or` with the command first, `Next:`.
 */
export function printedRemedies(text: string): readonly PrintedRemedy[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at): readonly PrintedRemedy[] => {
    const [, first] = /^(?:see: |Next: | {2}(?:do|or) {4})(\S.*)$/.exec(line) ?? [];
    if (first !== undefined) return [parted(first)];
    const [, summary] = /^(?:fix| or): (.*)$/.exec(line) ?? [];
    if (summary === undefined) return [];
    const [, below] = /^ {5}(\S.*)$/.exec(lines[at + 1] ?? "") ?? [];
    return [below === undefined || !isCommand(below) ? parted(summary) : { summary, command: below }];
  });
}

/** `SUMMARY | COMMAND`; without a command `SUMMARY`. */
export const remedyText = ({ summary, command }: PrintedRemedy): string =>
  command === undefined ? summary : `${summary} | ${command}`;

/** What the worlds of live-remedies.yaml print, by their name. */
export function recordedRemedies(): ReadonlyMap<string, readonly string[]> {
  const read = readYaml(readFileSync(new URL("live-remedies.yaml", import.meta.url), "utf8"));
  assert.ok(read.ok);
  return new Map(Object.entries(read.value as unknown as Readonly<Record<string, readonly string[]>>));
}

/** The other way round as {@link remedyText}. */
export function remedyOf(text: string): PrintedRemedy {
  const at = text.indexOf(" | ");
  return at < 0 ? { summary: text, command: undefined } : { summary: text.slice(0, at), command: text.slice(at + 3) };
}
