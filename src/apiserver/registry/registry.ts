import type { GroupVersionKind } from "../../apis/resource-type.ts";
import type { ServedKind } from "./served-kind.ts";
import { compareVersions, priorityOf } from "./group-priority.ts";

export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  /** In order of their plural. */
  readonly kinds: readonly ServedKind[];
}

export interface ServedGroup {
  readonly name: string;
  /** Preferred version first. */
  readonly versions: readonly ServedVersion[];
}

/** Everything that is served right now. A new one is made whenever a definition changes. */
export class Registry {
  readonly #byPath = new Map<string, ServedKind>();
  readonly #byKind = new Map<string, ServedKind>();
  /** Highest priority first. */
  readonly groups: readonly ServedGroup[];

  constructor(kinds: Iterable<ServedKind>) {
    const groups = new Map<string, Map<string, ServedKind[]>>();
    for (const kind of kinds) {
      const { group, version, plural } = kind.type;
      this.#byPath.set(`${group}/${version}/${plural}`, kind);
      this.#byKind.set(`${group}/${version}/${kind.type.kind}`, kind);
      const versions = groups.get(group) ?? new Map<string, ServedKind[]>();
      groups.set(group, versions);
      const held = versions.get(version);
      if (held === undefined) versions.set(version, [kind]);
      else held.push(kind);
    }
    this.groups = [...groups]
      .map(([name, versions]) => ({
        name,
        versions: [...versions]
          .map(([version, held]) => ({ group: name, version, kinds: held.toSorted(byPlural) }))
          .toSorted((a, b) => compareVersions(a.version, b.version)),
      }))
      .toSorted((a, b) => priorityOf(b.name).group - priorityOf(a.name).group || (a.name < b.name ? -1 : 1));
  }

  at(group: string, version: string, plural: string): ServedKind | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  ofKind({ group, version, kind }: GroupVersionKind): ServedKind | undefined {
    return this.#byKind.get(`${group}/${version}/${kind}`);
  }

  /** Every kind of a group, whatever its version. */
  group(name: string): ServedGroup | undefined {
    return this.groups.find((group) => group.name === name);
  }

  /** Groups of definitions have no routes of their own. */
  isCustom(group: string): boolean {
    return this.group(group)?.versions.every(({ kinds }) => kinds.every(({ custom }) => custom !== undefined)) === true;
  }

  *kinds(): Iterable<ServedKind> {
    yield* this.#byPath.values();
  }
}

function byPlural(a: ServedKind, b: ServedKind): number {
  return a.type.plural < b.type.plural ? -1 : 1;
}
