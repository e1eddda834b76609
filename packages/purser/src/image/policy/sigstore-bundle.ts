import { type Bundle, bundleFromJSON } from "@sigstore/bundle";
import { type Digest, isDigest } from "@purser/kubernetes/digest";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { readDocuments } from "@purser/kubernetes/text/documents";
import { certificatesIn } from "./certificate-chain.ts";
import { type LoggedBundle, readLogEntry } from "./log-entry.ts";

type Content = Extract<Bundle["content"], { $case: "dsseEnvelope" }>;

/** A signature of an image as cosign 3 writes it; nothing of it is verified. */
export interface ReadBundle {
  readonly content: Content;
  /** What the signed statement is about. */
  readonly digests: readonly Digest[];
  /** DER of the signer's certificate, and of those that come with it; absent when a key has signed. */
  readonly certificates?: { readonly leaf: Buffer; readonly chain: readonly Buffer[] };
  /** The entry that can be verified, one with a time before others; absent when there is none. */
  readonly entry?: LoggedBundle;
  /** Of the signature, by timestamp authorities (RFC 3161). */
  readonly timestamps: readonly Buffer[];
}

/** Media types of bundles of all versions: `application/vnd.dev.sigstore.bundle.v0.3+json`, `...bundle+json;version=0.2`. */
export const isBundleMediaType = (mediaType: string): boolean =>
  /^application\/vnd\.dev\.sigstore\.bundle(?:\.v[0-9.]+\+json|\+json;version=[0-9.]+)$/.test(mediaType);

const statementMediaType = "application/vnd.in-toto+json";
/** What cosign calls a signature of an image; other statements (provenance, SBOM) are none. */
const signaturePredicate = "https://sigstore.dev/cosign/sign/v1";

/**
 * Reads a Sigstore bundle whose statement is cosign's signature of an image. Undefined for a bundle of another statement; the
 * problem is a sentence without a subject.
 */
export function readBundle(bytes: Uint8Array): Result<ReadBundle | undefined, string> {
  let bundle: Bundle;
  try {
    bundle = bundleFromJSON(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return failed("its bundle is not a Sigstore bundle");
  }
  const { content, verificationMaterial: material } = bundle;
  if (content.$case !== "dsseEnvelope" || content.dsseEnvelope.payloadType !== statementMediaType)
    return done(undefined);
  const statement = readStatement(content.dsseEnvelope.payload);
  if (!statement.ok) return statement;
  if (statement.value === undefined) return done(undefined);
  const certificates = certificatesOf(material.content);
  const entry = material.tlogEntries
    .flatMap((logged) => readLogEntry(logged) ?? [])
    .toSorted((a, b) => Number(a.integratedTime === undefined) - Number(b.integratedTime === undefined))[0];
  return done({
    content,
    digests: statement.value,
    timestamps: timestampsOf(material),
    ...(certificates === undefined ? {} : { certificates }),
    ...(entry === undefined ? {} : { entry }),
  });
}

/** The digests that a statement of cosign names; undefined for a statement of another predicate. */
function readStatement(payload: Buffer): Result<readonly Digest[] | undefined, string> {
  const documents = readDocuments(payload.toString("utf8"));
  const [document, ...rest] = documents.ok ? documents.value : [];
  // No two readers may see different claims.
  if (document?.format !== "json" || rest.length > 0 || document.lostText || document.duplicateKeys().length > 0)
    return failed("its statement is not a JSON object");
  const statement = objectOf(document.value);
  const type = member(statement, "_type");
  if (typeof type !== "string" || !/^https:\/\/in-toto\.io\/Statement\/v(?:0\.1|1)$/.test(type))
    return failed("its statement is not an in-toto statement");
  if (member(statement, "predicateType") !== signaturePredicate) return done(undefined);
  const subjects = member(statement, "subject");
  const digests = (Array.isArray(subjects) ? (subjects as readonly JsonValue[]) : []).map((subject) => {
    const hex = member(objectOf(member(objectOf(subject), "digest")), "sha256");
    return `sha256:${typeof hex === "string" ? hex : ""}`;
  });
  return digests.length > 0 && digests.every(isDigest)
    ? done(digests)
    : failed("its statement does not name its subjects by their sha256 digests");
}

function certificatesOf(content: Bundle["verificationMaterial"]["content"]): ReadBundle["certificates"] {
  if (content.$case === "certificate") return { leaf: Buffer.from(content.certificate.rawBytes), chain: [] };
  if (content.$case === "publicKey") return undefined;
  const [leaf, ...chain] = content.x509CertificateChain.certificates.map(({ rawBytes }) => Buffer.from(rawBytes));
  return leaf === undefined ? undefined : { leaf, chain };
}

/** More than a bundle of cosign ever has; each costs signatures of a whole chain. */
const mostTimestamps = 8;

const timestampsOf = ({ timestampVerificationData }: Bundle["verificationMaterial"]): readonly Buffer[] =>
  (timestampVerificationData?.rfc3161Timestamps ?? [])
    .slice(0, mostTimestamps)
    .map(({ signedTimestamp }) => Buffer.from(signedTimestamp));

/** The certificates of a PEM text, or none. */
export const loggedCertificate = ({ signer }: { readonly signer: string }): Buffer | undefined =>
  certificatesIn(signer)[0];

const objectOf = (value: JsonValue | undefined): JsonObject =>
  value !== undefined && isJsonObject(value) ? value : {};
