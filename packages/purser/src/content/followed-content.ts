import type { Clock } from "@purser/kubernetes/clock";
import type { Digest } from "@purser/kubernetes/digest";
import { failed, type Result } from "@purser/kubernetes/result";
import type { ContentProblem, ContentState } from "../catalog/content.ts";
import type { ImageAcceptance } from "../catalog/image-acceptance.ts";
import type { Look, SourceProblem, SourceReader } from "./source-reader.ts";

export interface FollowOptions<Found> {
  /** A problem: the request is refused for good, and nothing is looked at. */
  readonly reader: Result<SourceReader<Found>, ContentProblem>;
  readonly clock: Clock;
  readonly digestOf: (found: Found) => Digest;
  /** How the signature policy accepted it; by default there is none. */
  readonly acceptanceOf?: (found: Found) => ImageAcceptance | undefined;
  /** Content that is not held any more; by default nothing is to be done. */
  readonly release?: (found: Found) => void;
  /** Whether former content can still be read when the source has become something else. */
  readonly keepsLastGood: boolean;
  /** Called after every change of the state; `times` when only the time of the next try or of the last poll changed. */
  readonly onChange: (what: "state" | "times") => void;
}

/** Former contents stay open for their readers. */
const generationsKept = 2;

/**
 * One source with its state: looks when it is time, keeps the last good content through every failure, and reports each
 * change of the state once.
 */
export class FollowedContent<Found> {
  readonly #options: FollowOptions<Found>;
  #state: ContentState;
  /** Newest first. */
  #good: Found[] = [];
  #mark: string | undefined;
  #lookingSince: number | undefined;
  #isClosed = false;
  #failures = 0;
  #dueAt = 0;

  constructor(options: FollowOptions<Found>) {
    this.#options = options;
    const { reader, clock } = options;
    this.#state = reader.ok ? { kind: "pending", since: clock.now() } : { kind: "refused", ...reader.problem };
  }

  get state(): ContentState {
    return this.#state;
  }

  /** What can be read now: the newest good content. */
  get content(): Found | undefined {
    return this.#good[0];
  }

  /** All contents that may still have readers, newest first. */
  get held(): readonly Found[] {
    return this.#good;
  }

  /** Epoch milliseconds; see `SourceReader`. */
  get polledAt(): number | undefined {
    const { reader } = this.#options;
    return reader.ok ? reader.value.polledAt?.() : undefined;
  }

  get isLooking(): boolean {
    return this.#lookingSince !== undefined;
  }

  /** Epoch milliseconds; undefined while the source is not looked at. */
  get lookingSince(): number | undefined {
    return this.#lookingSince;
  }

  /** Takes kept content as the last good one while the source has given none. */
  adopt(found: Found): void {
    if (this.#good.length > 0) return this.#options.release?.(found);
    this.#good = [found];
    this.#become(this.#state);
  }

  /** Looks at the source when it is time. Rejects only when the signal aborts. */
  async look(signal: AbortSignal): Promise<void> {
    const { reader, clock } = this.#options;
    if (!reader.ok || this.isLooking || clock.now() < this.#dueAt) return;
    this.#lookingSince = clock.now();
    const { polledAt } = this;
    try {
      this.#take(await this.#lookAt(reader.value, signal), reader.value);
      if (this.polledAt !== polledAt) this.#options.onChange("times");
    } finally {
      this.#lookingSince = undefined;
      this.#dueAt = clock.now() + (reader.value.pauseMs(this.#failures) ?? Number.POSITIVE_INFINITY);
    }
  }

  /** Looks again after this time at the latest. */
  hasten(pauseMs: number): void {
    this.#dueAt = Math.min(this.#dueAt, this.#options.clock.now() + pauseMs);
  }

  /** Releases all content, also what a running look finds, and ends what the source keeps open. */
  close(): void {
    this.#isClosed = true;
    const { reader } = this.#options;
    this.#releaseAll();
    if (reader.ok) reader.value.close?.();
  }

  #releaseAll(): void {
    for (const found of this.#good) this.#options.release?.(found);
    this.#good = [];
  }

  async #lookAt(reader: SourceReader<Found>, signal: AbortSignal): Promise<Look<Found> | undefined> {
    try {
      const [lastGood] = this.#good;
      const good = lastGood === undefined ? { hasContent: false } : { hasContent: true, lastGood };
      return await reader.look({ mark: this.#mark, ...good }, signal);
    } catch (error) {
      signal.throwIfAborted();
      const cause = error instanceof Error ? error.message : String(error);
      return { mark: "", found: failed({ cause, remedy: "It is retried automatically." }) };
    }
  }

  #take(look: Look<Found> | undefined, reader: SourceReader<Found>): void {
    if (look === undefined) return;
    this.#mark = look.mark;
    if (look.found === undefined) return;
    this.#failures = look.found.ok ? 0 : this.#failures + 1;
    if (look.found.ok) this.#serve(look.found.value);
    else this.#fail(look.found.problem, reader.pauseMs(this.#failures));
  }

  #serve(found: Found): void {
    const { digestOf, acceptanceOf, release } = this.#options;
    if (this.#isClosed) return release?.(found);
    const digest = digestOf(found);
    const accepted = acceptanceOf?.(found);
    const [current] = this.#good;
    if (current === undefined || digestOf(current) !== digest) this.#good.unshift(found);
    // The same content anew: what is open stays open for its readers, a place is where it was found last.
    else if (release === undefined) this.#good[0] = found;
    else release(found);
    for (const old of this.#good.splice(generationsKept)) release?.(old);
    this.#become({ kind: "ready", digest, ...(accepted === undefined ? {} : { accepted }) });
  }

  #fail({ isFinal = false, retryAt, cause, remedy, code }: SourceProblem, pauseMs: number | undefined): void {
    const { clock, keepsLastGood } = this.#options;
    if (!keepsLastGood) this.#releaseAll();
    const problem = { cause, remedy, ...(code === undefined ? {} : { code }) };
    if (isFinal) return this.#become({ kind: "refused", ...problem });
    const now = clock.now();
    const since = this.#state.kind === "failing" && this.#state.cause === cause ? this.#state.since : now;
    // Without a pause of its own it is looked at all the time: what is waited for is a change.
    const next = retryAt ?? (pauseMs === undefined || pauseMs === 0 ? undefined : now + pauseMs);
    this.#become({ kind: "failing", ...problem, since, ...(next === undefined ? {} : { retryAt: next }) });
  }

  #become(next: ContentState): void {
    const before = this.#state;
    const [good] = this.#good;
    const isReady = next.kind === "ready" || good === undefined;
    this.#state = isReady ? next : { ...next, lastGood: this.#options.digestOf(good) };
    if (whatCounts(before) !== whatCounts(this.#state)) this.#options.onChange("state");
    else if (nextTryOf(before) !== nextTryOf(this.#state)) this.#options.onChange("times");
  }
}

const nextTryOf = (state: ContentState): number | undefined => (state.kind === "failing" ? state.retryAt : undefined);

/** A state without its times, which are not reported as changes. */
function whatCounts(state: ContentState): string {
  const { kind } = state;
  if (kind === "ready") return JSON.stringify([kind, state.digest, state.accepted]);
  const { lastGood } = state;
  return JSON.stringify(kind === "pending" ? [kind, lastGood] : [kind, lastGood, state.cause, state.remedy]);
}
