import type { ResourceType } from "../apis/resource-type.ts";

/** What a pass over one key leaves to be done later. */
export interface PassEnd {
  /** Look again after this many milliseconds even when nothing changes. Absent: only a change wakes the key. */
  readonly recheckAfterMs?: number;
  /** Resource types whose objects wake this key from now on (`wakingWatch` of the controller). Absent: none. */
  readonly watches?: readonly ResourceType[];
  /** The pass did not reach its end: the key is retried with backoff, at the latest after `recheckAfterMs`. The text is logged. */
  readonly retry?: string;
}

/** What a reconciler decided to do about one key. Applied in order; the same plan applied twice changes nothing. */
export interface Plan<Action> extends PassEnd {
  readonly actions: readonly Action[];
}

/** A plan that has to see more first: the shell observes what it names and plans again. */
export interface Needs<Need> {
  readonly needs: Need;
}

/** What a plan may know beside the observed world. */
export interface PlanContext {
  /** Wall time in milliseconds since the Unix epoch, read once per pass. */
  readonly now: number;
}
