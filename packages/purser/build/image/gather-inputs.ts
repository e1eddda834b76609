import { mkdirSync } from "node:fs";
import { done, type Result } from "@purser/kubernetes/result";
import { fetchPackages, type PinnedPackages } from "./debian-packages.ts";
import type { Architecture } from "./elf.ts";
import type { ImageInputs } from "./image-root.ts";
import { nodeProgram } from "./node-package.ts";
import { productFiles } from "./product-files.ts";
import { unpackDebian } from "./unpack-debian.ts";

export interface GatheredInputs {
  /** Digest of Purser's sources. */
  readonly sources: string;
  /** For each processor. */
  readonly images: readonly ImageInputs[];
}

/**
 * What images for these processors are made of: Purser from this checkout, Node and the packages of Debian from `downloads`, where
 * missing ones are put first. The problem says what cannot be fetched, or that sources changed meanwhile, and the way out.
 */
export async function gatherInputs(
  architectures: readonly Architecture[],
  pinned: PinnedPackages,
  downloads: string,
): Promise<Result<GatheredInputs, string>> {
  mkdirSync(downloads, { recursive: true });
  const wanted = pinned.packages.filter(
    ({ architecture }) => architecture === "all" || architectures.includes(architecture),
  );
  const fetched = await fetchPackages({ ...pinned, packages: wanted }, downloads);
  if (!fetched.ok) return fetched;
  const product = await productFiles();
  if (!product.ok) return product;
  const inputs: ImageInputs[] = [];
  for (const architecture of architectures) {
    const node = await nodeProgram(architecture, downloads);
    if (!node.ok) return node;
    const own = wanted.filter((one) => one.architecture === architecture || one.architecture === "all");
    const debian = await Promise.all(own.map((one) => unpackDebian(one, downloads)));
    inputs.push({ architecture, suite: pinned.suite, debian, node: node.value, product: product.value });
  }
  return done({ sources: product.value.sources, images: inputs });
}
