import { createHash, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { BUNDLE_V01_MEDIA_TYPE, type Bundle } from "@sigstore/bundle";
import { toSignedEntity, Verifier } from "@sigstore/verify";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { certificateMismatch, certificatesIn } from "./certificate-chain.ts";
import {
  certificateSubject,
  type FoundSignature,
  fromBase64,
  keyFingerprint,
  type LogEntry,
  logEntryOf,
  signatureAnnotations,
} from "./found-signature.ts";
import type { TrustMaterial } from "./trust-material.ts";

/** Who has signed, verified. */
export type Signer =
  | { readonly kind: "key"; /** SHA-256 of the public key's DER, in hex. */ readonly fingerprint: string }
  | { readonly kind: "certificate"; readonly subject: string; readonly oidcIssuer: string };

/** The signer, when somebody whom the material names has signed the payload; the problem is a sentence without a subject. */
export function checkSignature(signature: FoundSignature, material: TrustMaterial): Result<Signer, string> {
  const text = signature.annotations[signatureAnnotations.signature];
  if (text === undefined) return failed(`annotation ${signatureAnnotations.signature} is missing`);
  const bytes = fromBase64(text);
  if (bytes === undefined) return failed(`annotation ${signatureAnnotations.signature} is not base64`);
  const signed: SignedPayload = { payload: Buffer.from(signature.payload), signature: bytes };
  const entry = logEntryOf(signature);
  if (material.logs.length > 0 && entry === undefined)
    return failed(`annotation ${signatureAnnotations.logEntry} holds no entry of a transparency log`);
  const logged = material.logs.length > 0 ? entry : undefined;
  return material.signers.kind === "keys"
    ? checkKeys(signed, logged, material, material.signers.keys)
    : checkCertificate(signature, signed, logged, material, material.signers.rule);
}

interface SignedPayload {
  readonly payload: Buffer;
  readonly signature: Buffer;
}

function checkKeys(
  signed: SignedPayload,
  entry: LogEntry | undefined,
  material: TrustMaterial,
  keys: readonly KeyObject[],
): Result<Signer, string> {
  let problem = "no key of the policy has signed it";
  for (const key of keys) {
    const mismatch = signatureMismatch(signed, key, entry, material);
    if (mismatch !== undefined) {
      if (mismatch !== "signature verification failed") problem = mismatch;
      continue;
    }
    if (entry !== undefined && !isSameKey(entry.signer, key)) problem = "the entry of the log is about another key";
    else return done({ kind: "key", fingerprint: keyFingerprint(key) });
  }
  return failed(problem);
}

function checkCertificate(
  { annotations }: FoundSignature,
  signed: SignedPayload,
  entry: LogEntry | undefined,
  material: TrustMaterial,
  rule: Parameters<typeof certificateMismatch>[2],
): Result<Signer, string> {
  const [leaf, another] = certificatesIn(annotations[signatureAnnotations.certificate] ?? "");
  if (leaf === undefined || another !== undefined)
    return failed(`annotation ${signatureAnnotations.certificate} does not hold one certificate`);
  if (entry === undefined) return failed("it has no entry of a transparency log");
  const [logged] = certificatesIn(entry.signer);
  if (logged === undefined || !logged.equals(leaf)) return failed("the entry of the log is about another certificate");
  const certificate = readOrUndefined(() => new X509Certificate(leaf));
  if (certificate === undefined) return failed("its certificate cannot be read");
  const mismatch =
    signatureMismatch(signed, certificate.publicKey, entry, material) ??
    certificateMismatch(
      leaf,
      certificatesIn(annotations[signatureAnnotations.chain] ?? ""),
      rule,
      new Date(entry.integratedTime * 1000),
    );
  if (mismatch !== undefined) return failed(mismatch);
  return done({ kind: "certificate", subject: certificateSubject(certificate), oidcIssuer: rule.oidcIssuer });
}

/**
 * Why the payload is not signed by the key, or the entry not by a log of the policy; undefined when both are. The verifier's own
 * certificate checks are not used: they insist on a CT log's key, which a policy.json cannot name.
 */
function signatureMismatch(
  { payload, signature }: SignedPayload,
  key: KeyObject,
  entry: LogEntry | undefined,
  { logs }: TrustMaterial,
): string | undefined {
  const always = { start: new Date(0), end: new Date(8.64e15) };
  const verifier = new Verifier(
    {
      certificateAuthorities: [],
      timestampAuthorities: [],
      ctlogs: [],
      tlogs: logs.map((log) => ({ logID: log.id, baseURL: "", publicKey: log.key, validFor: always })),
      publicKey: () => ({ publicKey: key, validFor: () => true }),
    },
    { ctlogThreshold: 0, tlogThreshold: entry === undefined ? 0 : 1, timestampThreshold: entry === undefined ? 0 : 1 },
  );
  const bundle: Bundle = {
    mediaType: BUNDLE_V01_MEDIA_TYPE,
    content: {
      $case: "messageSignature",
      messageSignature: {
        // 1 is SHA2_256 in Sigstore's list of algorithms.
        messageDigest: { algorithm: 1, digest: createHash("sha256").update(payload).digest() },
        signature,
      },
    },
    verificationMaterial: {
      content: { $case: "publicKey", publicKey: { hint: "" } },
      tlogEntries: entry === undefined ? [] : [transparencyLogEntry(entry)],
      timestampVerificationData: undefined,
    },
  };
  try {
    verifier.verify(toSignedEntity(bundle, payload));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const transparencyLogEntry = (entry: LogEntry): Bundle["verificationMaterial"]["tlogEntries"][number] => ({
  logIndex: String(entry.logIndex),
  logId: { keyId: Buffer.from(entry.logId, "hex") },
  kindVersion: { kind: "hashedrekord", version: "0.0.1" },
  integratedTime: String(entry.integratedTime),
  inclusionPromise: { signedEntryTimestamp: entry.signedTimestamp },
  inclusionProof: undefined,
  canonicalizedBody: entry.body,
});

const isSameKey = (pem: string, key: KeyObject): boolean =>
  readOrUndefined(() => createPublicKey(pem).equals(key)) ?? false;

function readOrUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
