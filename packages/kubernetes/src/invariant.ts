/** Thrown when the program itself is wrong. Never caught to go on: the message is for the one who mends the bug. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** Narrows `condition` to true, or throws an {@link InvariantError} that says which belief was wrong. */
export function invariant(condition: unknown, belief: string): asserts condition {
  if (!condition) throw new InvariantError(`Broken invariant: ${belief}`);
}

/** The end of a switch over a union: compiles only while every case is named. */
export function unreachable(value: never): never {
  throw new InvariantError(`Broken invariant: no case for ${JSON.stringify(value)}`);
}
