import type { CauseCode } from "../explanation/explanation.ts";

/** A bundle of a catalog as far as policies look at it. */
export interface PolicyBundle {
  readonly name: string;
  readonly version: string;
}

/** Why a policy holds a bundle back. */
export type HoldCode = Extract<CauseCode, "VersionHeld" | "OutsideWindow" | "Soaking" | "ApprovalRequired">;

export interface Verdict {
  readonly code: HoldCode;
  /** `level patch` */
  readonly text: string;
  /** Epoch milliseconds at which it ends by itself. */
  readonly until?: number;
}
