import { scrypt } from "node:crypto";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import type { JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { bytesIn, fromBase64, objectIn, parsed } from "./untrusted-json.ts";

/** Why a key of cosign could not be decrypted. */
export type DecryptionProblem = "wrongPassphrase" | "malformed";

const pem =
  /-----BEGIN ENCRYPTED (COSIGN|SIGSTORE) PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END ENCRYPTED \1 PRIVATE KEY-----/;
/** The costs (N) that exist; others could be chosen to exhaust memory. The values of r and p are always 8 and 1. */
const costs: ReadonlySet<JsonValue | undefined> = new Set([2 ** 15, 2 ** 16, 2 ** 17]);
const largestKey = 64 * 1024;

/** Whether a PEM text is a private key that `cosign generate-key-pair` has encrypted. */
export const isCosignKey = (text: string): boolean =>
  /-----BEGIN ENCRYPTED (?:COSIGN|SIGSTORE) PRIVATE KEY-----/.test(text);

/**
 * Decrypts a private key of cosign: base64 of JSON with the parameters of scrypt and a NaCl secret box, as package `encrypted` of
 * go-securesystemslib writes it. The result is the key's DER (PKCS #8).
 */
export async function decryptCosignKey(
  text: string,
  passphrase: string,
): Promise<Result<Uint8Array, DecryptionProblem>> {
  const box = readBox(text);
  if (box === undefined) return failed("malformed");
  const { salt, cost, nonce, ciphertext } = box;
  const key = await new Promise<Buffer>((resolve, reject) => {
    // scrypt needs 128 * N * r bytes, and Node allows 32 MiB.
    scrypt(passphrase, salt, 32, { N: cost, r: 8, p: 1, maxmem: 256 * 2 ** 20 }, (error, derived) =>
      error === null ? resolve(derived) : reject(error),
    );
  });
  try {
    return done(xsalsa20poly1305(key, nonce).decrypt(ciphertext));
  } catch {
    return failed("wrongPassphrase");
  }
}

interface SecretBox {
  readonly salt: Buffer;
  readonly cost: number;
  readonly nonce: Buffer;
  readonly ciphertext: Buffer;
}

function readBox(text: string): SecretBox | undefined {
  const encoded = text.length <= largestKey ? fromBase64(pem.exec(text)?.[2]?.replace(/\s/g, "")) : undefined;
  const value = parsed(encoded?.toString("utf8") ?? "");
  const [kdf, cipher] = [objectIn(value, "kdf"), objectIn(value, "cipher")];
  const { N, r, p } = objectIn(kdf, "params");
  const [salt, nonce] = [bytesIn(kdf, "salt"), bytesIn(cipher, "nonce")];
  const ciphertext = bytesIn(value, "ciphertext");
  if (kdf["name"] !== "scrypt" || cipher["name"] !== "nacl/secretbox") return undefined;
  if (typeof N !== "number" || !costs.has(N) || r !== 8 || p !== 1) return undefined;
  if (salt === undefined || nonce?.length !== 24 || ciphertext === undefined) return undefined;
  return { salt, cost: N, nonce, ciphertext };
}
