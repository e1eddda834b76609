import { mkdirSync } from "node:fs";
import { done, type Result } from "@purser/kubernetes/result";
import { fetchPackages, type PinnedPackages } from "./debian-packages.ts";
import type { Architecture } from "./elf.ts";
import type { ImageInputs } from "./image-root.ts";
import { nodeProgram } from "./node-package.ts";
import { productFiles } from "./product-files.ts";
import { unpackDebian } from "./unpack-debian.ts";

/**
 * What images for these processors are made of: Purser from this checkout, Node and the packages of Debian from `downloads`, where
 * missing ones are put first. The problem says what cannot be fetched, and the way out.
 */
export async function gatherInputs(
  architectures: readonly Architecture[],
  pinned: PinnedPackages,
  downloads: string,
): Promise<Result<readonly ImageInputs[], string>> {
  mkdirSync(downloads, { recursive: true });
  const wanted = pinned.packages.filter(
    ({ architecture }) => architecture === "all" || architectures.includes(architecture),
  );
  const fetched = await fetchPackages({ ...pinned, packages: wanted }, downloads);
  if (!fetched.ok) return fetched;
  const product = await productFiles();
  const inputs: ImageInputs[] = [];
  for (const architecture of architectures) {
    const node = await nodeProgram(architecture, downloads);
    if (!node.ok) return node;
    const own = wanted.filter((one) => one.architecture === architecture || one.architecture === "all");
    const debian = await Promise.all(own.map((one) => unpackDebian(one, downloads)));
    inputs.push({ architecture, suite: pinned.suite, debian, node: node.value, product });
  }
  return done(inputs);
}
