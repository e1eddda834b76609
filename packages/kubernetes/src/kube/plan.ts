/** What a reconciler decided to do about one key. Applied in order; the same plan applied twice changes nothing. */
export interface Plan<Action> {
  readonly actions: readonly Action[];
  /** Look again after this long even when nothing changes. Absent: only a change wakes the key. */
  readonly recheckAfterMs?: number;
}

/** What a plan may know beside the observed world. */
export interface PlanContext {
  /** Wall time in milliseconds since the Unix epoch, read once per pass. */
  readonly now: number;
}
