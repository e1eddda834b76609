/**
 * Target namespaces as a set. The list `[""]` means every namespace; an empty text among others is a name that no
 * namespace has. Same results as upstream's namespace sets.
 */
export type NamespaceList = readonly string[];

const distinct = (list: NamespaceList): readonly string[] => [...new Set(list)].sort();

export function isEveryNamespace(list: NamespaceList): boolean {
  return list.length > 0 && list.every((name) => name === "");
}

/** Sorted. */
export function commonNamespaces(one: NamespaceList, other: NamespaceList): readonly string[] {
  if (isEveryNamespace(one)) return distinct(other);
  if (isEveryNamespace(other)) return distinct(one);
  return distinct(one.filter((name) => other.includes(name)));
}
