import type { GroupVersionKind } from "@purser/kubernetes/apis/resource-type";
import type { ServedKind } from "./served-kind.ts";
import { compareVersions, priorityOf } from "./group-priority.ts";

export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  /** Sorted by plural. */
  readonly kinds: readonly ServedKind[];
}

export interface ServedGroup {
  readonly name: string;
  /** Preferred version first. */
  readonly versions: readonly ServedVersion[];
}

interface GroupIndex {
  readonly group: ServedGroup;
  readonly byPath: ReadonlyMap<string, ServedKind>;
  readonly byKind: ReadonlyMap<string, ServedKind>;
}

/** All served kinds at one time. A change of a definition creates a new registry, which shares unchanged parts. */
export class Registry {
  readonly #groups: ReadonlyMap<string, GroupIndex>;
  #sorted: readonly ServedGroup[] | undefined;
  #tables: ReadonlyMap<string, readonly ServedKind[]> | undefined;

  private constructor(groups: ReadonlyMap<string, GroupIndex>) {
    this.#groups = groups;
  }

  static of(kinds: Iterable<ServedKind>): Registry {
    return new Registry(
      new Map([...Map.groupBy(kinds, ({ type }) => type.group)].map(([name, held]) => [name, indexOf(name, held)])),
    );
  }

  /** A copy with other kinds in some groups; a group without kinds is removed. */
  with(groups: ReadonlyMap<string, readonly ServedKind[]>): Registry {
    const next = new Map(this.#groups);
    for (const [name, kinds] of groups)
      if (kinds.length === 0) next.delete(name);
      else next.set(name, indexOf(name, kinds));
    return new Registry(next);
  }

  /** Highest priority first. */
  get groups(): readonly ServedGroup[] {
    this.#sorted ??= [...this.#groups.values()]
      .map(({ group }) => group)
      .toSorted((a, b) => priorityOf(b.name).group - priorityOf(a.name).group || (a.name < b.name ? -1 : 1));
    return this.#sorted;
  }

  at(group: string, version: string, plural: string): ServedKind | undefined {
    return this.#groups.get(group)?.byPath.get(`${version}/${plural}`);
  }

  ofKind({ group, version, kind }: GroupVersionKind): ServedKind | undefined {
    return this.#groups.get(group)?.byKind.get(`${version}/${kind}`);
  }

  /** The kinds whose objects are stored in the table: all versions and, for events, both groups. */
  inTable(table: string): readonly ServedKind[] {
    this.#tables ??= Map.groupBy(
      this.groups.flatMap(({ versions }) => versions.flatMap(({ kinds }) => kinds)),
      (kind) => kind.table,
    );
    return this.#tables.get(table) ?? [];
  }

  /** A group with all its versions. */
  group(name: string): ServedGroup | undefined {
    return this.#groups.get(name)?.group;
  }

  /** Whether the group belongs to custom resources; such groups have no routes of their own. */
  isCustom(group: string): boolean {
    return this.group(group)?.versions.every(({ kinds }) => kinds.every(({ custom }) => custom !== undefined)) === true;
  }

  *kinds(): Iterable<ServedKind> {
    for (const { byPath } of this.#groups.values()) yield* byPath.values();
  }
}

function indexOf(name: string, kinds: readonly ServedKind[]): GroupIndex {
  const versions = Map.groupBy(kinds, ({ type }) => type.version);
  return {
    group: {
      name,
      versions: [...versions]
        .map(([version, held]) => ({ group: name, version, kinds: held.toSorted(byPlural) }))
        .toSorted((a, b) => compareVersions(a.version, b.version)),
    },
    byPath: new Map(kinds.map((kind) => [`${kind.type.version}/${kind.type.plural}`, kind])),
    byKind: new Map(kinds.map((kind) => [`${kind.type.version}/${kind.type.kind}`, kind])),
  };
}

function byPlural(a: ServedKind, b: ServedKind): number {
  return a.type.plural < b.type.plural ? -1 : 1;
}
