import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { decryptCosignKey, isCosignKey } from "./cosign-key.ts";

/** Why there is no key to sign with, and the way out; nothing of the key or its passphrase is in it. */
export interface KeyProblem {
  readonly cause: string;
  readonly remedy: string;
}

/** Where the passphrase of an encrypted key comes from; called for such keys only. Undefined when there is none. */
export type AskPassphrase = () => Promise<string | undefined>;

const anotherKey = "make a key with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem";

/** Reads a private key to sign with: ECDSA P-256 in PEM, as it is or encrypted, or as cosign encrypts it. */
export async function readSigningKey(
  file: string,
  askPassphrase: AskPassphrase,
): Promise<Result<KeyObject, KeyProblem>> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    return failed({
      cause: `the key ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      remedy: "name a file that exists and is readable",
    });
  }
  const key = await (isEncrypted(text) ? decrypted(file, text, askPassphrase) : plain(file, text));
  if (!key.ok) return key;
  if (key.value.asymmetricKeyType === "ec" && key.value.asymmetricKeyDetails?.namedCurve === "prime256v1") return key;
  return failed({ cause: `the key ${file} is not an ECDSA key on the curve P-256`, remedy: anotherKey });
}

const isEncrypted = (text: string): boolean =>
  isCosignKey(text) || /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text);

function plain(file: string, text: string): Result<KeyObject, KeyProblem> {
  try {
    return done(createPrivateKey(text));
  } catch {
    return failed({ cause: `the key ${file} is not a PEM private key`, remedy: anotherKey });
  }
}

async function decrypted(
  file: string,
  text: string,
  askPassphrase: AskPassphrase,
): Promise<Result<KeyObject, KeyProblem>> {
  const passphrase = await askPassphrase();
  if (passphrase === undefined)
    return failed({
      cause: `the key ${file} is encrypted, and no passphrase was given`,
      remedy: "set COSIGN_PASSWORD to its passphrase, or run the command on a terminal, where it asks",
    });
  if (!isCosignKey(text)) {
    try {
      return done(createPrivateKey({ key: text, passphrase }));
    } catch {
      // OpenSSL reports some wrong passphrases as a key of an unknown form.
      return failed(wrongPassphrase(file));
    }
  }
  const der = await decryptCosignKey(text, passphrase);
  if (!der.ok) return failed(der.problem === "malformed" ? unreadable(file) : wrongPassphrase(file));
  try {
    return done(createPrivateKey({ key: Buffer.from(der.value), format: "der", type: "pkcs8" }));
  } catch {
    return failed(unreadable(file));
  }
}

const wrongPassphrase = (file: string): KeyProblem => ({
  cause: `the key ${file} cannot be decrypted with the given passphrase`,
  remedy: "set COSIGN_PASSWORD to its passphrase; if it is, the file is damaged",
});

const unreadable = (file: string): KeyProblem => ({
  cause: `the key ${file} is encrypted in a form that cannot be read`,
  remedy: "make a key with: cosign generate-key-pair",
});
