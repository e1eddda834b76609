import { done, failed, type Result } from "@purser/kubernetes/result";
import type { Descriptor } from "../image-source.ts";

/** Node's names of architectures in those of the OCI image specification. */
const architectures: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386", ppc64: "ppc64le" };

/** `process.arch` as image indexes write it. */
export function imageArchitecture(nodeArchitecture: string): string {
  return Object.hasOwn(architectures, nodeArchitecture)
    ? (architectures[nodeArchitecture] ?? nodeArchitecture)
    : nodeArchitecture;
}

/**
 * The image of an index for Linux and the architecture. An entry without a platform does when no entry names the wanted
 * one: catalogs and bundles hold no programs. Attestations and signatures, which have the platform `unknown`, are passed
 * over. The problem names the platforms there are.
 */
export function choosePlatform(manifests: readonly Descriptor[], architecture: string): Result<Descriptor, string> {
  const images = manifests.filter(({ platform }) => platform?.os !== "unknown");
  const wanted = images.filter(({ platform }) => platform?.os === "linux" && platform.architecture === architecture);
  // Of several variants the plainest runs everywhere.
  const chosen =
    wanted.find(({ platform }) => platform?.variant === undefined) ??
    wanted.find(({ platform }) => platform?.variant === "v8") ??
    wanted[0] ??
    images.find(({ platform }) => platform === undefined);
  if (chosen !== undefined) return done(chosen);
  const present = images.map(({ platform }) => `${platform?.os}/${platform?.architecture}`);
  return failed(`no image for linux/${architecture} in the index, which has ${present.join(", ") || "none"}`);
}
