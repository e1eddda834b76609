import { createHash, type KeyObject, sign } from "node:crypto";
import { Readable } from "node:stream";
import { type Digest, digestOf } from "@purser/kubernetes/digest";
import { done, failed } from "@purser/kubernetes/result";
import type { ImageProblem } from "../../image-problem.ts";
import type { ImageSource } from "../../image-source.ts";
import { signatureTag } from "../find-signatures.ts";
import { signatureAnnotations } from "../found-signature.ts";
import { payloadMediaType, writePayload } from "../simple-signing.ts";
import { tiledEntry, type TiledLog } from "./tiled-log.ts";

const keySpki = (key: KeyObject): Buffer => key.export({ type: "spki", format: "der" });
const base64 = (value: Uint8Array | string): string => Buffer.from(value).toString("base64");

export interface LogOptions {
  readonly log: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  /** Unix seconds. */
  readonly at: number;
  /** PEM of the key or certificate in the entry. */
  readonly signer: string;
}

export interface MadeSignature {
  readonly payload: Uint8Array;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A signature as cosign makes it. */
export function signed(
  { digest, reference }: { readonly digest: Digest; readonly reference: string },
  key: KeyObject,
  logged?: LogOptions,
  annotations: Readonly<Record<string, string>> = {},
): MadeSignature {
  const payload = writePayload({ digest, reference });
  const signature = base64(sign("sha256", payload, key));
  const entry = logged === undefined ? {} : { [signatureAnnotations.logEntry]: logEntry(payload, signature, logged) };
  return { payload, annotations: { [signatureAnnotations.signature]: signature, ...entry, ...annotations } };
}

/** The annotation that carries an entry of Rekor. */
function logEntry(payload: Uint8Array, signature: string, { log, at, signer }: LogOptions): string {
  const body = JSON.stringify({
    apiVersion: "0.0.1",
    kind: "hashedrekord",
    spec: {
      data: { hash: { algorithm: "sha256", value: createHash("sha256").update(payload).digest("hex") } },
      signature: { content: signature, publicKey: { content: base64(signer) } },
    },
  });
  const logID = createHash("sha256").update(keySpki(log.publicKey)).digest("hex");
  // Members in the order of their names: the canonical form that the log signs.
  const entry = { body: base64(body), integratedTime: at, logID, logIndex: 7 };
  const timestamp = sign("sha256", Buffer.from(JSON.stringify(entry)), log.privateKey);
  return JSON.stringify({ SignedEntryTimestamp: base64(timestamp), Payload: entry });
}

/** What differs from a bundle of cosign 3 for an image. */
export interface BundleOptions {
  readonly logged?: LogOptions;
  /** An entry in a log of Rekor 2. */
  readonly tiled?: TiledLog;
  /** Of a keyless signature. */
  readonly certificate?: Buffer;
  readonly predicateType?: string;
  /** Makes another statement of that of cosign. */
  readonly statement?: (text: string) => string;
  /** Replaces the statement after it was signed. */
  readonly tampered?: (payload: Buffer) => Buffer;
  readonly entry?: object;
  /** Timestamps of the signature. */
  readonly timestamps?: (signature: Buffer) => readonly Uint8Array[];
}

/** A Sigstore bundle as cosign 3 makes it: a signed in-toto statement that names nothing but the digest. */
export function bundled(image: Digest, key: KeyObject, options: BundleOptions = {}): Uint8Array {
  const { logged, certificate, statement = (text: string) => text, tampered = (bytes: Buffer) => bytes } = options;
  const payload = Buffer.from(
    statement(
      JSON.stringify({
        _type: "https://in-toto.io/Statement/v1",
        subject: [{ digest: { sha256: image.replace("sha256:", "") }, annotations: {} }],
        predicateType: options.predicateType ?? "https://sigstore.dev/cosign/sign/v1",
        predicate: {},
      }),
    ),
  );
  const payloadType = "application/vnd.in-toto+json";
  const encoded = Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `);
  const envelope = Buffer.concat([encoded, payload]);
  const signature = base64(sign("sha256", envelope, key));
  const entries = [
    ...(options.tiled === undefined ? [] : [tiledEntry(payload, envelope, signature, options.tiled)]),
    ...(logged === undefined ? [] : [bundledEntry(payload, signature, logged)]),
  ].map((entry) => ({ ...entry, ...options.entry }));
  return new TextEncoder().encode(
    JSON.stringify({
      mediaType: bundleMediaType,
      verificationMaterial: {
        ...(certificate === undefined
          ? { publicKey: { hint: "key" } }
          : { certificate: { rawBytes: base64(certificate) } }),
        tlogEntries: entries,
        ...(options.timestamps === undefined
          ? {}
          : {
              timestampVerificationData: {
                rfc3161Timestamps: options
                  .timestamps(Buffer.from(signature, "base64"))
                  .map((timestamp) => ({ signedTimestamp: base64(timestamp) })),
              },
            }),
      },
      dsseEnvelope: { payload: base64(tampered(payload)), payloadType, signatures: [{ sig: signature, keyid: "" }] },
    }),
  );
}

function bundledEntry(payload: Buffer, signature: string, { log, at, signer }: LogOptions): object {
  const body = JSON.stringify({
    apiVersion: "0.0.1",
    kind: "dsse",
    spec: {
      envelopeHash: { algorithm: "sha256", value: "0".repeat(64) },
      payloadHash: { algorithm: "sha256", value: createHash("sha256").update(payload).digest("hex") },
      signatures: [{ signature, verifier: base64(signer) }],
    },
  });
  const id = createHash("sha256").update(keySpki(log.publicKey)).digest();
  const entry = { body: base64(body), integratedTime: at, logID: id.toString("hex"), logIndex: 7 };
  const timestamp = sign("sha256", Buffer.from(JSON.stringify(entry)), log.privateKey);
  const root = base64(Buffer.alloc(32));
  return {
    logIndex: "7",
    logId: { keyId: base64(id) },
    kindVersion: { kind: "dsse", version: "0.0.1" },
    integratedTime: String(at),
    inclusionPromise: { signedEntryTimestamp: base64(timestamp) },
    inclusionProof: {
      logIndex: "7",
      rootHash: root,
      treeSize: "8",
      hashes: [],
      checkpoint: { envelope: "rekor\n8\n" },
    },
    canonicalizedBody: base64(body),
  };
}

const bundleMediaType = "application/vnd.dev.sigstore.bundle.v0.3+json";

/** The manifest that attaches a bundle to an image, and its descriptor in an index of referrers. */
function referrerOf(image: Digest, bundle: Uint8Array): { readonly manifest: Uint8Array; readonly descriptor: object } {
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const manifest = new TextEncoder().encode(
    JSON.stringify({
      schemaVersion: 2,
      mediaType,
      artifactType: bundleMediaType,
      config: { mediaType: "application/vnd.oci.empty.v1+json", digest: digestOf("{}"), size: 2 },
      layers: [{ mediaType: bundleMediaType, digest: digestOf(bundle), size: bundle.length }],
      subject: { mediaType, digest: image, size: 1 },
    }),
  );
  const descriptor = { mediaType, artifactType: bundleMediaType, digest: digestOf(manifest), size: manifest.length };
  return { manifest, descriptor };
}

const indexOf = (descriptors: readonly object[]): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.index.v1+json",
      manifests: descriptors,
    }),
  );

/** An image in a registry with these signatures beside it; bundles by the API, or under the tag that stands in for it. */
export function sourceWith(
  reference: string,
  image: Digest,
  signatures: readonly MadeSignature[],
  { bundles, by }: { readonly bundles: readonly Uint8Array[]; readonly by: "api" | "tag" } = { bundles: [], by: "tag" },
): ImageSource {
  const blobs = new Map(signatures.map(({ payload }) => [digestOf(payload), payload]));
  for (const bundle of bundles) blobs.set(digestOf(bundle), bundle);
  const attached = bundles.map((bundle) => referrerOf(image, bundle));
  const index = indexOf(attached.map(({ descriptor }) => descriptor));
  const manifests = new Map(attached.map(({ manifest }) => [digestOf(manifest), manifest]));
  const tags = new Map<string, Digest>();
  const manifest = new TextEncoder().encode(
    JSON.stringify({
      schemaVersion: 2,
      layers: signatures.map(({ payload, annotations }) => ({
        mediaType: payloadMediaType,
        digest: digestOf(payload),
        size: payload.length,
        annotations,
      })),
    }),
  );
  if (signatures.length > 0) tags.set(signatureTag(image), digestOf(manifest));
  if (bundles.length > 0 && by === "tag") tags.set(image.replace(":", "-"), digestOf(index));
  manifests.set(digestOf(manifest), manifest).set(digestOf(index), index);
  const absent = { kind: "notFound", reference, cause: "absent", remedy: "" } satisfies ImageProblem;
  const at = (tag: string): ImageSource => ({
    reference: `${reference} ${tag}`,
    resolve: () => {
      const named = tags.get(tag);
      return Promise.resolve(named === undefined ? failed(absent) : done(named));
    },
    manifest: (digest) => {
      const bytes = manifests.get(digest);
      const mediaType = "application/vnd.oci.image.manifest.v1+json";
      return Promise.resolve(bytes === undefined ? failed(absent) : done({ digest, mediaType, bytes }));
    },
    referrers: (digest) => Promise.resolve(done(by === "api" && digest === image ? index : undefined)),
    blob: ({ digest }) => {
      const bytes = blobs.get(digest);
      return Promise.resolve(bytes === undefined ? failed(absent) : done(Readable.from([Buffer.from(bytes)])));
    },
    sibling: at,
    close: () => Promise.resolve(),
  });
  return at("image");
}
