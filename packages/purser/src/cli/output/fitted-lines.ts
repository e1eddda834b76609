import { foldedLine } from "./folded-lines.ts";
import { displayWidth } from "./display-width.ts";
import { withoutColours } from "./shown.ts";

/** A command line to paste, behind what introduces it; what it does stands behind several blanks. */
const commandLine = /^(\s*(?:(?:do|or|fix:|or:|see:|Next:|Stop:|More:)\s+)?)((?:purser|kubectl|npm|printf|opm) \S.*)$/;

/**
 * `text` with lines that are wider than the terminal folded at spaces. A command keeps its words: what it does goes to a line of
 * its own, and a command that is still too wide goes on behind a backslash, as a shell reads it. Lines that fit stay as they are.
 */
export function fittedLines(text: string, width: number): string {
  return text
    .split("\n")
    .flatMap((line) => (displayWidth(line) <= width ? [line] : fitted(line, width)))
    .join("\n");
}

function fitted(line: string, width: number): readonly string[] {
  const plain = withoutColours(line);
  const [, lead, rest] = commandLine.exec(plain) ?? [];
  if (lead === undefined || rest === undefined) return foldedLine(plain, width);
  const [, command = rest, does] = /^(.*?\S)\s{2,}(\S.*)$/.exec(rest) ?? [];
  const indent = " ".repeat(lead.length + 2);
  return [...foldedCommand(lead, command, width), ...(does === undefined ? [] : foldedLine(`${indent}${does}`, width))];
}

/** The command in lines that end in a backslash but for the last; quoted words and the first word are never cut off. */
function foldedCommand(lead: string, command: string, width: number): readonly string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g) ?? [command];
  const lines: string[] = [];
  let line = lead;
  for (const [at, word] of words.entries()) {
    const joint = at === 0 ? "" : " ";
    const isLast = at === words.length - 1;
    if (at > 0 && line.length + joint.length + word.length + (isLast ? 0 : 2) > width && line.trim() !== "") {
      lines.push(`${line} \\`);
      line = `${" ".repeat(lead.length + 2)}${word}`;
    } else line += `${joint}${word}`;
  }
  return [...lines, line];
}

/** Tree and table characters as words and indentation, for terminals without them and for readers who hear them. */
export function plainCharacters(text: string, mode: "ascii" | "accessible"): string {
  if (mode === "accessible")
    return text
      .replaceAll(/[├└]─ /g, "  ")
      .replaceAll("│  ", "   ")
      .replaceAll(/[↑✓✗⏸] ?/g, "");
  return text
    .replaceAll("├─", "|-")
    .replaceAll("└─", "`-")
    .replaceAll("│", "|")
    .replaceAll("…", "~")
    .replaceAll("→", "->");
}
