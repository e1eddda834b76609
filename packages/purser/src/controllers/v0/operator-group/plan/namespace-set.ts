/**
 * Target namespaces as a set. The list `[""]` means every namespace; an empty text among others is a name that no
 * namespace has. Same results as upstream's namespace sets.
 */
export type NamespaceList = readonly string[];

const distinct = (list: NamespaceList): readonly string[] => [...new Set(list)].sort();

export function isEveryNamespace(list: NamespaceList): boolean {
  return list.length > 0 && list.every((name) => name === "");
}

export function containsNamespace(list: NamespaceList, name: string): boolean {
  return isEveryNamespace(list) || list.includes(name);
}

/** Sorted. */
export function commonNamespaces(one: NamespaceList, other: NamespaceList): readonly string[] {
  if (isEveryNamespace(one)) return distinct(other);
  if (isEveryNamespace(other)) return distinct(one);
  const others = new Set(other);
  return distinct(one.filter((name) => others.has(name)));
}

/**
 * Sorted; `[""]` when either side is every namespace.
 * @testOnly golden cases pin the set operations as a whole
 */
export function unitedNamespaces(one: NamespaceList, other: NamespaceList): readonly string[] {
  if (isEveryNamespace(one) || isEveryNamespace(other)) return [""];
  return distinct([...one, ...other]);
}

/**
 * Names on one side only, sorted, without the empty text: the namespaces whose copied CSVs change.
 * @testOnly golden cases pin the set operations as a whole
 */
export function movedNamespaces(one: NamespaceList, other: NamespaceList): readonly string[] {
  return distinct([
    ...one.filter((name) => !other.includes(name)),
    ...other.filter((name) => !one.includes(name)),
  ]).filter((name) => name !== "");
}

/** Whether the lists name different namespaces; order and repetition do not count. */
export function targetsChanged(one: NamespaceList, other: NamespaceList): boolean {
  return distinct(one).join(",") !== distinct(other).join(",") || (one.length === 0) !== (other.length === 0);
}
