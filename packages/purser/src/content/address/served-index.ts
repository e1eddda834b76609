import { failed, type Result } from "@purser/kubernetes/result";
import { formatPlace } from "@purser/kubernetes/place";
import type { CatalogProblem } from "../../catalog/problem.ts";
import { type BuildRequest, buildIndex } from "../../catalog-store/build.ts";
import { openIndex, type StoredIndex } from "../../catalog-store/open.ts";
import { machineRemedy } from "../directory-index.ts";

export interface ServedIndexOptions {
  /** File in the directory of indexes that the builder reads. */
  readonly source: string;
  readonly form: NonNullable<BuildRequest["form"]>;
  readonly indexes: string;
  readonly builder?: string;
}

/** Why there is no index. */
export interface ServedIndexProblem {
  /** One line, without paths of the catalog on this machine. */
  readonly cause: string;
  /** What to do about this machine; absent for a problem of the catalog. */
  readonly machineRemedy?: string;
}

/** Builds and opens the index of a catalog that is no directory. */
export async function buildServedIndex(
  { source, form, indexes, builder }: ServedIndexOptions,
  signal: AbortSignal,
): Promise<Result<StoredIndex, ServedIndexProblem>> {
  const built = await buildIndex({
    directory: source,
    form,
    into: indexes,
    signal,
    ...(builder === undefined ? {} : { builder }),
  });
  if (!built.ok) {
    const remedy = machineRemedy(built.problem);
    return failed({ cause: textOf(built.problem), ...(remedy === undefined ? {} : { machineRemedy: remedy }) });
  }
  const opened = openIndex(built.value.file);
  return opened.ok ? opened : failed({ cause: opened.problem.message });
}

function textOf(problems: readonly CatalogProblem[]): string {
  const [first] = problems;
  if (first === undefined) return "unknown problem";
  const { place, message, packageName, bundle } = first;
  const subject =
    bundle !== undefined && bundle !== ""
      ? `bundle ${bundle}: `
      : packageName !== undefined && packageName !== ""
        ? `package ${packageName}: `
        : "";
  const where = place === undefined || place.file?.includes("/") === true ? "" : `${formatPlace(place)}: `;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return `${where}${subject}${message}${more}`;
}
