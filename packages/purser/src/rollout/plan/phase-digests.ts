/** The digest that pins the content of one phase, over its name and its objects in order. */
export interface ObservedPhase {
  readonly name: string;
  readonly digest: string;
}

/** OLM's text when the resolved content differs from the pinned digests; undefined when it does not. */
export function contentChange(
  observed: readonly ObservedPhase[] | undefined,
  current: readonly ObservedPhase[],
): string | undefined {
  if (observed === undefined || observed.length === 0) return undefined;
  if (observed.length !== current.length) {
    return `number of phases has changed (expected ${observed.length} phases, got ${current.length})`;
  }
  const changed = observed.flatMap(({ name, digest }) => {
    const now = current.find((phase) => phase.name === name)?.digest ?? "";
    return now === digest ? [] : [`phase "${name}" (expected digest ${digest}, got ${now})`];
  });
  if (changed.length === 0) return undefined;
  return `resolved content of ${changed.length} phase(s) has changed: ${changed.join("; ")}; a referenced object source may have been deleted and recreated with different content`;
}
