/** Deeper values are read. */
const deepest = 64;
/** Digits of integers that a double certainly represents. */
const longestInteger = 15;

/** What a byte means inside of a string: nothing, the end or an escape, a first byte of several, or none of these. */
const plainByte = 0;
const quoteByte = 1;
const escapeByte = 2;
const wideByte = 3;
const otherByte = 4;
const inString = new Uint8Array(256);
inString.fill(otherByte, 0, 0x20);
inString[0x22] = quoteByte;
inString[0x5c] = escapeByte;
inString[0x7f] = otherByte;
inString.fill(otherByte, 0x80, 0xc2);
inString.fill(wideByte, 0xc2, 0xf5);
inString.fill(otherByte, 0xf5);

/** Escapes that Go writes: of a quote, a backslash, a line feed, a carriage return, a tab. */
const escaped = new Uint8Array(256);
for (const letter of '"\\nrt') escaped[letter.charCodeAt(0)] = 1;

/**
 * Finds the ends of JSON values whose bytes are those that Go's encoder writes of them, with sorted keys, four spaces a
 * level and this number of levels around them: read and written again, not one byte changes. An end is -1 for everything
 * else, and for what is rare: fractions, long integers, other escapes, deep nesting, lists outside of objects.
 */
export class WrittenScan {
  /** Of all values whose ends were found. */
  lineFeeds = 0;
  readonly #bytes: Uint8Array;
  readonly #level: number;
  /** By level within the value: 1 for an object. */
  readonly #isObject = new Uint8Array(deepest + 1);
  /** The last key of each level. */
  readonly #keyAt = new Int32Array(deepest + 1);
  readonly #keyEnd = new Int32Array(deepest + 1);

  constructor(bytes: Uint8Array, level: number) {
    this.#bytes = bytes;
    this.#level = level;
  }

  /** Behind the value at `at`, an object or a scalar. */
  behindValue(at: number): number {
    return this.#bytes[at] === 0x7b ? this.#behindObject(at) : this.#behindScalar(at);
  }

  #behindObject(from: number): number {
    const bytes = this.#bytes;
    if (bytes[from + 1] === 0x7d) return from + 2;
    if (bytes[from + 1] !== 10) return -1;
    let depth = 1;
    let lineFeeds = 1;
    let at = from + 2;
    this.#opens(depth, true);
    for (;;) {
      // One member or item of the collection at this depth.
      at = this.#behindIndent(at, this.#level + depth);
      if (at !== -1 && this.#isObject[depth] === 1) at = this.#behindKey(at, depth);
      if (at === -1) return -1;
      const code = bytes[at];
      const opens = code === 0x7b || code === 0x5b;
      if (opens && bytes[at + 1] === 10) {
        if (++depth > deepest) return -1;
        this.#opens(depth, code === 0x7b);
        lineFeeds++;
        at += 2;
        continue;
      }
      at = opens ? (bytes[at + 1] === (code ?? 0) + 2 ? at + 2 : -1) : this.#behindScalar(at);
      // The collections that end behind it.
      while (at !== -1 && bytes[at] === 10) {
        lineFeeds++;
        depth--;
        at = this.#behindIndent(at + 1, this.#level + depth);
        if (at === -1 || bytes[at] !== (this.#isObject[depth + 1] === 1 ? 0x7d : 0x5d)) return -1;
        at++;
        if (depth === 0) {
          this.lineFeeds += lineFeeds;
          return at;
        }
      }
      if (at === -1 || bytes[at] !== 0x2c || bytes[at + 1] !== 10) return -1;
      lineFeeds++;
      at += 2;
    }
  }

  #opens(depth: number, isObject: boolean): void {
    this.#isObject[depth] = isObject ? 1 : 0;
    this.#keyEnd[depth] = -1;
  }

  #behindIndent(at: number, level: number): number {
    const behind = at + 4 * level;
    for (let here = at; here < behind; here++) if (this.#bytes[here] !== 32) return -1;
    return behind;
  }

  /** Behind the colon and its space, when the key comes behind the last one. */
  #behindKey(at: number, depth: number): number {
    const bytes = this.#bytes;
    const behind = this.behindString(at);
    if (behind === -1 || bytes[behind] !== 0x3a || bytes[behind + 1] !== 32) return -1;
    for (let here = at; here < behind; here++) if (bytes[here] === 0x5c) return -1;
    if (this.#keyEnd[depth] !== -1 && !this.#isBehind(at + 1, behind - 1, depth)) return -1;
    this.#keyAt[depth] = at + 1;
    this.#keyEnd[depth] = behind - 1;
    return behind + 2;
  }

  /** Whether the key is greater than the last one of its object, byte by byte. */
  #isBehind(from: number, end: number, depth: number): boolean {
    const bytes = this.#bytes;
    const last = this.#keyAt[depth] ?? 0;
    const lastLength = (this.#keyEnd[depth] ?? 0) - last;
    const length = end - from;
    const common = Math.min(length, lastLength);
    for (let index = 0; index < common; index++) {
      const [one, other] = [bytes[from + index] ?? 0, bytes[last + index] ?? 0];
      if (one !== other) return one > other;
    }
    return length > lastLength;
  }

  #behindScalar(at: number): number {
    const bytes = this.#bytes;
    switch (bytes[at] ?? 0) {
      case 0x22:
        return this.behindString(at);
      case 0x74:
        return this.#behindWord(at, "true");
      case 0x66:
        return this.#behindWord(at, "false");
      case 0x6e:
        return this.#behindWord(at, "null");
    }
    return this.#behindInteger(at);
  }

  #behindWord(at: number, word: string): number {
    for (let index = 0; index < word.length; index++) if (this.#bytes[at + index] !== word.charCodeAt(index)) return -1;
    return at + word.length;
  }

  #behindInteger(at: number): number {
    const bytes = this.#bytes;
    const from = bytes[at] === 0x2d ? at + 1 : at;
    let here = from;
    while ((bytes[here] ?? 0) >= 0x30 && (bytes[here] ?? 0) <= 0x39) here++;
    const digits = here - from;
    if (digits === 0 || digits > longestInteger || (bytes[from] === 0x30 && here !== at + 1)) return -1;
    return here;
  }

  /** Behind the string at `at`. */
  behindString(at: number): number {
    const bytes = this.#bytes;
    const end = bytes.length;
    if (bytes[at] !== 0x22) return -1;
    for (let here = at + 1; here < end; here++) {
      const kind = inString[bytes[here] ?? 0];
      if (kind === plainByte) continue;
      if (kind === quoteByte) return here + 1;
      if (kind === escapeByte) {
        if (escaped[bytes[++here] ?? 0] !== 1) return -1;
        continue;
      }
      if (kind === otherByte) return -1;
      const length = lengthOfLetter(bytes, here);
      if (length === 0) return -1;
      here += length - 1;
    }
    return -1;
  }
}

/** Bytes of the UTF-8 of one letter beyond ASCII; 0 for invalid ones, and for two separators that Go writes as escapes. */
function lengthOfLetter(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const second = bytes[at + 1] ?? 0;
  if (first < 0xe0) return isRest(second) ? 2 : 0;
  const third = bytes[at + 2] ?? 0;
  if (!isRest(second) || !isRest(third)) return 0;
  if (first < 0xf0) {
    if ((first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f)) return 0;
    return first === 0xe2 && second === 0x80 && (third === 0xa8 || third === 0xa9) ? 0 : 3;
  }
  if ((first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f)) return 0;
  return isRest(bytes[at + 3] ?? 0) ? 4 : 0;
}

function isRest(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
