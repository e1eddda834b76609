const shortEscapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function quoteCharacter(character: string): string {
  const short = Object.hasOwn(shortEscapes, character) ? shortEscapes[character] : undefined;
  if (short !== undefined) return short;
  if (printable.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  // Go's UTF-8 strings have no lone surrogates; its decoder replaces them.
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** Text as Go's `%q` prints it. */
export function goQuote(text: string): string {
  return `"${Array.from(text, quoteCharacter).join("")}"`;
}
