import type { Digest } from "@purser/kubernetes/digest";
import { isDigest } from "@purser/kubernetes/digest";
import { isJsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { readDocuments } from "@purser/kubernetes/text/documents";

/** What a signature says: this digest is this image. */
export interface SignedClaim {
  readonly digest: Digest;
  /** The name under `docker-reference`. */
  readonly reference: string;
}

const signatureType = "cosign container image signature";
/** Media type of a layer whose content is the payload of a signature. */
export const payloadMediaType = "application/vnd.dev.cosign.simplesigning.v1+json";

/** The payload in cosign's form, which its signature is made over. */
export function writePayload({ digest, reference }: SignedClaim): Uint8Array {
  const critical = {
    identity: { "docker-reference": reference },
    image: { "docker-manifest-digest": digest },
    type: signatureType,
  };
  return new TextEncoder().encode(JSON.stringify({ critical, optional: null }));
}

/**
 * Reads a payload whose signature was verified. Unknown or repeated members beside `optional` are a problem, so that no two
 * readers see different claims.
 */
export function readPayload(bytes: Uint8Array): Result<SignedClaim, string> {
  const text = new TextDecoder().decode(bytes);
  const documents = readDocuments(text);
  const [document, ...rest] = documents.ok ? documents.value : [];
  if (document?.format !== "json" || rest.length > 0 || document.lostText || document.duplicateKeys().length > 0)
    return failed("its payload is not one JSON object");
  const [critical] = membersOf(document.value, ["critical", "optional"]) ?? [];
  const [type, image, identity] = membersOf(critical, ["type", "image", "identity"]) ?? [];
  const [digest] = membersOf(image, ["docker-manifest-digest"]) ?? [];
  const [reference] = membersOf(identity, ["docker-reference"]) ?? [];
  if (type !== signatureType) return failed("its payload is not a signature of an image in cosign's form");
  if (typeof digest !== "string" || !isDigest(digest)) return failed("its payload names no sha256 digest");
  if (typeof reference !== "string") return failed("its payload names no image");
  return done({ digest, reference });
}

/** The values of exactly these members, in this order. */
function membersOf(value: JsonValue | undefined, names: readonly string[]): readonly JsonValue[] | undefined {
  if (value === undefined || !isJsonObject(value) || Object.keys(value).length !== names.length) return undefined;
  const values = names.map((name) => member(value, name));
  return values.includes(undefined) ? undefined : values.map((item) => item ?? null);
}
