const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of the bytes with its byte order mark, if it has one; undefined where they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** As {@link decodeUtf8}, with U+FFFD for what is not UTF-8, as Go's JSON decoder reads it. */
export function decodeLenient(bytes: Uint8Array): string {
  return lenient.decode(bytes);
}

/** Decoding in pieces tells which piece breaks; halving finds the byte. */
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
