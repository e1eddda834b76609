import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { type BuiltImage, imageOf, jsonBlob } from "../build/built-image.ts";
import type { ImageBlob } from "../build/layer.ts";
import type { RawManifest } from "../image-source.ts";
import { signatureLayers } from "./find-signatures.ts";
import { signatureAnnotations } from "./found-signature.ts";
import { payloadMediaType, type SignedClaim, writePayload } from "./simple-signing.ts";

/** Reads a private key to sign with: PEM, ECDSA P-256, not encrypted. The problem names the file and the way out. */
export function readSigningKey(file: string): Result<KeyObject, { readonly cause: string; readonly remedy: string }> {
  const anotherKey = "make a key with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem";
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    return failed({
      cause: `the key ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      remedy: "name a file that exists and is readable",
    });
  }
  if (/-----BEGIN ENCRYPTED (?:COSIGN|SIGSTORE) PRIVATE KEY-----/.test(text))
    return failed({
      cause: `the key ${file} is encrypted in cosign's own format, which purser does not read`,
      remedy: "push without --sign, then: cosign sign --key KEY REFERENCE@DIGEST",
    });
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text))
    return failed({
      cause: `the key ${file} is encrypted, and purser asks for no passphrase`,
      remedy: `decrypt it for the time of signing: openssl pkey -in ${file} -out key.pem`,
    });
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1") return done(key);
    return failed({ cause: `the key ${file} is not an ECDSA key on the curve P-256`, remedy: anotherKey });
  } catch {
    return failed({ cause: `the key ${file} is not a PEM private key`, remedy: anotherKey });
  }
}

/**
 * The image that holds the signatures of `claim`, in cosign's form: those of `existing` and one by `key`. Undefined when the same
 * key has signed the same claim already. The problem says why `existing` cannot be extended.
 */
export function signatureImage(
  key: KeyObject,
  claim: SignedClaim,
  existing: RawManifest | undefined,
): Result<BuiltImage | undefined, string> {
  const payload = writePayload(claim);
  const digest = `sha256:${createHash("sha256").update(payload).digest("hex")}` as const;
  const held = existing === undefined ? done([]) : signatureLayers(existing);
  if (!held.ok) return held;
  const isSigned = held.value.some(
    (layer) =>
      layer.digest === digest &&
      verify(
        "sha256",
        payload,
        createPublicKey(key),
        Buffer.from(layer.annotations[signatureAnnotations.signature] ?? "", "base64"),
      ),
  );
  if (isSigned) return done(undefined);
  const signature = sign("sha256", payload, key).toString("base64");
  const own: ImageBlob = {
    descriptor: {
      mediaType: payloadMediaType,
      digest,
      size: payload.length,
      annotations: { [signatureAnnotations.signature]: signature },
    },
    bytes: payload,
  };
  const descriptors = [...held.value.map((layer) => ({ mediaType: payloadMediaType, ...layer })), own.descriptor];
  const config = jsonBlob("application/vnd.oci.image.config.v1+json", {
    architecture: "",
    os: "",
    config: {},
    rootfs: { type: "layers", diff_ids: descriptors.map((layer) => layer.digest) },
  });
  return done(imageOf(config, descriptors, [own]));
}
