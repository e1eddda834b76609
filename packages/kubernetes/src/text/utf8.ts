const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

/** What Go's YAML reader takes in no text. */
export const forbiddenCharacter = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ufffd]/;
export const forbiddenMessage = "control characters are not allowed";

/** The decoded text including a byte order mark; undefined for invalid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** As {@link decodeUtf8}, with U+FFFD for invalid bytes, as in Go's JSON decoder. */
export function decodeLenient(bytes: Uint8Array): string {
  return lenient.decode(bytes);
}

/** Decodes in pieces to find the invalid one, then bisects. */
export function firstInvalidByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isValidPrefix(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function isValidPrefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Line feeds before offset `end`. */
export function countNewlines(bytes: Uint8Array, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at !== -1 && at < end; at = bytes.indexOf(10, at + 1)) lines++;
  return lines;
}

/**
 * A document in UTF-16 with its byte order mark, as Go's YAML reader takes it after Kubernetes' reader has cut it at line
 * feeds, single bytes: it ends with such a byte, added where it is missing. So UTF-16 with the least significant byte
 * first is always incomplete. Undefined for other encodings.
 */
export function decodeUtf16(bytes: Uint8Array): { readonly text: string } | "incomplete" | undefined {
  const [first, second] = bytes;
  const isBig = first === 0xfe && second === 0xff;
  if (!isBig && !(first === 0xff && second === 0xfe)) return undefined;
  const added = bytes.at(-1) === 10 ? 0 : 1;
  if ((bytes.length + added) % 2 !== 0) return "incomplete";
  const whole = new Uint8Array(bytes.length + added).fill(10);
  whole.set(bytes);
  try {
    return { text: new TextDecoder(isBig ? "utf-16be" : "utf-16le", { fatal: true }).decode(whole) };
  } catch {
    return undefined;
  }
}

/** Error of Go's YAML reader for invalid UTF-8 at the offset. Line numbers count all line breaks. */
export function goUtf8Problem(bytes: Uint8Array, offset: number): string {
  // The sequence may begin up to three bytes before the invalid byte.
  let start = offset;
  for (let back = 1; back <= 3 && back <= offset; back++) {
    const byte = bytes[offset - back] ?? 10;
    if ((byte & 0xc0) === 0x80) continue;
    if (byte >= 0xe0 || (byte >= 0xc0 && back === 1)) start = offset - back;
    break;
  }
  if (forbiddenCharacter.test(decodeLenient(bytes.subarray(0, start)))) return forbiddenMessage;
  const first = bytes[start] ?? 10;
  const width = first < 0x80 ? 1 : first >> 5 === 6 ? 2 : first >> 4 === 14 ? 3 : first >> 3 === 30 ? 4 : 0;
  if (width < 2) return "invalid leading UTF-8 octet";
  // Go's reader of documents ends each with a line feed.
  const length = bytes.length + (bytes.at(-1) === 10 ? 0 : 1);
  if (start + width > length) return "incomplete UTF-8 octet sequence";
  let code = first & (0xff >> (width + 1));
  for (let index = 1; index < width; index++) {
    const next = bytes[start + index] ?? 10;
    if ((next & 0xc0) !== 0x80) return "invalid trailing UTF-8 octet";
    code = (code << 6) | (next & 0x3f);
  }
  const least = width === 2 ? 0x80 : width === 3 ? 0x800 : 0x1_0000;
  return code < least ? "invalid length of a UTF-8 sequence" : "invalid Unicode character";
}
