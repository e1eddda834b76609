import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { done, type Result } from "@purser/kubernetes/result";
import { contentDigest } from "@purser/kubernetes/system/content-digest";
import { type BuiltImage, imageOf, jsonBlob } from "../build/built-image.ts";
import type { ImageBlob } from "../build/layer.ts";
import type { RawManifest } from "../image-source.ts";
import { signatureLayers } from "./find-signatures.ts";
import { signatureAnnotations } from "./found-signature.ts";
import { payloadMediaType, type SignedClaim, writePayload } from "./simple-signing.ts";

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
  const digest = contentDigest(payload);
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
