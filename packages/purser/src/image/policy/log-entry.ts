import { createHash, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import type { Bundle } from "@sigstore/bundle";
import type { TrustMaterial } from "@sigstore/verify";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { bytesIn, objectIn, parsed } from "./untrusted-json.ts";

type TransparencyLogEntry = Bundle["verificationMaterial"]["tlogEntries"][number];
type UncheckedEntry = Omit<TransparencyLogEntry, "logId" | "kindVersion"> &
  Partial<{ [Name in "logId" | "kindVersion"]: TransparencyLogEntry[Name] | undefined }>;

/** The entry of a transparency log in a bundle; nothing of it is verified. */
export interface LoggedBundle {
  readonly logged: TransparencyLogEntry;
  /** Unix seconds, signed by the log; undefined for Rekor 2, which signs no time. */
  readonly integratedTime: number | undefined;
  /** PEM of the key or certificate that the entry is about. */
  readonly signer: string;
}

/**
 * Reads an entry whose time the log has signed (Rekor 1: `dsse` 0.0.1), or with a proof that leads to a signed checkpoint (Rekor 2:
 * `dsse` and `hashedrekord` 0.0.2). Undefined for other entries.
 */
export function readLogEntry(unchecked: UncheckedEntry): LoggedBundle | undefined {
  const { kindVersion, logId } = unchecked;
  if (logId === undefined || kindVersion === undefined) return undefined;
  const logged = { ...unchecked, logId, kindVersion };
  const spec = objectIn(parsed(logged.canonicalizedBody.toString("utf8")), "spec");
  switch (`${kindVersion.kind} ${kindVersion.version}`) {
    case "dsse 0.0.1":
      return timedEntry(logged, onlyOne(member(spec, "signatures")));
    case "dsse 0.0.2":
      return provenEntry(logged, onlyOne(member(objectIn(spec, "dsseV002"), "signatures")));
    case "hashedrekord 0.0.2":
      return provenEntry(logged, objectIn(objectIn(spec, "hashedRekordV002"), "signature"));
    default:
      return undefined;
  }
}

function timedEntry(logged: TransparencyLogEntry, signature: JsonObject): LoggedBundle | undefined {
  const time = Number(logged.integratedTime);
  if (logged.inclusionPromise === undefined || !Number.isSafeInteger(time) || time <= 0) return undefined;
  const signer = bytesIn(signature, "verifier")?.toString("utf8");
  // The signed time proves that the log has taken the entry; as in containers/image, no proof of inclusion is asked for besides.
  return signer === undefined
    ? undefined
    : { logged: { ...logged, inclusionProof: undefined }, integratedTime: time, signer };
}

/** The first line of a checkpoint names its log, the second has its size; see c2sp.org/tlog-checkpoint. */
const checkpointForm = /^(\S{1,200})\n[0-9]{1,18}\n/;

const originOf = ({ inclusionProof }: TransparencyLogEntry): string | undefined =>
  checkpointForm.exec(inclusionProof?.checkpoint?.envelope ?? "")?.[1];

function provenEntry(logged: TransparencyLogEntry, signature: JsonObject): LoggedBundle | undefined {
  if (originOf(logged) === undefined || !/^[0-9]{1,18}$/.test(logged.inclusionProof?.logIndex ?? "")) return undefined;
  const verifier = objectIn(signature, "verifier");
  const key = bytesIn(objectIn(verifier, "publicKey"), "rawBytes");
  const certificate = bytesIn(objectIn(verifier, "x509Certificate"), "rawBytes");
  const signer = pemOf(key, certificate);
  return signer === undefined
    ? undefined
    : { logged: { ...logged, inclusionPromise: undefined }, integratedTime: undefined, signer };
}

function pemOf(key: Buffer | undefined, certificate: Buffer | undefined): string | undefined {
  try {
    if (key === undefined) return certificate && new X509Certificate(certificate).toString();
    return certificate === undefined
      ? createPublicKey({ key, format: "der", type: "spki" }).export({ format: "pem", type: "spki" }).toString()
      : undefined;
  } catch {
    return undefined;
  }
}

/** The logs of a policy in the form in which Sigstore's verifier looks for the one that has the entry. */
export function logAuthorities(
  logKeys: readonly KeyObject[],
  logged: TransparencyLogEntry | undefined,
): TrustMaterial["tlogs"] {
  const origin = logged && originOf(logged);
  const always = { start: new Date(0), end: new Date(8.64e15) };
  return logKeys.map((publicKey) => ({
    logID: logId(publicKey, origin ?? ""),
    // A policy names keys. Any name will do for the log, as long as the key has signed it.
    baseURL: origin ?? "",
    publicKey,
    validFor: always,
  }));
}

/**
 * The id of a log: SHA-256 of the public key's DER (SubjectPublicKeyInfo); for an Ed25519 key, which only Rekor 2 has, of its name
 * and the key by c2sp.org/signed-note.
 */
export function logId(key: KeyObject, origin: string): Buffer {
  const spki = key.export({ type: "spki", format: "der" });
  const hash = createHash("sha256");
  if (key.asymmetricKeyType !== "ed25519") return hash.update(spki).digest();
  return hash.update(`${origin}\n\u0001`).update(spki.subarray(-32)).digest();
}

/** An empty object unless the list has one item that is an object. */
function onlyOne(list: JsonValue | undefined): JsonObject {
  const [first, ...others] = Array.isArray(list) ? (list as readonly JsonValue[]) : [];
  return first !== undefined && isJsonObject(first) && others.length === 0 ? first : {};
}
