import { type Explanation, type Remedy, remedyFrom, remedyWords } from "./explanation.ts";

const limit = 1024;

function utf8Length(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/** Cuts at a character so that the UTF-8 text has at most `bytes` bytes, ellipsis included. */
function cut(text: string, bytes: number): string {
  let used = 0;
  let kept = "";
  let fits = "";
  for (const character of text) {
    used += utf8Length(character);
    if (used > bytes) return `${fits}…`;
    kept += character;
    if (used <= bytes - 3) fits = kept;
  }
  return text;
}

/** Summary and first remedy for a condition or event: at most 1 KiB. */
export function conditionText({ summary, remedies }: Explanation): string {
  const [remedy] = remedies;
  if (remedy === undefined) return cut(summary, limit);
  const end = /[?!]$/.test(summary) ? "" : ".";
  return cut(
    `${summary}${end} ${remedyWords(remedy)}${remedy.command === undefined ? "" : `: ${remedy.command}`}`,
    limit,
  );
}

/** What {@link conditionText} wrote, taken apart: the sentence before the remedy, and the remedy where it has a command. */
export function partsOfConditionText(text: string): {
  readonly sentence: string;
  readonly remedies: readonly Remedy[];
} {
  const [, before, command] = /^(.*\S): ((?:purser|kubectl) \S.*)$/s.exec(text) ?? [];
  if (before === undefined || command === undefined || command.endsWith("…")) return { sentence: text, remedies: [] };
  const [, sentence, summary] = /^(.*)(?:\.|(?<=[?!])) (.*)$/s.exec(before) ?? [];
  if (sentence === undefined || summary === undefined) return { sentence: text, remedies: [] };
  return { sentence, remedies: [remedyFrom(summary, command)] };
}
