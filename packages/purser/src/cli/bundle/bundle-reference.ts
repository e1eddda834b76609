import type { BundleDirectory } from "../../bundle/bundle-files.ts";
import { type BundleProblem, formatBundleProblem } from "../../bundle/registry-bundle.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { shellWord, summaryOf } from "../../explanation/summary.ts";
import { failed, type Result } from "@purser/kubernetes/result";
import { isDirectory, readBundleDirectory } from "../bundle-directory.ts";
import { type LocalContent, withImagePaths } from "../image/local-content.ts";

/** Reads a bundle; the problem says why it cannot be read. */
export function readLocalBundle(bundle: LocalContent): Result<BundleDirectory, Explanation> {
  const { reference, path } = bundle;
  if (!isDirectory(path)) return failed(invalidBundle(reference, [`${reference} is a file; a bundle is a directory`]));
  const files = readBundleDirectory(path);
  return files.ok ? files : failed(invalidBundle(reference, [withImagePaths(bundle, files.problem)]));
}

/** The refusal for an invalid bundle, with all its problems. */
function invalidBundle(reference: string, problems: readonly string[]): Explanation {
  const [first = ""] = problems;
  return {
    code: "BundleInvalid",
    summary: summaryOf(`${reference}: ${first.replaceAll(/\s*\n\s*/g, " ")}`),
    facts: { bundle: reference },
    derivation: problems.map((text) => ({ relation: "fact", subject: reference, text, upstream: text })),
    remedies: [{ summary: "see all findings", command: `purser bundle validate ${shellWord(reference)}` }],
  };
}

export function invalidFrom(reference: string, problems: readonly BundleProblem[]): Explanation {
  return invalidBundle(reference, problems.map(formatBundleProblem));
}
