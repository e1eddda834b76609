import { createHash, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { BUNDLE_V01_MEDIA_TYPE, type Bundle } from "@sigstore/bundle";
import { toSignedEntity, Verifier } from "@sigstore/verify";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { certificateMismatch, certificatesIn } from "./certificate-chain.ts";
import type { FoundSignature } from "./find-signatures.ts";
import {
  certificateSubject,
  keyFingerprint,
  type LogEntry,
  logEntryOf,
  signatureAnnotations,
  type SimpleSignature,
} from "./found-signature.ts";
import { fromBase64 } from "./untrusted-json.ts";
import { type LoggedBundle, logAuthorities } from "./log-entry.ts";
import { loggedCertificate, type ReadBundle } from "./sigstore-bundle.ts";
import { timeIn, timestampAuthorities } from "./timestamp.ts";
import type { TrustMaterial } from "./trust-material.ts";

/** Who has signed, verified. */
export type Signer =
  | { readonly kind: "key"; /** SHA-256 of the public key's DER, in hex. */ readonly fingerprint: string }
  | { readonly kind: "certificate"; readonly subject: string; readonly oidcIssuer: string };

/** A signature in the form in which Sigstore's verifier reads it; nothing of it is verified. */
interface Evidence {
  readonly content: Bundle["content"];
  /** What is signed, where the content does not hold it. */
  readonly payload?: Buffer;
  readonly entry: LoggedBundle | undefined;
  /** What is missing without an entry, as a sentence without a subject. */
  readonly noEntry: string;
  readonly certificates: Result<NonNullable<ReadBundle["certificates"]>, string>;
  /** Of the signature, by timestamp authorities. */
  readonly timestamps: readonly Buffer[];
}

/** The signer, when somebody whom the material names has signed; the problem is a sentence without a subject. */
export function checkSignature(signature: FoundSignature, material: TrustMaterial): Result<Signer, string> {
  const read = signature.kind === "simple" ? evidenceOf(signature) : evidenceOfBundle(signature.bundle);
  if (!read.ok) return read;
  const { entry, noEntry } = read.value;
  if (material.logs.length > 0 && entry === undefined) return failed(noEntry);
  const evidence = { ...read.value, entry: material.logs.length > 0 ? entry : undefined };
  return material.signers.kind === "keys"
    ? checkKeys(evidence, material, material.signers.keys)
    : checkCertificate(evidence, material, material.signers.rule);
}

function evidenceOf(signature: SimpleSignature): Result<Evidence, string> {
  const { annotations } = signature;
  const text = annotations[signatureAnnotations.signature];
  if (text === undefined) return failed(`annotation ${signatureAnnotations.signature} is missing`);
  const bytes = fromBase64(text);
  if (bytes === undefined) return failed(`annotation ${signatureAnnotations.signature} is not base64`);
  const payload = Buffer.from(signature.payload);
  const entry = logEntryOf(signature);
  const [leaf, another] = certificatesIn(annotations[signatureAnnotations.certificate] ?? "");
  return done({
    content: {
      $case: "messageSignature",
      messageSignature: {
        // 1 is SHA2_256 in Sigstore's list of algorithms.
        messageDigest: { algorithm: 1, digest: createHash("sha256").update(payload).digest() },
        signature: bytes,
      },
    },
    payload,
    entry: entry && { logged: transparencyLogEntry(entry), integratedTime: entry.integratedTime, signer: entry.signer },
    noEntry: `annotation ${signatureAnnotations.logEntry} holds no entry of a transparency log`,
    certificates:
      leaf === undefined || another !== undefined
        ? failed(`annotation ${signatureAnnotations.certificate} does not hold one certificate`)
        : done({ leaf, chain: certificatesIn(annotations[signatureAnnotations.chain] ?? "") }),
    timestamps: [],
  });
}

function evidenceOfBundle(bundle: Result<ReadBundle, string>): Result<Evidence, string> {
  if (!bundle.ok) return bundle;
  const { content, entry, certificates, timestamps } = bundle.value;
  return done({
    content,
    entry,
    timestamps,
    noEntry: "its bundle holds no entry of a transparency log that can be verified",
    certificates: certificates === undefined ? failed("its bundle holds no certificate") : done(certificates),
  });
}

function checkKeys(evidence: Evidence, material: TrustMaterial, keys: readonly KeyObject[]): Result<Signer, string> {
  let problem = "no key of the policy has signed it";
  for (const key of keys) {
    const mismatch = signatureMismatch(evidence, key, material);
    if (mismatch !== undefined) {
      if (mismatch !== "signature verification failed") problem = mismatch;
      continue;
    }
    if (evidence.entry !== undefined && !isSameKey(evidence.entry.signer, key))
      problem = "the log entry is for another key";
    else return done({ kind: "key", fingerprint: keyFingerprint(key) });
  }
  return failed(problem);
}

function checkCertificate(
  evidence: Evidence,
  material: TrustMaterial,
  rule: Parameters<typeof certificateMismatch>[2],
): Result<Signer, string> {
  if (!evidence.certificates.ok) return evidence.certificates;
  const { leaf, chain } = evidence.certificates.value;
  const { entry } = evidence;
  if (entry === undefined) return failed("it has no entry of a transparency log");
  if (loggedCertificate(entry)?.equals(leaf) !== true) return failed("the log entry is for another certificate");
  const certificate = readOrUndefined(() => new X509Certificate(leaf));
  if (certificate === undefined) return failed("its certificate cannot be read");
  const time = provenTime(evidence, entry, certificate.publicKey, material);
  if (!time.ok) return time;
  const mismatch = certificateMismatch(leaf, chain, rule, time.value);
  if (mismatch !== undefined) return failed(mismatch);
  return done({ kind: "certificate", subject: certificateSubject(certificate), oidcIssuer: rule.oidcIssuer });
}

/**
 * When the signature existed: by the log's own time, else by the first timestamp of an authority of the policy. The signature and
 * the entry are verified with it.
 */
function provenTime(
  evidence: Evidence,
  entry: LoggedBundle,
  key: KeyObject,
  material: TrustMaterial,
): Result<Date, string> {
  if (entry.integratedTime !== undefined) {
    const mismatch = signatureMismatch(evidence, key, material);
    return mismatch === undefined ? done(new Date(entry.integratedTime * 1000)) : failed(mismatch);
  }
  const problem = "its log entry is of Rekor 2, which does not sign a time, and";
  if (material.timestampAuthorities.length === 0)
    return failed(`${problem} the policy names no timestampAuthorityPath: the certificate cannot be checked`);
  if (evidence.timestamps.length === 0) return failed(`${problem} its bundle holds no timestamp`);
  let mismatch: string | undefined = "its timestamp cannot be read";
  for (const timestamp of evidence.timestamps) {
    const time = timeIn(timestamp);
    if (time === undefined) continue;
    mismatch = signatureMismatch(evidence, key, material, timestamp);
    if (mismatch === undefined) return done(time);
  }
  return failed(mismatch);
}

/**
 * Why the payload is not signed by the key, or the entry not by a log of the policy; undefined when both are. The verifier's own
 * certificate checks are not used: they insist on a CT log's key, which a policy.json cannot name.
 * @param timestamp must be of the signature, by an authority of the policy
 */
function signatureMismatch(
  { content, payload, entry }: Evidence,
  key: KeyObject,
  { logs, timestampAuthorities: authorities }: TrustMaterial,
  timestamp?: Buffer,
): string | undefined {
  const verifier = new Verifier(
    {
      certificateAuthorities: [],
      timestampAuthorities: timestamp === undefined ? [] : timestampAuthorities(authorities),
      ctlogs: [],
      tlogs: logAuthorities(logs, entry?.logged),
      publicKey: () => ({ publicKey: key, validFor: () => true }),
    },
    {
      ctlogThreshold: 0,
      tlogThreshold: entry === undefined ? 0 : 1,
      timestampThreshold: entry?.integratedTime === undefined && timestamp === undefined ? 0 : 1,
    },
  );
  const bundle: Bundle = {
    mediaType: BUNDLE_V01_MEDIA_TYPE,
    content,
    verificationMaterial: {
      content: { $case: "publicKey", publicKey: { hint: "" } },
      tlogEntries: entry === undefined ? [] : [entry.logged],
      timestampVerificationData:
        timestamp === undefined ? undefined : { rfc3161Timestamps: [{ signedTimestamp: timestamp }] },
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
