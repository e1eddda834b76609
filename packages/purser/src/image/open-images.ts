import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { parseImageReference } from "../image-reference.ts";
import { createImages } from "./create-images.ts";
import type { ImageProblem } from "./image-problem.ts";
import type { ImageSource } from "./image-source.ts";
import type { Images, PullRequest } from "./images.ts";
import { policyFiles } from "./policy/policy-file.ts";
import { createImageVerifier } from "./policy/verify-image.ts";
import { RegistryConnections } from "./registry/registry-connections.ts";
import { registrySource } from "./registry/registry-source.ts";

export interface OpenImagesOptions {
  /** Cache folder; images lie in `images` below it. */
  readonly folder: string;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Proxies, and where configuration and credentials lie. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called once when images are accepted because there is no signature policy. */
  readonly onMissingPolicy?: (files: readonly string[]) => void;
}

/** All images of this process, with the configuration, credentials and signature policy of this machine. */
export function openImages(options: OpenImagesOptions): Images {
  const { folder, clock, entropy, environment, onMissingPolicy } = options;
  const connections = new RegistryConnections({ environment, hostRoots: [], authorities: [] });
  const verify = createImageVerifier({
    policyFiles: policyFiles(environment),
    ...(onMissingPolicy === undefined ? {} : { onMissingPolicy }),
  });

  function openSource(request: PullRequest): Result<ImageSource, ImageProblem> {
    const name = request.reference.replace(/^docker:\/\//, "");
    const reference = parseImageReference(name);
    if (!reference.ok)
      return failed({
        kind: "reference",
        reference: name,
        isFinal: true,
        cause: `image ${name} cannot be pulled: ${reference.problem}`,
        remedy: "correct the reference",
      });
    return done(
      registrySource(reference.value, {
        name,
        connections,
        clock,
        entropy,
        places: () => Promise.resolve(done([{ reference: reference.value, isInsecure: false, isMirror: false }])),
        credentials: () => Promise.resolve(done(undefined)),
      }),
    );
  }

  const images = createImages({
    folder,
    clock,
    openSource,
    async verify(question, signal) {
      const verdict = await verify(question, signal);
      return verdict.ok ? done(undefined) : verdict;
    },
  });
  return {
    resolve: (request, pull) => images.resolve(request, pull),
    pull: (request, pull) => images.pull(request, pull),
    held: (digest, wanted) => images.held(digest, wanted),
    collect: (inUse) => images.collect(inUse),
    async close() {
      await images.close();
      await connections.close();
    },
  };
}
