import { shown } from "../output/shown.ts";
import type { Shown } from "../output/shown.ts";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { viewOf } from "../../catalog/catalog-view.ts";
import { checkCatalog } from "../../catalog/lint/check-catalog.ts";
import { count, listed } from "../../catalog/lint/finding-words.ts";
import { judge } from "../../catalog/lint/judge.ts";
import type { CatalogBlob } from "../../catalog/model.ts";
import { encodeBlob } from "../../catalog/opm/encode-blob.ts";
import { formatAll, type RenderedBlob } from "../../catalog/opm/render.ts";
import { blobsInOrder, type OutputFormat } from "../../catalog/opm/write-blobs.ts";
import { type Keep, pruneCatalog, type PrunedCatalog, type PrunedPackage } from "../../catalog/prune/prune-catalog.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { invariant } from "@purser/kubernetes/invariant";
import { plainJson } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { formatVersion } from "@purser/kubernetes/version";
import { parseMastermindsRange } from "../../version-range.ts";
import { type Outcome, UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { parsePackageArgument } from "../cluster/package-request.ts";
import { writeFilesAtomically } from "./write-files.ts";

/** Prunes a valid catalog and writes the rest, one directory per package. Writes nothing when there is any problem. */
export function pruneTo(
  blobs: readonly CatalogBlob[],
  keepTexts: readonly string[],
  directory: string,
  format: OutputFormat,
): Outcome {
  refuseOccupied(directory);
  const keeps = readKeeps(blobs, keepTexts);
  if (!keeps.ok) return { explanation: keeps.problem };
  const pruned = pruneCatalog(blobs, keeps.value);
  const files = catalogFiles(pruned.blobs, directory, format);
  const again = checkCatalog([...files].map(([file, text]) => done({ file, text })));
  const errors = judge(again.findings, { severities: new Map() }).filter(({ severity }) => severity === "error");
  invariant(errors.length === 0, `a pruned catalog validates: ${errors[0]?.message ?? ""}`);
  writeFilesAtomically(files);
  return { exitCode: exitCodes.done, data: dataOf(pruned, directory), human: textOf(pruned, keeps.value, directory) };
}

function refuseOccupied(directory: string): void {
  try {
    if (readdirSync(directory).length > 0)
      throw new UsageError(
        `the directory ${directory} is not empty`,
        "name an empty directory, or one that does not exist",
      );
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}

function readKeeps(blobs: readonly CatalogBlob[], texts: readonly string[]): Result<readonly Keep[], Explanation> {
  const { packages } = viewOf(blobs);
  const keeps: Keep[] = [];
  for (const text of texts) {
    const { packageName, version = "" } = parsePackageArgument(text);
    const one = packages.get(packageName);
    if (one === undefined) return failed(unknownPackage(packageName, [...packages.keys()]));
    const range = version === "" ? undefined : parseMastermindsRange(version);
    if (range?.ok === false)
      throw new UsageError(`--keep ${text}: ${range.problem.message}`, `--keep ${packageName}@'>=1.2 <2'`);
    const keep = {
      packageName,
      range: version,
      includes: (each: Parameters<Keep["includes"]>[0]) => range?.value.includes(each) ?? true,
    };
    const versions = [...one.bundles.values()].flatMap((bundle) =>
      bundle.version === undefined ? [] : [bundle.version],
    );
    if (!versions.some(keep.includes)) return failed(nothingInRange(packageName, version, versions.map(formatVersion)));
    keeps.push(keep);
  }
  return done(keeps);
}

function unknownPackage(wanted: string, names: readonly string[]): Explanation {
  const near = nearestNames(wanted, names);
  return {
    code: "PackageNotFound",
    summary: `the catalog has no package ${JSON.stringify(wanted)}`,
    facts: { wanted, nearest: near },
    derivation: [],
    remedies: near.map((name) => ({ summary: `name it as --keep ${name}` })),
  };
}

function nothingInRange(packageName: string, range: string, versions: readonly string[]): Explanation {
  return {
    code: "NoVersionInRange",
    summary: `package ${packageName} has no version in ${JSON.stringify(range)}`,
    facts: { package: packageName, range, versions },
    derivation: [{ relation: "fact", subject: packageName, text: `its versions are ${listed(versions)}` }],
    remedies: [{ summary: "name a range that holds one of them" }],
  };
}

/** The texts of a catalog by path, with a directory per package. */
function catalogFiles(
  blobs: readonly CatalogBlob[],
  directory: string,
  format: OutputFormat,
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { packageName, blobs: members } of blobsInOrder(blobs)) {
    const rendered = members.map((blob): RenderedBlob => {
      const json = encodeBlob(blob, "none");
      invariant(json.ok, "without a migration nothing of a blob can be refused");
      return { blob, json: json.value };
    });
    const { text, problem } = formatAll(rendered, format);
    invariant(problem === undefined, `a blob that was read can be written: ${problem ?? ""}`);
    files.set(join(directory, packageName, `catalog.${format}`), text);
  }
  return files;
}

function dataOf({ packages, droppedPackages, unmet }: PrunedCatalog, directory: string) {
  return {
    apiVersion: "purser.dev/v1alpha1",
    kind: "CatalogPrune",
    directory,
    packages: packages.map((one) => plainJson(one)),
    droppedPackages,
    unmet,
  };
}

function textOf({ packages, droppedPackages, unmet }: PrunedCatalog, keeps: readonly Keep[], directory: string): Shown {
  const width = Math.max(...packages.map(({ name }) => name.length));
  const bundles = packages.reduce((sum, { kept }) => sum + kept.length, 0);
  return shown(
    ...packages.flatMap((one) =>
      packageLines(one, keeps).map((line, index) => `${(index === 0 ? one.name : "").padEnd(width)}  ${line}`),
    ),
    ...(droppedPackages.length === 0
      ? []
      : [`dropped ${count(droppedPackages.length, "package")}: ${listed(droppedPackages)}`]),
    ...unmet.map((text) => `nothing in the catalog meets it: ${text}`),
    `${count(packages.length, "package")}, ${count(bundles, "bundle")} written to ${directory}`,
  );
}

function packageLines(
  { name, kept, dropped, requiredBy, notes }: PrunedPackage,
  keeps: readonly Keep[],
): readonly string[] {
  const ranges = keeps.filter(({ packageName }) => packageName === name).map(({ range }) => range);
  const total = kept.length + dropped.length;
  const why = requiredBy === undefined ? `outside ${ranges.join(" and ")}` : "not required";
  return [
    `kept ${kept.length} of ${count(total, "version")}${requiredBy === undefined ? "" : `: ${requiredBy}`}`,
    ...(dropped.length === 0 ? [] : [`dropped ${listed(dropped)}: ${why}`]),
    ...notes,
  ];
}
