import type { ResourceType } from "../apis/resource-type.ts";

/** What remains to be done after a pass over one key. */
export interface PassEnd {
  /** Requeue after this many milliseconds. Absent: only a change requeues the key. */
  readonly recheckAfterMs?: number;
  /** Resource types whose objects requeue this key from now on (`wakingWatch` of the controller). Absent: none. */
  readonly watches?: readonly ResourceType[];
  /**
   * The pass is incomplete: the key is retried with backoff, at the latest after `recheckAfterMs`. The text is logged.
   */
  readonly retry?: string;
}

/**
 * The decision of a reconciler about one key. Actions are applied in order; applying the same plan again changes
 * nothing.
 */
export interface Plan<Action> extends PassEnd {
  readonly actions: readonly Action[];
}

/** A plan that needs further observations: the shell observes them and plans again. */
export interface Needs<Need> {
  readonly needs: Need;
}

/** Inputs of a plan besides the observed world. */
export interface PlanContext {
  /** Wall time in milliseconds since the Unix epoch, read once per pass. */
  readonly now: number;
}

/** How far an object is on its way to its wanted state. */
export type Progress =
  | { readonly kind: "working"; readonly state: string }
  | { readonly kind: "done"; readonly state: string }
  | { readonly kind: "failed"; readonly state: string; readonly message: string };
