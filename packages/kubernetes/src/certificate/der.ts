/** An encoded ASN.1 value (X.690, distinguished encoding rules). */
export type Der = Uint8Array;

/** Tag, length and the joined contents. */
export function tagged(tag: number, ...contents: readonly Uint8Array[]): Der {
  const content = Buffer.concat(contents);
  if (content.length < 0x80) return Buffer.concat([Uint8Array.of(tag, content.length), content]);
  const length: number[] = [];
  for (let rest = content.length; rest > 0; rest = Math.floor(rest / 256)) length.unshift(rest % 256);
  return Buffer.concat([Uint8Array.of(tag, 0x80 | length.length, ...length), content]);
}

export const sequence = (...members: readonly Der[]): Der => tagged(0x30, ...members);
export const setOf = (member: Der): Der => tagged(0x31, member);
export const octetString = (content: Uint8Array): Der => tagged(0x04, content);
export const utf8String = (text: string): Der => tagged(0x0c, Buffer.from(text, "utf8"));
export const boolean = (value: boolean): Der => tagged(0x01, Uint8Array.of(value ? 0xff : 0));

/** A positive integer from its big-endian bytes. */
export function positiveInteger(bytes: Uint8Array): Der {
  return tagged(0x02, (bytes[0] ?? 0) >= 0x80 ? Uint8Array.of(0, ...bytes) : bytes);
}

/** The last `unused` bits of the content are padding. */
export function bitString(content: Uint8Array, unused = 0): Der {
  return tagged(0x03, Uint8Array.of(unused), content);
}

/** From dotted notation, for example `2.5.4.3`. */
export function objectIdentifier(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const septets = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
      septets.unshift(0x80 | (left % 128));
    bytes.push(...septets);
  }
  return tagged(0x06, Uint8Array.from(bytes));
}

/** Whole seconds; a two-digit year until 2049, as RFC 5280 requires. */
export function time(moment: Date): Der {
  const digits = `${moment.toISOString().slice(0, 19).replaceAll(/\D/g, "")}Z`;
  return moment.getUTCFullYear() < 2050
    ? tagged(0x17, Buffer.from(digits.slice(2), "latin1"))
    : tagged(0x18, Buffer.from(digits, "latin1"));
}

export interface Element {
  readonly tag: number;
  /** Including tag and length. */
  readonly whole: Uint8Array;
  readonly content: Uint8Array;
}

/** The consecutive elements in `bytes`, which must be valid DER. */
export function elementsOf(bytes: Uint8Array): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const short = bytes[at + 1] ?? 0;
    const digits = short < 0x80 ? 0 : short & 0x7f;
    const start = at + 2 + digits;
    const length = digits === 0 ? short : bytes.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
    const end = start + length;
    found.push({ tag: bytes[at] ?? 0, whole: bytes.subarray(at, end), content: bytes.subarray(start, end) });
    at = end;
  }
  return found;
}
