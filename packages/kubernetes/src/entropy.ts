/** Port for randomness, so that simulations are reproducible. */
export interface Entropy {
  /** RFC 4122 version 4. */
  uuid(): string;
  /** `length` characters of Kubernetes' name alphabet `bcdfghjklmnpqrstvwxz2456789`. */
  suffix(length: number): string;
  /** A number in [0, 1), for jitter. */
  fraction(): number;
  bytes(length: number): Uint8Array;
}

/** The alphabet of Kubernetes' generated names: without vowels and similar-looking characters. */
export const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/**
 * A seeded source (splitmix32): equal seeds give equal sequences. For tests and simulation only.
 * @testOnly so that a test replays
 */
export class SeededEntropy implements Entropy {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  #next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state ^ (this.#state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  fraction(): number {
    return this.#next() / 0x1_0000_0000;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.#next() & 0xff);
  }

  suffix(length: number): string {
    let text = "";
    for (let i = 0; i < length; i++) text += nameAlphabet[this.#next() % nameAlphabet.length];
    return text;
  }

  uuid(): string {
    const bytes = this.bytes(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }
}
