import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";

export interface NameSpace {
  has(name: string): boolean;
}

/** Names that other definitions of the group have. */
export interface TakenNames {
  /** Plurals, singulars and short names share a namespace. */
  readonly resources: NameSpace;
  /** Kinds and list kinds share another one. */
  readonly kinds: NameSpace;
}

interface Holding {
  readonly group: string;
  readonly keys: ReadonlySet<string>;
}

/** An index of names by definition, so that a check does not read all definitions. */
export class HeldNames {
  readonly #holdings = new Map<string, Holding>();
  readonly #holders = new Map<string, Set<string>>();

  /** Updates the names of a definition. Returns its group when they changed. */
  note(definition: CustomResourceDefinition): string | undefined {
    const { name = "" } = definition.metadata;
    return this.#replace(name, definition.spec.group, new Set(keysOf(definition))) ? definition.spec.group : undefined;
  }

  /** Removes a deleted definition. Returns its group when it had names. */
  forget(name: string): string | undefined {
    const group = this.#holdings.get(name)?.group;
    if (group === undefined) return undefined;
    const held = this.#replace(name, group, new Set());
    this.#holdings.delete(name);
    return held ? group : undefined;
  }

  /** The names that are not available to the definition. */
  takenFor({ metadata: { name = "" }, spec: { group } }: CustomResourceDefinition): TakenNames {
    const space = (kind: string): NameSpace => ({
      has: (wanted) => {
        const holders = this.#holders.get(`${group} ${kind} ${wanted}`);
        return holders !== undefined && holders.size > (holders.has(name) ? 1 : 0);
      },
    });
    return { resources: space("resource"), kinds: space("kind") };
  }

  #replace(name: string, group: string, keys: ReadonlySet<string>): boolean {
    const before = this.#holdings.get(name)?.keys ?? new Set();
    for (const key of before.difference(keys)) {
      const holders = this.#holders.get(key);
      holders?.delete(name);
      if (holders?.size === 0) this.#holders.delete(key);
    }
    for (const key of keys.difference(before)) this.#holders.set(key, (this.#holders.get(key) ?? new Set()).add(name));
    this.#holdings.set(name, { group, keys });
    return before.symmetricDifference(keys).size > 0;
  }
}

function keysOf({ spec: { group }, status }: CustomResourceDefinition): readonly string[] {
  const names = status?.acceptedNames;
  if (names === undefined) return [];
  const keys = (kind: string, held: readonly (string | undefined)[]): readonly string[] =>
    held.filter((name) => name !== undefined && name !== "").map((name) => `${group} ${kind} ${name}`);
  return [
    ...keys("resource", [names.plural, names.singular, ...(names.shortNames ?? [])]),
    ...keys("kind", [names.kind, names.listKind]),
  ];
}
