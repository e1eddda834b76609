import type { Result } from "@purser/kubernetes/result";
import type { ContentProblem } from "../catalog/content.ts";

export interface SourceProblem extends ContentProblem {
  /** Another look finds the same until the request or this process changes: the state is `refused`, not `failing`. */
  readonly isFinal?: boolean;
  /** Epoch milliseconds of the next look that may find something else, for sources that are asked more often than they look. */
  readonly retryAt?: number;
  /** Other credentials than those that were used may end it. */
  readonly mayWantCredentials?: boolean;
}

/** What a look at a source found. */
export interface Look<Found> {
  /**
   * A text that differs whenever the content may differ (times and sizes of files, the digest of a manifest, a
   * resourceVersion). The next look gets it back. "" stands for content that is to be read again in any case.
   */
  readonly mark: string;
  /** Absent when there is no result yet, e.g. while the content is being changed: the state does not change. */
  readonly found?: Result<Found, SourceProblem>;
}

/**
 * One place that content comes from: what a new kind of source implements. It looks and reads; states, last good
 * content, notices and repetition are kept by `FollowedContent` and are the same for every source.
 */
export interface SourceReader<Found> {
  /**
   * Looks at the source and reads it when it changed. Called again only after the former call ended.
   * @param before.mark of the look before; undefined at the first one
   * @param before.hasContent whether there is good content that a half-written one must not replace
   * @param before.lastGood that content
   * @returns undefined when the source is as `before.mark` says
   * Expected failures are problems in the result; a rejection becomes a failing state too, unless the signal aborted.
   */
  look(
    before: { readonly mark: string | undefined; readonly hasContent: boolean; readonly lastGood?: Found },
    signal: AbortSignal,
  ): Promise<Look<Found> | undefined>;
  /**
   * Milliseconds until the next look; 0: at the next round of looks, undefined: never.
   * @param failures looks in a row that found a problem
   */
  pauseMs(failures: number): number | undefined;
  /** Epoch milliseconds of the last look that the interval of the request asked for; undefined before the first one. */
  polledAt?(): number | undefined;
  /** Ends what the source keeps open between looks, such as a connection; called once, after the last look. */
  close?(): void;
}
