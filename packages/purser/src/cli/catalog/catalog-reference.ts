import { existsSync, readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { CatalogText } from "../../catalog/load.ts";
import { parseImageReference } from "../../image-reference.ts";
import type { CatalogProblem } from "../../catalog/problem.ts";
import { readCatalogFile, walkCatalog } from "../../catalog-store/walk-folder.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { textOfFile } from "@purser/kubernetes/text/file-text";
import { isBundleDirectory } from "../bundle-directory.ts";

/** Why `reference` cannot be read (an image, a missing path); undefined when the path exists. */
export function refuseReference(reference: string): Explanation | undefined {
  if (existsSync(reference)) return undefined;
  if (/^(?:oci|docker|docker-archive|oci-archive):/.test(reference) || looksLikeImage(reference))
    return imageRefusal(reference);
  const near = nearNames(reference);
  return {
    code: "CatalogNotFound",
    summary: `${JSON.stringify(reference)} does not exist`,
    facts: { wanted: reference, nearest: near },
    derivation: [],
    remedies: near.map((name) => ({ summary: `name ${name}` })),
  };
}

/** As {@link refuseReference}, for commands that take catalogs but no bundle directories. */
export function refuseCatalog(reference: string): Explanation | undefined {
  const refusal = refuseReference(reference);
  if (refusal !== undefined || !isBundleDirectory(reference)) return refusal;
  return {
    code: "CatalogInvalid",
    summary: `${JSON.stringify(reference)} is a bundle directory, not a catalog`,
    facts: { wanted: reference },
    derivation: [{ relation: "fact", subject: reference, text: "it has the folders manifests and metadata" }],
    remedies: [
      { summary: "checks the bundle", command: `purser bundle validate ${reference}` },
      { summary: "makes a catalog's document of it", command: `purser catalog render ${reference}` },
    ],
  };
}

/** Whether the text is an image reference with a host, a tag or a digest; `catalog` and `./catalog` are mistyped paths. */
function looksLikeImage(reference: string): boolean {
  if (/^[./~]/.test(reference) || !parseImageReference(reference).ok) return false;
  return /^[^/]*[.:][^/]*\//.test(reference) || /:[^/]*$/.test(reference);
}

/** The refusal of every command for an image: purser cannot read images yet. */
export function imageRefusal(reference: string): Explanation {
  return {
    code: "CatalogUnavailable",
    summary: `${JSON.stringify(reference)} is an image; purser does not read and write images yet`,
    facts: { wanted: reference },
    derivation: [],
    remedies: [{ summary: "unpack the image and name the folder of its catalog (usually configs/)" }],
  };
}

function nearNames(reference: string): readonly string[] {
  const folder = dirname(reference);
  try {
    const names = readdirSync(folder).filter((name) => !name.startsWith("."));
    const prefix = reference.slice(0, reference.length - basename(reference).length);
    return nearestNames(basename(reference), names).map((name) => `${prefix}${name}`);
  } catch {
    return [];
  }
}

/** Yields the texts of a catalog's files in walk order and calls `onFile` with each path before the file is read. */
export function* catalogTexts(
  reference: string,
  onFile: (file: string) => void = () => {},
): Generator<Result<CatalogText, CatalogProblem>> {
  const files = walkCatalog(reference);
  if (!files.ok) {
    yield files;
    return;
  }
  for (const file of files.value) {
    onFile(file.path);
    const bytes = readCatalogFile(reference, file);
    if (!bytes.ok) {
      yield bytes;
      continue;
    }
    const text = textOfFile(bytes.value, file.path);
    yield text.ok
      ? done({ file: file.path, text: text.value })
      : failed({ rule: "syntax", message: text.problem.message, place: text.problem.place });
  }
}

/** Whether an output target names an image or an OCI layout instead of a directory. */
export function looksLikeImageTarget(target: string): boolean {
  return /^(?:oci|docker|docker-archive|oci-archive):/.test(target) || (!existsSync(target) && looksLikeImage(target));
}
