import type { Rules } from "../upgrade-graph/rules.ts";
import type { Hop } from "../upgrade-graph/scope.ts";

/** A path to be shown in the graph. */
export interface DrawnPath {
  readonly rules: Rules;
  readonly from: string;
  readonly to: string | undefined;
  readonly hops: readonly Hop[];
}

export interface PictureOptions {
  readonly rules: Rules | "both";
  /** Channels to show; absent: all, or the first eight when there are more. */
  readonly channels?: readonly string[];
  /** Shows every version and channel instead of folding runs of ordinary ones. */
  readonly all?: boolean;
  readonly path?: DrawnPath | undefined;
  /** Installations by the name of their bundle. */
  readonly installed?: ReadonlyMap<string, readonly string[]>;
  /** Sentences shown above the drawing. */
  readonly notes?: readonly string[];
}
