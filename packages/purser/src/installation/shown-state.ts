import type { Installation, InstallationState } from "./installation.ts";

/** The states that lists show: those of an installation, and what follows from the time, the catalogs and the reader's rights. */
export const shownStates = [
  "Ready",
  "Installing",
  "Upgrading",
  "Removing",
  "Approve",
  "Update",
  "Degraded",
  "Blocked",
  "Stuck",
  "Failed",
  "Paused",
  "Held",
  "Orphan",
  "Unknown",
] as const satisfies readonly (InstallationState | "Update" | "Stuck" | "Unknown")[];
export type ShownState = (typeof shownStates)[number];

/** An installation as lists show it. */
export interface ShownInstallation extends Omit<Installation, "state"> {
  readonly state: ShownState;
}

/** What is known beside the objects of an installation. */
export interface Surroundings {
  /** Epoch milliseconds. */
  readonly now: number;
  /** The newest version that it can be upgraded to; undefined when there is none, or the catalogs are not known. */
  readonly newer?: string | undefined;
  /** Why its state cannot be told; undefined when it can. */
  readonly unreadable?: string | undefined;
}

/** Whoever fetches, applies or rolls out repeats that for so long before it counts as stuck. */
const stuckAfterMs = 10 * 60_000;

/** Causes that are neither a decision nor final: the same is tried again. */
const repeated: ReadonlySet<string> = new Set([
  "BundleUnavailable",
  "CatalogUnavailable",
  "ObjectOwnedElsewhere",
  "RolloutFailed",
  "RolloutStuck",
]);

/**
 * The state that is shown, the first that applies of: `Unknown` without the right to read it, `Failed`, `Stuck` when the same failure
 * repeats for ten minutes, the state itself, and `Update` in place of `Ready` when there is a newer version.
 */
export function shownInstallation(one: Installation, { now, newer, unreadable }: Surroundings): ShownInstallation {
  if (unreadable !== undefined) return { ...one, state: "Unknown", why: unreadable };
  const { state, stuck, stuckReason = "" } = one;
  const isFinal = state === "Failed" || state === "Removing" || state === "Paused" || state === "Orphan";
  if (
    stuck !== undefined &&
    !isFinal &&
    repeated.has(stuckReason) &&
    now - Date.parse(stuck.stuckSince) >= stuckAfterMs
  )
    return { ...one, state: "Stuck", since: stuck.stuckSince, why: one.why || stuck.blockedBy };
  if (state === "Ready" && newer !== undefined) return { ...one, state: "Update", target: newer };
  return one;
}

/** Whether an upgrade exists for it, whether it waits for something or not. */
export function hasUpdate({ state, target }: Pick<ShownInstallation, "state" | "target">): boolean {
  return state === "Update" || state === "Held" || (state === "Approve" && target !== undefined);
}

/** Whether a person has to do something. */
export function needsPerson({ state }: Pick<ShownInstallation, "state">): boolean {
  return state === "Failed" || state === "Blocked" || state === "Stuck" || state === "Approve" || state === "Orphan";
}
