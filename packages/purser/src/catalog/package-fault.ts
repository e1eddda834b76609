import { formatPlace } from "@purser/kubernetes/place";
import { compareBytes } from "@purser/kubernetes/text/documents";
import type { PackageFault } from "./catalog-index.ts";
import type { CatalogEntry } from "./model.ts";
import type { CatalogProblem } from "./problem.ts";

/** So many packages of a catalog may be faulty; with more the catalog itself is at fault. */
export const maxFaultyPackages = 500;
const maxCauseLength = 500;

/**
 * The packages that the problems of a catalog belong to, by name. A problem of a document belongs to the package that the
 * document names; that of a file that cannot be read to the packages of the file's other documents, else to those of the
 * file's directory, else to the one that the directory is named after. Undefined when a problem belongs to no package, when
 * every package is faulty, or when more than {@link maxFaultyPackages} are.
 * @param root the path below which the files of the places lie
 */
export function packageFaults(
  problems: readonly CatalogProblem[],
  entries: readonly CatalogEntry[],
  root: string,
): readonly PackageFault[] | undefined {
  const below = (file: string): string => (file.startsWith(`${root}/`) ? file.slice(root.length + 1) : "");
  const packages = new Set(entries.map(({ packageName }) => packageName).filter((name) => name !== ""));
  const found = new Map<string, CatalogProblem[]>();
  for (const problem of problems) {
    const owners = ownersOf(problem, entries, below);
    if (owners.length === 0) return undefined;
    for (const owner of owners) {
      const known = found.get(owner);
      if (known === undefined) found.set(owner, [problem]);
      else known.push(problem);
    }
  }
  if (found.size > maxFaultyPackages || [...packages].every((name) => found.has(name))) return undefined;
  return [...found]
    .sort(([left], [right]) => compareBytes(left, right))
    .map(([packageName, its]) => ({ packageName, cause: causeOf(its, below) }));
}

function ownersOf(
  { packageName = "", place }: CatalogProblem,
  entries: readonly CatalogEntry[],
  below: (file: string) => string,
): readonly string[] {
  if (packageName !== "") return [packageName];
  const file = place?.file;
  if (file === undefined) return [];
  const named = (isMeant: (other: string) => boolean): readonly string[] => [
    ...new Set(
      entries.flatMap((entry) =>
        entry.packageName !== "" && isMeant(entry.place.file ?? "") ? [entry.packageName] : [],
      ),
    ),
  ];
  const ofFile = named((other) => other === file);
  if (ofFile.length > 0) return ofFile;
  const directory = directoryOf(below(file));
  // A file in the root belongs to the whole catalog.
  if (directory === "") return [];
  const ofDirectory = named((other) => directoryOf(below(other)) === directory);
  return ofDirectory.length > 0 ? ofDirectory : [directory.slice(directory.lastIndexOf("/") + 1)];
}

const directoryOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

function causeOf(problems: readonly CatalogProblem[], below: (file: string) => string): string {
  const [first] = problems;
  const file = first?.place?.file;
  const place =
    first?.place === undefined
      ? ""
      : formatPlace(file === undefined ? first.place : { ...first.place, file: below(file) || file });
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  const text = `${place === "" ? "" : `${place}: `}${first?.message ?? ""}`;
  const characters = Array.from(text);
  return `${characters.length <= maxCauseLength ? text : `${characters.slice(0, maxCauseLength - 1).join("")}…`}${more}`;
}

const shownFaults = 10;

/** One line for a condition: the first ten packages with their causes, and how many there are beside them. */
export function faultsText(faults: readonly PackageFault[]): string {
  const shown = faults.slice(0, shownFaults).map(({ packageName, cause }) => `${packageName}: ${cause}`);
  const more = faults.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}
