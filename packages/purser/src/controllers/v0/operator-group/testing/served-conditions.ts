import { withGroupReadiness } from "../plan/operator-group-readiness.ts";

/** Conditions of a group that serves its targets, so that a pass has no status to write. */
export const servedConditions = withGroupReadiness(
  [],
  { targets: undefined, hasNeighbours: false, missingAccount: undefined },
  { observedGeneration: undefined, time: "2026-01-01T00:00:00Z" },
);
