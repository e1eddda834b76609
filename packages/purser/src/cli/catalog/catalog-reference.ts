import type { CatalogText } from "../../catalog/loading/load.ts";
import type { CatalogProblem } from "../../catalog/problem.ts";
import { readCatalogFile, walkCatalog } from "../../catalog-store/read/walk-directory.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import type { Place } from "@purser/kubernetes/place";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { textOfFile } from "@purser/kubernetes/text/file-text";
import { isBundleDirectory } from "../bundle-directory.ts";
import { type LocalContent, withImagePaths } from "../image/local-content.ts";

/** Why a path cannot be read as a catalog; undefined when it can. Nothing is refused of images, whose labels were read. */
export function refuseCatalog({ reference, path, image }: LocalContent): Explanation | undefined {
  if (image !== undefined || !isBundleDirectory(path)) return undefined;
  return {
    code: "CatalogInvalid",
    summary: `${JSON.stringify(reference)} is a bundle directory, not a catalog`,
    facts: { wanted: reference },
    derivation: [{ relation: "fact", subject: reference, text: "it has the directories manifests and metadata" }],
    remedies: [
      { summary: "checks the bundle", command: `purser bundle validate ${reference}` },
      { summary: "makes a catalog's document of it", command: `purser catalog render ${reference}` },
    ],
  };
}

/** A problem with paths of the image in place of those of the image store. */
export function problemInContent(content: LocalContent, problem: CatalogProblem): CatalogProblem {
  if (content.image === undefined) return problem;
  const { message, place } = problem;
  return {
    ...problem,
    message: withImagePaths(content, message),
    ...(place === undefined ? {} : { place: placeInContent(content, place) }),
  };
}

/** A place as a path of the image. */
export function placeInContent(content: LocalContent, place: Place): Place {
  const { file } = place;
  return content.image === undefined || file === undefined ? place : { ...place, file: withImagePaths(content, file) };
}

/** Yields the texts of a catalog's files in walk order and calls `onFile` with each path before the file is read. */
export function* catalogTexts(
  content: LocalContent,
  onFile: (file: string) => void = () => {},
): Generator<Result<CatalogText, CatalogProblem>> {
  const files = walkCatalog(content.path);
  if (!files.ok) {
    yield failed(problemInContent(content, files.problem));
    return;
  }
  for (const file of files.value) {
    const name = withImagePaths(content, file.path);
    onFile(name);
    const bytes = readCatalogFile(content.path, file);
    if (!bytes.ok) {
      yield failed(problemInContent(content, bytes.problem));
      continue;
    }
    const text = textOfFile(bytes.value, name);
    yield text.ok
      ? done({ file: name, text: text.value })
      : failed({ rule: "syntax", message: text.problem.message, place: text.problem.place });
  }
}
