import type { ImageAcceptance } from "../catalog/image-acceptance.ts";
import { done } from "@purser/kubernetes/result";
import { createImages } from "./create-images.ts";
import type { Images } from "./images.ts";
import { policyFiles } from "./policy/policy-file.ts";
import type { Signer } from "./policy/check-signature.ts";
import { createImageVerifier, type Verdict } from "./policy/verify-image.ts";
import { createRegistries, type RegistriesOptions } from "./registry/registries.ts";

export interface OpenImagesOptions extends RegistriesOptions {
  /** Cache directory; images lie in `images` below it. */
  readonly directory: string;
  /** Bytes of all unpacked images; by default that of `createImages`. */
  readonly mostBytes?: number;
  /** Called once when images are accepted because there is no signature policy. */
  readonly onMissingPolicy?: (files: readonly string[]) => void;
}

/** All images of this process, with the configuration, credentials and signature policy of this machine. */
export function openImages(options: OpenImagesOptions): Images {
  const { directory, mostBytes, clock, environment, onMissingPolicy } = options;
  const registries = createRegistries(options);
  const verify = createImageVerifier({
    policyFiles: policyFiles(environment),
    ...(onMissingPolicy === undefined ? {} : { onMissingPolicy }),
  });
  const images = createImages({
    directory,
    ...(mostBytes === undefined ? {} : { mostBytes }),
    clock,
    openSource: (request) => registries.open(request),
    async verify(question, signal) {
      const verdict = await verify(question, signal);
      return verdict.ok ? done(acceptanceOf(verdict.value)) : verdict;
    },
  });
  return {
    resolve: (request, pull) => images.resolve(request, pull),
    size: (request, pull) => images.size(request, pull),
    pull: (request, pull) => images.pull(request, pull),
    held: (digest, wanted) => images.held(digest, wanted),
    collect: (inUse) => images.collect(inUse),
    async close() {
      await images.close();
      await registries.close();
    },
  };
}

/** Undefined without a policy. */
function acceptanceOf({ policy, scope = "", signer }: Verdict): ImageAcceptance | undefined {
  if (policy === undefined) return undefined;
  return { policy, scope, ...(signer === undefined ? {} : { signer: signerText(signer) }) };
}

const signerText = (signer: Signer): string =>
  signer.kind === "key" ? `key sha256:${signer.fingerprint}` : `${signer.subject} (${signer.oidcIssuer})`;
