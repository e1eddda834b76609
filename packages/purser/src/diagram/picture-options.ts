import type { Rules } from "../upgrade-graph/rules.ts";
import type { Hop } from "../upgrade-graph/scope.ts";

/** A way through the graph to be shown in it. */
export interface DrawnPath {
  readonly rules: Rules;
  readonly from: string;
  readonly to: string | undefined;
  readonly hops: readonly Hop[];
}

export interface PictureOptions {
  readonly rules: Rules | "both";
  /** Channels to show; without them all, the first eight when there are more. */
  readonly channels?: readonly string[];
  /** Shows every version and channel instead of folding runs of ordinary ones. */
  readonly all?: boolean;
  readonly path?: DrawnPath | undefined;
  /** Who has which bundle installed, by its name. */
  readonly installed?: ReadonlyMap<string, readonly string[]>;
  /** Sentences to stand above the drawing. */
  readonly notes?: readonly string[];
}
