import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { MissingPrerequisite } from "./missing-prerequisite.ts";
import type { Collision } from "./owned-elsewhere.ts";
import type { ObservedPhase } from "./phase-digests.ts";

interface Reached {
  /** Digests of the phases, to be pinned by the first pass. */
  readonly content: readonly ObservedPhase[];
  /** Types of the objects that were looked at. */
  readonly types: readonly ResourceType[];
}

interface Skimmed {
  /** Some objects were not read, because a pass before had found them ready moments ago. */
  readonly isSkimmed?: true;
}

/** How a pass over a revision's objects ended; `after-apply.ts` of its controller derives the status from it. */
export type ObjectSetOutcome =
  /** The revision's content is mutable or has changed; `message` is OLM's text. */
  | { readonly kind: "blocked"; readonly message: string }
  /** The content cannot be read; `message` is OLM's text. */
  | { readonly kind: "unresolved"; readonly message: string }
  /** The content must not be applied; `message` is OLM's text. */
  | (Pick<Reached, "content"> &
      Partial<Pick<Reached, "types">> & { readonly kind: "invalid"; readonly message: string })
  /** Objects of the phase with this index have another owner. */
  | (Reached & { readonly kind: "collided"; readonly phase: number; readonly collisions: readonly Collision[] })
  /** Texts of refused reads and writes, and of kinds that are not served; `missing`: what some of the objects need to exist. */
  | (Partial<Pick<Reached, "content">> &
      Pick<Reached, "types"> & {
        readonly kind: "refused";
        readonly errors: readonly string[];
        readonly missing: readonly MissingPrerequisite[];
      })
  /** Per incomplete phase one line about its first object that is not ready; the phases after it were not begun. */
  | (Reached & Skimmed & { readonly kind: "rollingOut"; readonly faults: readonly string[] })
  /** `rotateAt`: epoch milliseconds at which the first of its certificates is due. */
  | (Reached & Skimmed & { readonly kind: "complete"; readonly rotateAt?: number })
  | { readonly kind: "tearingDown"; readonly types: readonly ResourceType[] }
  /** Archived; no object is left that the revision controls. */
  | { readonly kind: "tornDown" };
