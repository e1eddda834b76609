/** The styles besides double quotes in which a text can be written. */
export interface ScalarForm {
  readonly single: boolean;
  readonly block: boolean;
}

const indicators = new Uint8Array(128);
for (const letter of "#,[]{}&*!|>'\"%@`") indicators[letter.charCodeAt(0)] = 1;

/** Whether a scalar that begins with the letter cannot be plain; `-`, `?` and `:` depend on the next letter. */
export function isIndicator(code: number): boolean {
  return indicators[code] === 1;
}

/** Whether a letter is written as it is in every style: {@link analyse} finds nothing special in it, and it breaks no line. */
export function isOrdinary(code: number): boolean {
  if (code < 0x7f) return code >= 32;
  if (code < 0xd800) return code >= 0xa0 && code !== 0x2028 && code !== 0x2029;
  return code >= 0xe000 && code <= 0xfffd && code !== 0xfeff;
}

/**
 * libyaml's analysis of a scalar that has letters which are not {@link isOrdinary}: it is never plain, as all of them are special
 * (tabs, control characters, characters beyond the BMP) or break lines.
 */
export function analyse(text: string): ScalarForm {
  const isFlexible = !unprintable.test(text) && !/ [\n\u2028\u2029]/.test(text);
  return {
    single: isFlexible && !/[\n\u2028\u2029] /.test(text),
    block: isFlexible && !text.endsWith(" "),
  };
}

/** Characters that Go's emitter escapes. */
const unprintable = /[^\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
const escaped = /[^\u0020-\u007e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]|["\\]/;

export function needsEscape(letter: string): boolean {
  return escaped.test(letter);
}

const short = new Map([
  ["\0", "\\0"],
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\v", "\\v"],
  ["\f", "\\f"],
  ["\r", "\\r"],
  ["\u001b", "\\e"],
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\u0085", "\\N"],
  ["\u2028", "\\L"],
  ["\u2029", "\\P"],
]);

export function shortEscape(letter: string): string {
  const known = short.get(letter);
  if (known !== undefined) return known;
  const code = letter.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
