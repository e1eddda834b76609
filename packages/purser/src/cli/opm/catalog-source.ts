import { existsSync } from "node:fs";
import type { RenderSource } from "../../catalog/opm/read-sources.ts";
import type { CatalogProblem } from "../../catalog/problem.ts";
import { readCatalog } from "../../catalog-store/read/read-catalog.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { failed, type Result } from "@purser/kubernetes/result";
import { labelledContent } from "../../image/layers/wanted-directories.ts";
import { isLocalReference } from "../../image/layout/local-reference.ts";
import { isBundleDirectory, isDirectory, readBundleDirectory } from "../bundle-directory.ts";
import { type FetchedImages, imageNameProblem, imageProblemText } from "./fetched-images.ts";

/** Upstream's way to read a catalog: empty documents are refused, links out of the directory are followed. */
export const upstreamReading = { refuseEmptyDocuments: true, followOutside: true };

/** A reference of an `opm` command: a directory or an image of a catalog or bundle. */
export function sourceOf(reference: string, images: FetchedImages): RenderSource {
  if (!existsSync(reference)) return imageSource(reference, images.get(reference));
  const isBundle = isBundleDirectory(reference);
  if (isBundle)
    return {
      reference,
      bundle: () => readBundleDirectory(reference),
      read: () => [unreadable(notAllowed(`bundle directory ${goQuote(reference)}`))],
    };
  return {
    reference,
    read: (keepProperties = false) =>
      isDirectory(reference)
        ? readCatalog(reference, { ...upstreamReading, keepProperties })
        : [unreadable(`ref ${goQuote(reference)} is not a directory: not allowed`)],
  };
}

function imageSource(reference: string, pulled: ReturnType<FetchedImages["get"]>): RenderSource {
  if (pulled === undefined) {
    const problem = imageNameProblem(reference) ?? "it was not pulled";
    return { reference, read: () => [unreadable(`failed to pull image ${goQuote(reference)}: ${problem}`)] };
  }
  if (!pulled.ok) return { reference, read: () => [unreadable(imageProblemText(reference, pulled.problem))] };
  const { directory, labels, root } = pulled.value;
  if (labelledContent(labels) === "bundle") {
    return {
      reference,
      bundle: () => {
        const files = readBundleDirectory(directory);
        return files.ok ? files : failed(files.problem.replaceAll(`${root}/`, ""));
      },
      ...(isLocalReference(reference) ? {} : { image: reference.replace(/^docker:\/\//, "") }),
      read: () => [unreadable(notAllowed("bundle image"))],
    };
  }
  return {
    reference,
    *read(keepProperties = false) {
      for (const blob of readCatalog(directory, { ...upstreamReading, keepProperties }))
        yield blob.ok ? blob : failed({ ...blob.problem, message: blob.problem.message.replaceAll(`${root}/`, "") });
    },
  };
}

function unreadable(message: string): Result<never, CatalogProblem> {
  return failed({ rule: "unreadable", message });
}

/** Upstream's error text for a kind of reference that a command does not accept. */
export function notAllowed(what: string): string {
  return `cannot render ${what}: not allowed`;
}
