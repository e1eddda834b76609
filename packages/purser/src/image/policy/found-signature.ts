import { createHash, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { member } from "@purser/kubernetes/json";
import { fromBase64, objectIn, parsed, textIn } from "./untrusted-json.ts";

/** A signature in the form of cosign 2 as it lies beside its image; nothing of it is verified. */
export interface SimpleSignature {
  readonly payload: Uint8Array;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Annotations that cosign writes to the layer of a signature. */
export const signatureAnnotations = {
  signature: "dev.cosignproject.cosign/signature",
  certificate: "dev.sigstore.cosign/certificate",
  chain: "dev.sigstore.cosign/chain",
  logEntry: "dev.sigstore.cosign/bundle",
} as const;

/** The entry of a transparency log that comes with a signature, signed by the log; nothing is verified. */
export interface LogEntry {
  readonly signedTimestamp: Buffer;
  readonly body: Buffer;
  /** Unix seconds. */
  readonly integratedTime: number;
  readonly logIndex: number;
  /** Lower-case hex. */
  readonly logId: string;
  /** PEM of the key or certificate that the entry is about. */
  readonly signer: string;
}

/** Undefined when there is none, or when it is no entry of the form `hashedrekord` 0.0.1 with SHA-256. */
export function logEntryOf({ annotations }: SimpleSignature): LogEntry | undefined {
  const entry = parsed(annotations[signatureAnnotations.logEntry] ?? "");
  const payload = objectIn(entry, "Payload");
  const [signed, body] = [textIn(entry, "SignedEntryTimestamp"), textIn(payload, "body")].map(fromBase64);
  const logId = textIn(payload, "logID");
  const [time, index] = [member(payload, "integratedTime"), member(payload, "logIndex")];
  if (signed === undefined || body === undefined || logId === undefined || !/^[0-9a-f]{64}$/.test(logId))
    return undefined;
  if (typeof time !== "number" || typeof index !== "number") return undefined;
  if (!Number.isSafeInteger(time) || !Number.isSafeInteger(index) || time <= 0 || index < 0) return undefined;
  const record = parsed(body.toString("utf8"));
  if (member(record, "kind") !== "hashedrekord" || member(record, "apiVersion") !== "0.0.1") return undefined;
  const spec = objectIn(record, "spec");
  const signer = fromBase64(textIn(objectIn(objectIn(spec, "signature"), "publicKey"), "content"));
  if (signer === undefined || textIn(objectIn(objectIn(spec, "data"), "hash"), "algorithm") !== "sha256")
    return undefined;
  return {
    signedTimestamp: signed,
    body,
    integratedTime: time,
    logIndex: index,
    logId,
    signer: signer.toString("utf8"),
  };
}

/** SHA-256 of a public key's DER (SubjectPublicKeyInfo), as `openssl pkey -pubin -outform der | sha256sum` prints it. */
export function keyFingerprint(key: KeyObject): string {
  return createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("hex");
}

/** Who claims to have signed; for messages. */
export function claimedSigner(signature: SimpleSignature): string {
  return claimedBy(signature.annotations[signatureAnnotations.certificate], logEntryOf(signature)?.signer);
}

/** The same by a certificate (PEM or DER) that comes with the signature, else by what a log has noted of the signer. */
export function claimedBy(certificateBytes: string | Buffer | undefined, loggedSigner: string | undefined): string {
  const certificate =
    certificateBytes === undefined ? undefined : readOrUndefined(() => new X509Certificate(certificateBytes));
  if (certificate !== undefined) return `certificate of ${certificateSubject(certificate)}`;
  const key = loggedSigner === undefined ? undefined : readOrUndefined(() => createPublicKey(loggedSigner));
  return key === undefined ? "an unnamed key" : `key sha256:${keyFingerprint(key).slice(0, 16)}`;
}

/** Alternative names of a certificate (`email:jane@example.com`), else its subject. */
export function certificateSubject({ subjectAltName, subject }: X509Certificate): string {
  // Node returns undefined for an empty subject, contrary to its types.
  return (subjectAltName ?? (subject as string | undefined) ?? "nobody").replaceAll("\n", ", ");
}

function readOrUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
