/**
 * Text as part of XML or HTML, in content or in a quoted attribute: nothing that it holds is markup. Characters that XML forbids
 * or that turn the direction of what follows are replaced.
 */
export function escapeMarkup(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\t\n\r]/g, " ")
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu, "\ufffd")
    .replace(/[&<>"']/g, (character) => entities.get(character) ?? "");
}

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** Width of a text in pixels in a wide font (DejaVu Sans): other fonts differ, and a label must not run into its neighbour. */
export function textWidth(text: string, fontSize: number): number {
  let ems = 0;
  for (const character of text) {
    if ((character.codePointAt(0) ?? 0) > 0x2e80) ems += 1;
    else if (/[ .,:;'|!iljt()-]/.test(character)) ems += 0.38;
    else ems += /[0-9A-Z<>=mw…]/.test(character) ? 0.68 : 0.6;
  }
  return Math.ceil(ems * fontSize);
}

/** `text` in lines no wider than `width`, broken between words where there are any. */
export function wrapText(text: string, fontSize: number, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && textWidth(longer, fontSize) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** `text` with its middle left out when it has more than `most` characters: names of others may be of any length. */
export function shortened(text: string, most: number): string {
  const characters = Array.from(text);
  if (characters.length <= most) return text;
  const start = Math.ceil((most - 1) / 2);
  return `${characters.slice(0, start).join("")}…${characters.slice(start + 1 - most).join("")}`;
}
