import { existsSync } from "node:fs";
import type { BundleDirectory } from "../../bundle/bundle-files.ts";
import { type BundleProblem, formatBundleProblem } from "../../bundle/registry-bundle.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { failed, type Result } from "@purser/kubernetes/result";
import { isFolder, readBundleDirectory } from "../bundle-directory.ts";
import type { Outcome } from "../command.ts";
import { exitCodes } from "../exit-code.ts";

/** The files of the bundle directory that a command names, or why there are none. */
export function readBundleReference(reference: string): Result<BundleDirectory, Explanation> {
  if (!existsSync(reference))
    return failed({
      code: "BundleUnavailable",
      summary: `there is no folder ${JSON.stringify(reference)}; images are not read yet`,
      facts: { wanted: reference },
      derivation: [],
      remedies: [{ summary: "name the folder that holds manifests/ and metadata/; unpack an image first" }],
    });
  if (!isFolder(reference)) return failed(invalidBundle(reference, [`${reference} is a file; a bundle is a folder`]));
  const files = readBundleDirectory(reference);
  return files.ok ? files : failed(invalidBundle(reference, [files.problem]));
}

/** What a command that needs the bundle comes to: a name that stands for nothing ends as it does for catalogs. */
export const withoutBundle = (explanation: Explanation): Outcome =>
  explanation.code === "BundleUnavailable" ? { exitCode: exitCodes.notFound, explanation } : { explanation };

/** A bundle that cannot be worked with, and all that is wrong with it. */
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
