const encoder = new TextEncoder();

/** Standard, padded base64 of the text's UTF-8 bytes. */
export function toBase64(text: string): string {
  // `btoa` takes characters for bytes. Most text is ASCII already; runs of other characters become one character a byte,
  // in pieces, since the arguments of a call are on the stack.
  return btoa(text.replaceAll(/[\u0080-\u{10ffff}]{1,2000}/gu, (run) => String.fromCharCode(...encoder.encode(run))));
}

/**
 * True for standard, padded base64 without line breaks; bits behind the last byte may be set, as in Go's decoder.
 */
export function isBase64(encoded: string): boolean {
  if (encoded.length % 4 !== 0) return false;
  const padding = encoded.endsWith("==") ? 2 : encoded.endsWith("=") ? 1 : 0;
  try {
    // `atob` also takes spaces and line breaks, but they give no bytes.
    return atob(encoded).length === (encoded.length / 4) * 3 - padding;
  } catch {
    return false;
  }
}
