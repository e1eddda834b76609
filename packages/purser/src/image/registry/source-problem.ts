import type { ImageProblem } from "../image-problem.ts";
import type { RegistryFailure } from "./registry-failure.ts";

/** What one place that was tried answered. */
export interface PlaceFailure {
  /** Registry and repository. */
  readonly name: string;
  readonly isMirror: boolean;
  readonly failure: RegistryFailure;
}

/**
 * The problem of an image that no place gave. It names every place that was tried; kind, status and remedy are those of
 * the last one, which is the registry that the reference names unless a later failure followed.
 */
export function sourceProblem(
  reference: string,
  failures: readonly PlaceFailure[],
  verb: "pulled" | "written" = "pulled",
): ImageProblem {
  const last = failures.at(-1);
  if (last === undefined) throw new Error(`no place was tried for ${reference}`);
  const { kind, httpStatus, remedy } = last.failure;
  const waits = failures.flatMap(({ failure }) => failure.retryAfterMs ?? []);
  return {
    kind,
    cause: `image ${reference} cannot be ${verb}: ${failures.map(textOf).join("; ")}`,
    remedy,
    reference,
    ...(last.isMirror && { mirror: last.name }),
    ...(httpStatus !== undefined && { httpStatus }),
    ...(waits.length > 0 && { retryAfterMs: Math.min(...waits) }),
  };
}

function textOf({ name, isMirror, failure }: PlaceFailure, _: number, all: readonly PlaceFailure[]): string {
  return all.length === 1 && !isMirror ? failure.text : `${isMirror ? "mirror " : ""}${name}: ${failure.text}`;
}
