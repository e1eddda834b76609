import { goQuote } from "@purser/kubernetes/go-quote";
import { type BundleIssue, valueIssue } from "./issue.ts";

/** Bytes of all manifests together; undefined when it was not measured. */
export interface Sizes {
  readonly raw?: number;
  /** Compressed and encoded as OLM keeps them in a ConfigMap. */
  readonly compressed?: number;
}

const largest = 1024 * 1024;
const warnAbove = 0.85;

/** A bundle must fit into a ConfigMap. */
export function gzipSize(name: string, { raw, compressed }: Sizes): readonly BundleIssue[] {
  const issue = (level: BundleIssue["level"], detail: string): BundleIssue =>
    valueIssue("bundle-size", level, "ValidationFailed", detail, { text: name });
  const unknown = (what: string): BundleIssue => issue("Warning", `unable to check the bundle ${what} size`);
  const found = [
    ...(compressed === undefined || compressed === 0 ? [unknown("compressed")] : []),
    ...(raw === undefined || raw === 0 ? [unknown("")] : []),
  ];
  if (compressed === undefined || compressed < largest * warnAbove) return found;
  const shown = `${(compressed / largest).toFixed(2)} MB`;
  if (compressed > largest)
    return [
      ...found,
      issue(
        "Error",
        `maximum bundle compressed size with gzip size exceeded: size=~${shown} , max=1.0 MB. Bundle uncompressed size is ${raw ?? 0} bytes, bundle ${goQuote(name)}`,
      ),
    ];
  return [
    ...found,
    issue(
      "Warning",
      `nearing maximum bundle compressed size with gzip: size=~${shown} , max=1.0 MB. Bundle uncompressed size is ${raw ?? 0} bytes`,
    ),
  ];
}
