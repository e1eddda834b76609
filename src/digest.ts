import { sha224, sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** `sha256:` and 64 lower-case hex digits. */
export type Digest = `sha256:${string}`;

/** Synchronous and pure, for small values; shells hash bulk with node:crypto. */
export function digestOf(content: string | Uint8Array): Digest {
  return `sha256:${bytesToHex(sha256(typeof content === "string" ? utf8ToBytes(content) : content))}`;
}

export function isDigest(text: string): text is Digest {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

const base62 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/**
 * SHA-224 read as one big-endian number and printed in base 62 (`0-9a-zA-Z`), as OLM v0 hashes
 * generated names and labels. The caller chooses the text (Go's JSON, with or without a final newline).
 */
export function base62Sha224(text: string): string {
  let number = BigInt(`0x${bytesToHex(sha224(utf8ToBytes(text)))}`);
  let digits = "";
  while (number > 0n) {
    digits = base62.charAt(Number(number % 62n)) + digits;
    number /= 62n;
  }
  return digits === "" ? "0" : digits;
}

/** FNV-1a over 64 bits, as lower-case hex without padding. */
export function fnv1a64(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of utf8ToBytes(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16);
}
