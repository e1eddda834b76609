/** Thrown for a bug in the program. It is not caught to continue; the message is for developers. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** Narrows `condition` to true, or throws an {@link InvariantError} with the violated assumption. */
export function invariant(condition: unknown, belief: string): asserts condition {
  if (!condition) throw new InvariantError(`Broken invariant: ${belief}`);
}

/** The end of a switch over a union: compiles only while every case is named. */
export function unreachable(value: never): never {
  throw new InvariantError(`Broken invariant: no case for ${JSON.stringify(value)}`);
}
