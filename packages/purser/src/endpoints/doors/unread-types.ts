import type { UnfollowedType } from "@purser/kubernetes/kube/informer-cache";

/** How many types without a refusal are named. */
const shownTypes = 5;

/** Why the caches are not complete, in one line: each refusal of the API server, else the types that have no answer yet. */
export function unreadTypes(types: readonly UnfollowedType[]): string {
  const refused = types.flatMap(({ problem }) => problem ?? []);
  if (refused.length > 0) return [...new Set(refused)].join("; ");
  const names = types.slice(0, shownTypes).map(({ resource }) => resource);
  const more = types.length > shownTypes ? ` and ${types.length - shownTypes} more` : "";
  return `the first lists are not complete${names.length === 0 ? "" : `: ${names.join(", ")}${more}`}`;
}
