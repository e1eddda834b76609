import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from "graphql";

const maxDepth = 10;
const maxAliases = 50;
const maxFields = 500;

/** Why a query is refused before it is looked at against a catalog, in catalogd's words; undefined when it is within the limits. */
export function beyondLimits({ definitions }: DocumentNode): string | undefined {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  const count = { aliases: 0, fields: 0 };
  const used = new Set<string>();

  function walk(set: SelectionSetNode | undefined, depth: number, visited: Set<string>): string | undefined {
    if (set === undefined) return undefined;
    if (depth > maxDepth) return `query exceeds maximum depth of ${maxDepth}`;
    for (const selection of set.selections) {
      let inner: SelectionSetNode | undefined;
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const name = selection.name.value;
        if (visited.has(name)) continue;
        visited.add(name);
        used.add(name);
        inner = fragments.get(name)?.selectionSet;
      } else {
        inner = selection.selectionSet;
        if (selection.kind === Kind.FIELD) {
          if (++count.fields > maxFields) return `query exceeds maximum field count of ${maxFields}`;
          if (selection.alias !== undefined && ++count.aliases > maxAliases)
            return `query exceeds maximum alias count of ${maxAliases}`;
        }
      }
      const problem = walk(inner, depth + 1, visited);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  for (const definition of definitions)
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      const problem = walk(definition.selectionSet, 1, new Set());
      if (problem !== undefined) return problem;
    }
  // Fragments that no operation uses are validated too, in time that grows with the square of their fields.
  for (const [name, { selectionSet }] of fragments) {
    const problem = used.has(name) ? undefined : walk(selectionSet, 1, new Set());
    if (problem !== undefined) return problem;
  }
  return undefined;
}
