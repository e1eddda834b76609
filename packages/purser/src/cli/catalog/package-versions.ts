import { decodeBlob } from "../../catalog/loading/decode.ts";
import type { CatalogBlob, ChannelContent } from "../../catalog/model.ts";
import type { CatalogProblem } from "../../catalog/problem.ts";
import { CatalogFileChunks, walkCatalog } from "../../catalog-store/read/walk-directory.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import type { Place } from "@purser/kubernetes/place";
import { formatPlace } from "@purser/kubernetes/place";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { documentsOfBytes } from "@purser/kubernetes/text/documents";
import { UsageError } from "../command.ts";
import { type LocalContent, withImagePaths } from "../image/local-content.ts";
import { problemInContent } from "./catalog-reference.ts";
import type { DeclaredChannel, PackageBundle, PackageVersions } from "../../upgrade-graph/package-versions.ts";

/** A package of a catalog, and the problems of documents that could not be read. */
export interface PackageRead {
  readonly content: PackageVersions;
  readonly problems: readonly CatalogProblem[];
}

interface PlacedChannel {
  readonly blob: CatalogBlob;
  readonly content: ChannelContent;
  readonly places: readonly Place[];
}

/**
 * The versions of a package of a catalog (a directory, a file or an image), with the line of every entry. Reads
 * one document at a time. The catalog need not be valid. Without `packageName`, the only package of the catalog.
 * @throws UsageError when `packageName` is undefined and the catalog has several packages
 */
export function readPackageVersions(
  catalog: LocalContent,
  packageName: string | undefined,
): Result<PackageRead, Explanation> {
  const { reference, path } = catalog;
  const walked = walkCatalog(path);
  if (!walked.ok) return failed(unreadable(reference, [problemInContent(catalog, walked.problem)]));
  const problems: CatalogProblem[] = [];
  const packages = new Set<string>();
  const channels: PlacedChannel[] = [];
  const others: CatalogBlob[] = [];
  for (const file of walked.value) {
    const chunks = new CatalogFileChunks(path, file, {});
    for (const document of documentsOfBytes(chunks, { file: withImagePaths(catalog, file.path) })) {
      if (chunks.problem !== undefined) break;
      if (!document.ok) {
        const { message, place } = document.problem;
        problems.push({ rule: "syntax", message, place });
        continue;
      }
      const decoded = decodeBlob(document.value);
      if (!decoded.ok) {
        problems.push(decoded.problem);
        continue;
      }
      const { value: blob } = decoded;
      const { content } = blob;
      if (content.kind === "custom") continue;
      packages.add(blob.packageName);
      if (packageName !== undefined && blob.packageName !== packageName) continue;
      if (content.kind === "channel") {
        const places = document.value.locateAll(content.entries.map((_, index) => `/entries/${index}`));
        channels.push({ blob, content, places });
      } else others.push(blob);
    }
    if (chunks.problem !== undefined) problems.push(problemInContent(catalog, chunks.problem));
  }
  const name = packageName ?? (packages.size === 1 ? [...packages][0] : undefined);
  if (packages.size === 0 && problems.length > 0) return failed(unreadable(reference, problems));
  if (name === undefined)
    throw new UsageError(
      packages.size === 0
        ? `${reference} holds no package`
        : `${reference} holds ${packages.size} packages: name one with --package`,
      listed([...packages]),
    );
  if (!packages.has(name)) return failed(noPackage(reference, name, [...packages]));
  return done({ content: versionsOf(name, others, channels), problems });
}

function versionsOf(name: string, others: readonly CatalogBlob[], channels: readonly PlacedChannel[]): PackageVersions {
  const deprecations = new Map<string, string>();
  const bundles: PackageBundle[] = [];
  let defaultChannel = "";
  for (const { content } of others)
    if (content.kind === "deprecations")
      for (const { schema, name: deprecated, message } of content.entries)
        deprecations.set(`${schema} ${deprecated}`, message);
  for (const { name: bundle, content, place } of others) {
    if (content.kind === "package") defaultChannel = content.defaultChannel;
    if (content.kind !== "bundle") continue;
    const [version] = content.versions;
    const deprecation = deprecations.get(`olm.bundle ${bundle}`);
    bundles.push({ name: bundle, version: version?.version, release: version?.release, deprecation, place });
  }
  return {
    name,
    defaultChannel,
    deprecation: deprecations.get("olm.package "),
    bundles,
    channels: channels.map(({ blob, content, places }): DeclaredChannel => ({
      name: blob.name,
      place: blob.place,
      deprecation: deprecations.get(`olm.channel ${blob.name}`),
      entries: content.entries.map((entry, index) => ({ ...entry, place: places[index] })),
    })),
  };
}

function unreadable(reference: string, problems: readonly CatalogProblem[]): Explanation {
  const lines = problems.slice(0, 3).map(problemWords);
  return {
    code: "CatalogInvalid",
    summary: `The catalog ${reference} cannot be read`,
    facts: { reference, problems: problems.length },
    derivation: lines.map((text) => ({ relation: "fact", subject: reference, text })),
    remedies: [{ summary: "See everything that is wrong", command: `purser catalog validate ${reference}` }],
  };
}

/** A problem as one line, `file:line: message`. */
export function problemWords({ message, place }: CatalogProblem): string {
  const line = message.replace(/\s+/g, " ");
  return place === undefined ? line : `${formatPlace(place)}: ${line}`;
}

function listed(names: readonly string[], most = 8): string {
  const sorted = names.toSorted();
  return sorted.length > most
    ? `${sorted.slice(0, most).join(", ")} and ${sorted.length - most} more`
    : sorted.join(", ");
}

function noPackage(reference: string, wanted: string, packages: readonly string[]): Explanation {
  const nearest = nearestNames(wanted, packages);
  return {
    code: "PackageNotFound",
    summary: `The catalog ${reference} has no package ${wanted}`,
    facts: { wanted, packages: packages.toSorted(), nearest },
    derivation: [
      {
        relation: "fact",
        subject: reference,
        text: packages.length === 0 ? "It holds none" : `It holds ${listed(packages)}`,
      },
    ],
    remedies: nearest.map((name) => ({ summary: `Did you mean --package ${name}?` })),
  };
}
