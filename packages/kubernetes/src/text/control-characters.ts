/**
 * Characters that a terminal interprets or that display differently from their code points: C0, DEL and C1 (escape
 * sequences, line breaks, cursor moves), U+2028 and U+2029 (line breaks), bidirectional marks, overrides and isolates,
 * zero-width characters, interlinear annotations, tags, and lone surrogates. Joiners are kept where scripts and emoji
 * need them, between two characters beyond ASCII. See Unicode TR36, "Bidirectional Text Spoofing", and TR39, "Default
 * ignorable characters".
 */
const misleading =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?<![^\u0000-\u007f])[\u200c\u200d]|[\u200c\u200d](?![^\u0000-\u007f])|\p{Cs}/gu;

/** `\u001b`; code points beyond U+FFFF as `\u{e0041}`. Escaping is idempotent. */
function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, "0")}`;
}

/** `text` as one line with misleading characters escaped, for untrusted values in a sentence or a table cell. */
export function escapeControls(text: string): string {
  return text.replaceAll(misleading, escape);
}

/** As {@link escapeControls}, except the characters in `kept`: for whole texts with their own line breaks. */
export function escapeControlsExcept(text: string, kept: string): string {
  return text.replaceAll(misleading, (character) => (kept.includes(character) ? character : escape(character)));
}

/** A copy of plain data (objects, arrays, maps) with {@link escapeControls} applied to every string that is not a key of an object. */
export function escapeValues<Value>(value: Value): Value {
  if (typeof value === "string") return escapeControls(value) as Value;
  if (Array.isArray(value)) return value.map((one: unknown) => escapeValues(one)) as Value;
  if (value instanceof Map)
    return new Map([...value].map(([key, one]: [unknown, unknown]) => [escapeValues(key), escapeValues(one)])) as Value;
  if (value instanceof Set) return new Set([...value].map((one: unknown) => escapeValues(one))) as Value;
  if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, escapeValues(one)])) as Value;
  return value;
}
