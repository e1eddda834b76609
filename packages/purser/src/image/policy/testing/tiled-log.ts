import { createHash, createPublicKey, type KeyObject, sign, X509Certificate } from "node:crypto";

/** A log of Rekor 2 and the place of an entry in it; what is absent is as it should be. */
export interface TiledLog {
  readonly log: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  /** PEM of the key or certificate in the entry. */
  readonly signer: string;
  readonly origin?: string;
  readonly kind?: "dsse" | "hashedrekord";
  readonly index?: number;
  readonly size?: number;
  /** Changes what the entry says before the log takes it. */
  readonly body?: (text: string) => string;
  /** Changes the checkpoint before the log signs it, and after. */
  readonly note?: (text: string) => string;
  readonly signed?: (text: string) => string;
  /** Under which the log names its key, where that is not its own name. */
  readonly keyName?: string;
}

const sha256 = (...parts: readonly (Buffer | string)[]): Buffer => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const base64 = (value: Uint8Array): string => Buffer.from(value).toString("base64");

/** RFC 6962, 2.1: the hash of a tree of these leaves. */
function treeHash(leaves: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0)] = leaves;
  if (leaves.length === 1) return sha256("\u0000", first);
  const half = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  return sha256("\u0001", treeHash(leaves.slice(0, half)), treeHash(leaves.slice(half)));
}

/** RFC 6962, 2.1.1: the hashes that lead from a leaf to the hash of the tree. */
function auditPath(index: number, leaves: readonly Buffer[]): readonly Buffer[] {
  if (leaves.length === 1) return [];
  const half = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  const [left, right] = [leaves.slice(0, half), leaves.slice(half)];
  return index < half
    ? [...auditPath(index, left), treeHash(right)]
    : [...auditPath(index - half, right), treeHash(left)];
}

/** The entry of a bundle as Rekor 2 returns it, for a DSSE envelope. */
export function tiledEntry(payload: Buffer, encoded: Buffer, signature: string, made: TiledLog): object {
  const { log, origin = "log.example.com", kind = "dsse", index = 5, size = 11 } = made;
  const body = Buffer.from(
    (made.body ?? ((text) => text))(JSON.stringify(entryBody(payload, encoded, signature, made))),
  );
  const leaves = Array.from({ length: size }, (_, at) => (at === index ? body : Buffer.from(`entry ${at}`)));
  const root = base64(treeHash(leaves));
  const note = (made.note ?? ((text) => text))(`${origin}\n${size}\n${root}\n`);
  const [id, name] = [keyId(log.publicKey, origin), made.keyName ?? origin];
  const digest = log.privateKey.asymmetricKeyType === "ed25519" ? null : "sha256";
  const line = Buffer.concat([
    keyId(log.publicKey, name).subarray(0, 4),
    sign(digest, Buffer.from(note), log.privateKey),
  ]);
  const envelope = `${note}\n— witness.example.com ${base64(Buffer.alloc(72, 7))}\n— ${name} ${base64(line)}\n`;
  return {
    logIndex: String(index),
    logId: { keyId: base64(id) },
    kindVersion: { kind, version: "0.0.2" },
    integratedTime: "0",
    inclusionProof: {
      logIndex: String(index),
      rootHash: root,
      treeSize: String(size),
      hashes: auditPath(index, leaves).map(base64),
      checkpoint: { envelope: (made.signed ?? ((text) => text))(envelope) },
    },
    canonicalizedBody: base64(body),
  };
}

function entryBody(payload: Buffer, encoded: Buffer, content: string, { kind = "dsse", signer }: TiledLog): object {
  const verifier = signer.includes("CERTIFICATE")
    ? { x509Certificate: { rawBytes: base64(new X509Certificate(signer).raw) } }
    : { publicKey: { rawBytes: base64(createPublicKey(signer).export({ type: "spki", format: "der" })) } };
  const signature = { content, verifier: { ...verifier, keyDetails: "PKIX_ECDSA_P256_SHA_256" } };
  const spec =
    kind === "dsse"
      ? {
          dsseV002: {
            payloadHash: { algorithm: "SHA2_256", digest: base64(sha256(payload)) },
            signatures: [signature],
          },
        }
      : { hashedRekordV002: { data: { algorithm: "SHA2_256", digest: base64(sha256(encoded)) }, signature } };
  return { apiVersion: "0.0.2", kind, spec };
}

/** c2sp.org/signed-note. */
function keyId(key: KeyObject, name: string): Buffer {
  const spki = key.export({ type: "spki", format: "der" });
  return key.asymmetricKeyType === "ed25519" ? sha256(`${name}\n`, "\u0001", spki.subarray(-32)) : sha256(spki);
}
