import { existsSync } from "node:fs";
import { goQuote } from "@purser/kubernetes/go-quote";
import type { Result } from "@purser/kubernetes/result";
import type { ImageProblem } from "../../image/image-problem.ts";
import { labelledContent } from "../../image/layers/wanted-directories.ts";
import { isLocalReference } from "../../image/layout/local-reference.ts";
import type { PulledImage } from "../../image/pulled-image.ts";
import { parseImageReference } from "../../image-reference.ts";

/** The images that the words of a command name, pulled before it runs; the problem is why one cannot be had. */
export type FetchedImages = ReadonlyMap<string, Result<PulledImage, ImageProblem>>;

/** Whether a word names an image that can be asked for: it does not exist as a path and its name is whole. */
export function isWholeImage(reference: string): boolean {
  return !existsSync(reference) && imageNameProblem(reference) === undefined;
}

/** Upstream's text for an image reference that no registry is asked for; `docker://` and local images are accepted too. */
export function imageNameProblem(reference: string): string | undefined {
  if (isLocalReference(reference)) return undefined;
  const name = reference.replace(/^docker:\/\//, "");
  const parsed = parseImageReference(name);
  if (!parsed.ok) return parsed.problem;
  const { registry, repository, tag, digest } = parsed.value;
  if (!name.startsWith(`${registry}/${repository}`)) return "repository name must be canonical";
  if (tag !== undefined || digest !== undefined) return undefined;
  return `Docker reference ${name} is not for an unknown digest case; tag or digest is needed`;
}

/** Upstream's text for an image that was not pulled, without `render reference`. */
export function imageProblemText(reference: string, { kind, cause, labels }: ImageProblem): string {
  const name = goQuote(reference);
  if (labels !== undefined) return `render ${name}: ${undeterminedText(labels)}`;
  return `failed to ${kind === "limit" || kind === "content" ? "unpack" : "pull"} image ${name}: ${cause}`;
}

function undeterminedText(labels: Readonly<Record<string, string>>): string {
  if (labelledContent(labels) === "database")
    return "sqlite-based index images are no longer supported, migrate to a file-based catalog: not allowed";
  const lines = Object.keys(labels)
    .toSorted()
    .map((label) => `\n  ${label}=${labels[label] ?? ""}`);
  const text = "image type could not be determined";
  return lines.length === 0 ? `${text}: image has no labels` : `${text}, found labels${lines.join("")}`;
}
