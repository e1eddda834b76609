/** One bundle in one channel, with what its upgrade edges depend on. */
export interface ChannelEntry {
  readonly name: string;
  readonly replaces?: string | undefined;
  readonly skips: readonly string[];
  readonly skipRange?: string | undefined;
  /** Version as written; only skip ranges use it. */
  readonly version: string;
}

/** Why a bundle may be installed over another one. */
export type EdgeKind = "replaces" | "skips" | "skipRange";

/** An upgrade from one bundle to another, both in the same channel. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
}
