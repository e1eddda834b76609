import type { CatalogText } from "../loading/load.ts";
import type { CatalogBlob } from "../model.ts";
import type { CatalogProblem } from "../problem.ts";
import type { Result } from "@purser/kubernetes/result";
import type { Finding } from "./finding.ts";
import { hardFindings } from "./findings/hard-findings.ts";
import { fileFinding, readCatalogText } from "./read-catalog-text.ts";

export interface CheckedCatalog {
  readonly blobs: readonly CatalogBlob[];
  /** Of files, documents and broken invariants; advice is not included. */
  readonly findings: readonly Finding[];
}

/** Reads all files of a catalog and collects all findings, not only the first. */
export function checkCatalog(files: Iterable<Result<CatalogText, CatalogProblem>>): CheckedCatalog {
  const blobs: CatalogBlob[] = [];
  const findings: Finding[] = [];
  const broken: string[] = [];
  for (const file of files) {
    if (!file.ok) {
      findings.push(fileFinding(file.problem));
      broken.push(file.problem.place?.file ?? "");
      continue;
    }
    const read = readCatalogText(file.value);
    for (const blob of read.blobs) blobs.push(blob);
    findings.push(...read.findings);
    if (read.isPartial) broken.push(file.value.file);
  }
  return { blobs, findings: [...findings, ...hardFindings(blobs, partialPackages(blobs, broken))] };
}

/**
 * Packages that may lack documents: those with a document in a broken file, and the only one of its directory. A package
 * without any readable document may be in any of the broken files.
 */
function partialPackages(blobs: readonly CatalogBlob[], broken: readonly string[]): (name: string) => boolean {
  if (broken.length === 0) return () => false;
  const directoryOf = (file: string): string => file.slice(0, file.lastIndexOf("/") + 1);
  const brokenFiles = new Set(broken);
  const brokenDirectories = new Set(broken.map(directoryOf));
  const partial = new Set<string>();
  const described = new Set<string>();
  const inDirectory = new Map<string, Set<string>>();
  for (const { packageName, place, content } of blobs) {
    const file = place.file ?? "";
    if (brokenFiles.has(file)) partial.add(packageName);
    if (content.kind === "package") described.add(packageName);
    const directory = directoryOf(file);
    if (brokenDirectories.has(directory))
      inDirectory.set(directory, (inDirectory.get(directory) ?? new Set()).add(packageName));
  }
  for (const names of inDirectory.values()) if (names.size === 1) for (const name of names) partial.add(name);
  return (name) => partial.has(name) || !described.has(name);
}
