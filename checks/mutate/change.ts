import type { Syntax } from "./syntax.ts";

/** One replacement in a text. */
export interface Change {
  readonly operator: string;
  /** What is replaced, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly after: string;
}

/** Replaces the whole node. */
export const change = (operator: string, { start, end }: Syntax, after: string): Change => ({
  operator,
  start,
  end,
  after,
});
