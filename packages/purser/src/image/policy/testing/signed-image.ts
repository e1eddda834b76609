import { createHash, type KeyObject, sign } from "node:crypto";
import { Readable } from "node:stream";
import { type Digest, digestOf } from "@purser/kubernetes/digest";
import { done, failed } from "@purser/kubernetes/result";
import type { ImageProblem } from "../../image-problem.ts";
import type { ImageSource } from "../../image-source.ts";
import { signatureTag } from "../find-signatures.ts";
import { signatureAnnotations } from "../found-signature.ts";
import { payloadMediaType, writePayload } from "../simple-signing.ts";

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

/** An image in a registry with these signatures beside it. */
export function sourceWith(reference: string, image: Digest, signatures: readonly MadeSignature[]): ImageSource {
  const blobs = new Map(signatures.map(({ payload }) => [digestOf(payload), payload]));
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
  const absent = { kind: "notFound", reference, cause: "absent", remedy: "" } satisfies ImageProblem;
  const at = (tag: string): ImageSource => ({
    reference: `${reference} ${tag}`,
    resolve: () =>
      Promise.resolve(signatures.length > 0 && tag === signatureTag(image) ? done(digestOf(manifest)) : failed(absent)),
    manifest: (digest) =>
      Promise.resolve(
        digest === digestOf(manifest)
          ? done({ digest, mediaType: "application/vnd.oci.image.manifest.v1+json", bytes: manifest })
          : failed(absent),
      ),
    blob: ({ digest }) => {
      const bytes = blobs.get(digest);
      return Promise.resolve(bytes === undefined ? failed(absent) : done(Readable.from([Buffer.from(bytes)])));
    },
    sibling: at,
    close: () => Promise.resolve(),
  });
  return at("image");
}
