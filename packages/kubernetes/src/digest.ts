import { sha224, sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** `sha256:` and 64 lower-case hex digits. */
export type Digest = `sha256:${string}`;

/** Synchronous and pure, for small values; use node:crypto for large content. */
export function digestOf(content: string | Uint8Array): Digest {
  return `sha256:${bytesToHex(sha256(typeof content === "string" ? utf8ToBytes(content) : content))}`;
}

/** True for `sha256:` and 64 hexadecimal digits in lower case. */
export function isDigest(text: string): text is Digest {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

const digits62 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** SHA-224 of UTF-8 text as one big-endian number, in the given base. */
function sha224Number(text: string, base: 36 | 62): string {
  let number = BigInt(`0x${bytesToHex(sha224(utf8ToBytes(text)))}`);
  let digits = "";
  while (number > 0n) {
    digits = digits62.charAt(Number(number % BigInt(base))) + digits;
    number /= BigInt(base);
  }
  return digits === "" ? "0" : digits;
}

/**
 * SHA-224 as one big-endian number in base 62 (`0-9a-zA-Z`), as OLM v0 hashes generated names and labels. The caller
 * provides the text (Go's JSON, with or without a final newline).
 */
export function base62Sha224(text: string): string {
  return sha224Number(text, 62);
}

/** The same in base 36 (`0-9a-z`), as OLM v1 hashes generated names. */
export function base36Sha224(text: string): string {
  return sha224Number(text, 36);
}

/** FNV-1a over 64 bits, as lower-case hex without padding. */
export function fnv1a64(text: string): string {
  // In halves of 32 bits, the lower one in quarters: the prime is 2^40 + 0x1b3, and every product below fits into 32 bits.
  let high = 0xcbf29ce4 | 0;
  let low = 0x84222325 | 0;
  const bytes = utf8ToBytes(text);
  for (let index = 0; index < bytes.length; index++) {
    low ^= bytes[index] ?? 0;
    const first = (low & 0xffff) * 0x1b3;
    const second = (low >>> 16) * 0x1b3 + (first >>> 16);
    high = (Math.imul(high, 0x1b3) + (second >>> 16) + (low << 8)) | 0;
    low = (second << 16) | (first & 0xffff);
  }
  return ((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)).toString(16);
}
