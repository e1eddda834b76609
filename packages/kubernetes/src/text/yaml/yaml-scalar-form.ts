/** The styles in which a text can be written outside flow collections. */
export interface ScalarForm {
  readonly plain: boolean;
  readonly single: boolean;
  readonly block: boolean;
}

const firstIndicator = /^[#,[\]{}&*!|>'"%@`]/;
const beforeBlank = /^[?:-](?:[ \t]|$)/;
const keyOrComment = /:(?:[ \t]|$)|[ \t\n\r\u0085\u2028\u2029]#/;

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

/** libyaml's analysis of a scalar; tabs, control characters and characters beyond the BMP count as special. */
export function analyse(text: string): ScalarForm {
  if (text === "") return { plain: true, single: true, block: false };
  const special = unprintable.test(text);
  const spaceBreak = / [\n\r\u0085\u2028\u2029]/.test(text);
  const breakSpace = /[\n\r\u0085\u2028\u2029] /.test(text);
  const hasBreak = /[\n\r\u0085\u2028\u2029]/.test(text);
  const edge = text.startsWith(" ") || text.endsWith(" ");
  const indicators =
    text.startsWith("---") ||
    text.startsWith("...") ||
    firstIndicator.test(text) ||
    beforeBlank.test(text) ||
    keyOrComment.test(text);
  return {
    plain: !special && !spaceBreak && !breakSpace && !hasBreak && !edge && !indicators,
    single: !special && !spaceBreak && !breakSpace,
    block: !special && !spaceBreak && !text.endsWith(" "),
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
