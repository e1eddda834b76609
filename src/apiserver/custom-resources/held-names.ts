import type { CustomResourceDefinition } from "../../apis/apiextensions.ts";

export interface NameSpace {
  has(name: string): boolean;
}

/** Names of a group that other definitions hold. */
export interface TakenNames {
  /** Plurals, singulars and short names share one space. */
  readonly resources: NameSpace;
  /** Kinds and list kinds share another. */
  readonly kinds: NameSpace;
}

interface Holding {
  readonly group: string;
  readonly keys: ReadonlySet<string>;
}

/** Which definition holds which names, kept up to date so that nobody has to ask all definitions. */
export class HeldNames {
  readonly #holdings = new Map<string, Holding>();
  readonly #holders = new Map<string, Set<string>>();

  /** Takes note of what a definition holds now. Returns the group in which it let go of names, if it did. */
  note(definition: CustomResourceDefinition): string | undefined {
    const { name = "" } = definition.metadata;
    const { group } = definition.spec;
    const keys = new Set(keysOf(definition));
    const before = this.#holdings.get(name);
    for (const key of keys) {
      const holders = this.#holders.get(key);
      if (holders === undefined) this.#holders.set(key, new Set([name]));
      else holders.add(name);
    }
    this.#holdings.set(name, { group, keys });
    return before !== undefined && this.#release(name, before.keys, keys) ? group : undefined;
  }

  /** A definition is gone. Returns the group in which it held names. */
  forget(name: string): string | undefined {
    const before = this.#holdings.get(name);
    this.#holdings.delete(name);
    return before !== undefined && this.#release(name, before.keys, new Set()) ? before.group : undefined;
  }

  /** What a definition cannot have. */
  takenFor({ metadata: { name = "" }, spec: { group } }: CustomResourceDefinition): TakenNames {
    const space = (kind: string): NameSpace => ({
      has: (wanted) => {
        const holders = this.#holders.get(`${group} ${kind} ${wanted}`);
        return holders !== undefined && holders.size > (holders.has(name) ? 1 : 0);
      },
    });
    return { resources: space("resource"), kinds: space("kind") };
  }

  #release(name: string, before: ReadonlySet<string>, after: ReadonlySet<string>): boolean {
    let released = false;
    for (const key of before) {
      if (after.has(key)) continue;
      released = true;
      const holders = this.#holders.get(key);
      holders?.delete(name);
      if (holders?.size === 0) this.#holders.delete(key);
    }
    return released;
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
