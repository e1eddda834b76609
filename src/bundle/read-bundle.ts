import { InvariantError } from "../invariant.ts";
import type { Result } from "../result.ts";
import type { BundleFiles } from "./bundle-files.ts";
import type { BundleProblem, RegistryBundle } from "./registry-bundle.ts";

/** Reads a bundle as OLM v1 does: every document of every manifest counts, and any that cannot be read is a problem. */
export function readBundle(files: BundleFiles): Result<RegistryBundle, readonly BundleProblem[]> {
  throw new InvariantError(`not written yet: ${files.digest}`);
}
