import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import { leftFor } from "../../plan/left-versions.ts";

type Siblings = readonly ClusterServiceVersion[];

const nameOf = (csv: ClusterServiceVersion): string => csv.metadata.name ?? "";

/** The CSV that `csv` replaces, while it exists. */
export function predecessor(csv: ClusterServiceVersion, siblings: Siblings): ClusterServiceVersion | undefined {
  const { replaces } = csv.spec;
  if (replaces === undefined || replaces === "" || replaces === nameOf(csv)) return undefined;
  return siblings.find((sibling) => nameOf(sibling) === replaces);
}

/**
 * The CSV that replaces `csv`, but for one that was left in an automatic rollback; of several the first by name, so that every pass
 * picks the same.
 */
export function successor(csv: ClusterServiceVersion, siblings: Siblings): ClusterServiceVersion | undefined {
  return namedAfter(
    csv,
    siblings.filter((sibling) => leftFor(sibling, siblings) === undefined),
  );
}

function namedAfter(csv: ClusterServiceVersion, siblings: Siblings): ClusterServiceVersion | undefined {
  return siblings
    .filter((sibling) => nameOf(sibling) !== nameOf(csv) && sibling.spec.replaces === nameOf(csv))
    .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))[0];
}

/** The end of the replacement chain after `csv`; undefined when the chain runs in a circle. */
export function finalSuccessor(csv: ClusterServiceVersion, siblings: Siblings): ClusterServiceVersion | undefined {
  const seen = new Set<string>();
  for (let last = csv; ;) {
    if (seen.has(nameOf(last))) return undefined;
    seen.add(nameOf(last));
    const next = successor(last, siblings);
    if (next === undefined) return last;
    last = next;
  }
}

/** Names of all CSVs that `csv` replaces or is replaced by, itself and those that were left included; circles end. */
export function replacementChain(csv: ClusterServiceVersion, siblings: Siblings): ReadonlySet<string> {
  const chain = new Set<string>();
  for (
    let at: ClusterServiceVersion | undefined = csv;
    at !== undefined && !chain.has(nameOf(at));
    at = namedAfter(at, siblings)
  )
    chain.add(nameOf(at));
  for (let at = predecessor(csv, siblings); at !== undefined && !chain.has(nameOf(at)); at = predecessor(at, siblings))
    chain.add(nameOf(at));
  return chain;
}
