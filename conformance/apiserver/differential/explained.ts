import type { NormalForm } from "./normal-form.ts";
import type { Operation } from "./operation.ts";

interface Explained {
  /** Why the embedded server answers otherwise. */
  readonly why: string;
  readonly holds: (operation: Operation, real: NormalForm, ours: NormalForm) => boolean;
}

/** Every difference that stays, with its reason. */
const table: readonly Explained[] = [
  {
    why: "the real server breaks the connection over a strategic merge patch whose merge key is no scalar",
    holds: ({ contentType }, real, ours) =>
      real.code === 0 && ours.code >= 400 && contentType === "application/strategic-merge-patch+json",
  },
];

/** The reason of a known difference; undefined for one that nobody explains. */
export function explanationOf(operation: Operation, real: NormalForm, ours: NormalForm): string | undefined {
  return table.find(({ holds }) => holds(operation, real, ours))?.why;
}
