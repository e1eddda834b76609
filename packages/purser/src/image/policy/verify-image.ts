import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Digest } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ImageProblem } from "../image-problem.ts";
import type { ImageSource } from "../image-source.ts";
import type { PullRequest } from "../images.ts";
import { checkSignature, type Signer } from "./check-signature.ts";
import { type ChosenRequirements, chooseRequirements } from "./choose-requirements.ts";
import { findSignatures, type FoundSignature } from "./find-signatures.ts";
import { claimedBy, claimedSigner } from "./found-signature.ts";
import { type ImageIdentity, imageIdentity } from "./image-identity.ts";
import type { Requirement } from "./policy.ts";
import { readPolicy } from "./policy-file.ts";
import { identityMismatch } from "./signed-identity.ts";
import { readPayload } from "./simple-signing.ts";
import { readTrustMaterial } from "./trust-material.ts";

/** How an image was accepted. */
export interface Verdict {
  /** The policy file; absent when there is none, and every image is accepted. */
  readonly policy?: string;
  /** The scope whose requirements applied, such as `docker: quay.io/acme`; absent without a policy. */
  readonly scope?: string;
  /** Absent where the policy asks for no signature. */
  readonly signer?: Signer;
}

/** What is decided about. */
export interface SignatureQuestion {
  /** `reference` as the caller named it, and scopes of transport `purser` under `policy`. */
  readonly request: Pick<PullRequest, "reference" | "policy">;
  /** Of the manifest or index that the reference names; a signature must be for this digest. */
  readonly digest: Digest;
  /** Signatures are looked for beside it. */
  readonly source: ImageSource;
}

/** Decides whether an image may be unpacked. */
export type VerifyImage = (question: SignatureQuestion, signal: AbortSignal) => Promise<Result<Verdict, ImageProblem>>;

export interface VerifierOptions {
  /** In order; the first that exists counts. Read anew for each image. */
  readonly policyFiles: readonly string[];
  /** Called once, for the first image that is accepted because no policy file exists. */
  readonly onMissingPolicy?: (files: readonly string[]) => void;
}

/**
 * A verifier of the policy in the first of the files. Without a file every image is accepted, as OLM v1 does. A policy that cannot
 * be read refuses every image with a problem of kind `configuration`; an image that the policy does not accept has a problem of
 * kind `signature` that names the file, the scope and the signers that were found.
 */
export function createImageVerifier({ policyFiles, onMissingPolicy }: VerifierOptions): VerifyImage {
  let isMissingReported = false;
  return async ({ request: { reference, policy: scopes }, digest, source }, signal) => {
    const found = await readPolicy(policyFiles);
    if (!found.ok)
      return failed({
        kind: "configuration",
        reference,
        cause: found.problem,
        remedy: "correct the file, or delete it to accept every image",
      });
    const { file, policy } = found.value;
    if (file === undefined) {
      if (!isMissingReported) onMissingPolicy?.(policyFiles);
      isMissingReported = true;
      return done({});
    }
    const identity = imageIdentity(reference, realPath);
    if (!identity.ok)
      return failed({
        kind: "reference",
        reference,
        isFinal: true,
        cause: identity.problem,
        remedy: "correct the reference",
      });
    const chosen = chooseRequirements(policy, scopes, identity.value);
    return meets({ reference, digest, file, identity: identity.value, chosen, source, signal });
  };
}

interface Judged {
  readonly reference: string;
  readonly digest: Digest;
  readonly file: string;
  readonly identity: ImageIdentity;
  readonly chosen: ChosenRequirements;
  readonly source: ImageSource;
  readonly signal: AbortSignal;
}

/** All requirements must be met; the first signer found is reported. */
async function meets(judged: Judged): Promise<Result<Verdict, ImageProblem>> {
  const { file, chosen, source, digest, signal } = judged;
  let signatures: readonly FoundSignature[] | undefined;
  let signer: Signer | undefined;
  for (const requirement of chosen.requirements) {
    if (requirement.kind === "accept") continue;
    if (requirement.kind === "reject")
      return failed(rejected(judged, "the policy rejects it", "name another image, or change the policy", true));
    if (requirement.kind === "unsupported")
      return failed(
        rejected(
          judged,
          `requirement ${requirement.type} is not supported`,
          "use type sigstoreSigned with keyPath or fulcio for this scope",
          true,
        ),
      );
    if (signatures === undefined) {
      const found = await findSignatures(source, digest, signal);
      if (!found.ok) return found;
      signatures = found.value;
    }
    const accepted = await acceptedSigner(judged, requirement, signatures);
    if (!accepted.ok) return accepted;
    signer ??= accepted.value;
  }
  return done({ policy: file, scope: chosen.scope, ...(signer === undefined ? {} : { signer }) });
}

async function acceptedSigner(
  judged: Judged,
  requirement: Extract<Requirement, { kind: "sigstoreSigned" }>,
  signatures: readonly FoundSignature[],
): Promise<Result<Signer, ImageProblem>> {
  const { reference, file, digest, identity } = judged;
  const material = await readTrustMaterial(requirement);
  if (!material.ok)
    return failed({
      kind: "configuration",
      reference,
      cause: `the signature policy ${file} cannot be applied: ${material.problem}`,
      remedy: "correct the file that the policy names",
    });
  if (signatures.length === 0)
    return failed(
      rejected(judged, "it has no signature", `sign it, for example: cosign sign --key KEY IMAGE@${digest}`),
    );
  const problems: string[] = [];
  for (const signature of signatures) {
    const signer = checkSignature(signature, material.value);
    const problem = signer.ok ? claimMismatch(signature, requirement, identity, digest) : signer.problem;
    if (signer.ok && problem === undefined) return signer;
    problems.push(`${signerOf(signature)}: ${problem ?? ""}`);
  }
  return failed(
    rejected(judged, problems.join("; "), "sign it with a signer that the policy names, or change the policy"),
  );
}

function signerOf(signature: FoundSignature): string {
  if (signature.kind === "simple") return claimedSigner(signature);
  if (!signature.bundle.ok) return "a bundle";
  const { certificates, entry } = signature.bundle.value;
  return claimedBy(certificates?.leaf, entry?.signer);
}

/** Why a signature that is verified is not for this image. */
function claimMismatch(
  signature: FoundSignature,
  requirement: Extract<Requirement, { kind: "sigstoreSigned" }>,
  { name }: ImageIdentity,
  digest: Digest,
): string | undefined {
  if (signature.kind === "bundle") {
    if (!signature.bundle.ok) return signature.bundle.problem;
    const { digests } = signature.bundle.value;
    return digests.includes(digest)
      ? identityMismatch(requirement.identity, name, undefined)
      : `it is for ${digests.join(", ")}`;
  }
  const claim = readPayload(signature.payload);
  if (!claim.ok) return claim.problem;
  if (claim.value.digest !== digest) return `it is for ${claim.value.digest}`;
  return identityMismatch(requirement.identity, name, claim.value.reference);
}

const rejected = ({ reference, file, chosen }: Judged, why: string, remedy: string, isFinal?: true): ImageProblem => ({
  kind: "signature",
  reference,
  cause: `signature policy ${file} (${chosen.scope}) does not accept ${reference}: ${why}`,
  remedy,
  ...(isFinal === undefined ? {} : { isFinal }),
});

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
