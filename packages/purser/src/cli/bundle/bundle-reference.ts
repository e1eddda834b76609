import { existsSync } from "node:fs";
import type { BundleDirectory } from "../../bundle/bundle-files.ts";
import { type BundleProblem, formatBundleProblem } from "../../bundle/registry-bundle.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { failed, type Result } from "@purser/kubernetes/result";
import { isFolder, readBundleDirectory } from "../bundle-directory.ts";
import type { Outcome } from "../command.ts";
import { exitCodes } from "../exit-code.ts";

/** Reads the bundle directory at `reference`; the problem says that it does not exist or why it cannot be read. */
export function readBundleReference(reference: string): Result<BundleDirectory, Explanation> {
  if (!existsSync(reference))
    return failed({
      code: "BundleUnavailable",
      summary: `the directory ${JSON.stringify(reference)} does not exist; images are not read yet`,
      facts: { wanted: reference },
      derivation: [],
      remedies: [{ summary: "name the folder that holds manifests/ and metadata/; unpack an image first" }],
    });
  if (!isFolder(reference)) return failed(invalidBundle(reference, [`${reference} is a file; a bundle is a folder`]));
  const files = readBundleDirectory(reference);
  return files.ok ? files : failed(invalidBundle(reference, [files.problem]));
}

/** The outcome of a command whose bundle cannot be read: a missing path has the same exit code as for catalogs. */
export const withoutBundle = (explanation: Explanation): Outcome =>
  explanation.code === "BundleUnavailable" ? { exitCode: exitCodes.notFound, explanation } : { explanation };

/** The refusal for an invalid bundle, with all its problems. */
function invalidBundle(reference: string, problems: readonly string[]): Explanation {
  const [first = ""] = problems;
  return {
    code: "BundleInvalid",
    summary: `${reference}: ${first}`.slice(0, 200),
    facts: { bundle: reference },
    derivation: problems.map((text) => ({ relation: "fact", subject: reference, text, upstream: text })),
    remedies: [{ summary: "see all findings", command: `purser bundle validate ${reference}` }],
  };
}

export function invalidFrom(reference: string, problems: readonly BundleProblem[]): Explanation {
  return invalidBundle(reference, problems.map(formatBundleProblem));
}
