import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { Descriptor } from "../image-source.ts";
import { type Answer, isWebPage } from "./answer.ts";
import { failureOfError, invalidAnswer, type RegistryFailure, tooSlow } from "./registry-failure.ts";
import type { RegistryLimits } from "./registry-limits.ts";
import { delayAfter, type RetryPolicy } from "./retry.ts";
import { StallWatch } from "./stall-watch.ts";

/** One place that may have the blob. */
export interface BlobOrigin {
  /** For messages: registry and repository. */
  readonly name: string;
  /** The blob from byte `from` on, with a `Range` header when that is not 0. */
  open(from: number, signal: AbortSignal): Promise<Result<Answer, RegistryFailure>>;
}

export interface BlobParts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly limits: RegistryLimits;
  readonly retry: RetryPolicy;
}

/** What each origin that was tried answered, in order. */
export type OriginFailures = readonly { readonly name: string; readonly failure: RegistryFailure }[];

/** Why a blob ended early. */
export interface BlobEnd {
  readonly failures: OriginFailures;
  /** Names of the origins whose content was wrong; empty when none sent all of it. The failures name each of them. */
  readonly wrong: readonly string[];
}

interface Opened {
  readonly answer: Answer;
  /** Index of the origin. */
  readonly at: number;
  /** Bytes at the beginning of the answer that were received before. */
  readonly skip: number;
}

/**
 * The blob as a stream that ends with `toError` unless size and digest are those of the descriptor. What breaks
 * off is resumed where it broke, from the same origin while its tries last, then from the next one.
 */
export async function openBlob(
  descriptor: Descriptor,
  origins: readonly BlobOrigin[],
  parts: BlobParts,
  toError: (end: BlobEnd) => Error,
  signal: AbortSignal,
): Promise<Result<Readable, OriginFailures>> {
  const transfer = new BlobTransfer(descriptor, origins, parts, signal);
  const first = await transfer.openFrom(0);
  if (first === undefined) return failed(transfer.failures);
  return done(Readable.from(transfer.content(first, toError), { objectMode: false }));
}

class BlobTransfer {
  readonly failures: { name: string; failure: RegistryFailure }[] = [];
  readonly #descriptor: Descriptor;
  readonly #origins: readonly BlobOrigin[];
  readonly #parts: BlobParts;
  readonly #signal: AbortSignal;
  readonly #hash = createHash("sha256");
  /** Origins that do not answer ranges correctly. */
  readonly #withoutRanges = new Set<number>();
  /** Origins of the bytes that were passed on, in order. */
  readonly #senders = new Set<number>();
  #isWrong = false;
  #received = 0;
  #resumes = 0;
  /** Breaks of the current origin since it last brought enough. */
  #tried = 0;
  #mark = 0;

  constructor(descriptor: Descriptor, origins: readonly BlobOrigin[], parts: BlobParts, signal: AbortSignal) {
    this.#descriptor = descriptor;
    this.#origins = origins;
    this.#parts = parts;
    this.#signal = signal;
  }

  /** The rest of the blob from the first origin, beginning with number `at`, that sends it; undefined when none does. */
  async openFrom(at: number): Promise<Opened | undefined> {
    for (let index = at; index < this.#origins.length; index++) {
      const opened = await this.#open(index);
      if (opened.ok) return opened.value;
      this.#fail(index, opened.problem);
      this.#tried = 0;
    }
    return undefined;
  }

  async *content(first: Opened, toError: (end: BlobEnd) => Error): AsyncGenerator<Buffer, void, undefined> {
    let opened: Opened | undefined = first;
    while (opened !== undefined) {
      const { at } = opened;
      const failure: RegistryFailure | undefined = yield* this.#read(opened);
      if (failure === undefined) return;
      opened = await this.#resume(at, failure);
    }
    throw toError({ failures: this.failures, wrong: this.#isWrong ? this.#wrongSenders() : [] });
  }

  /** Of several, the last one sent only a part: it may have the right content. */
  #wrongSenders(): readonly string[] {
    const senders = [...this.#senders].map((index) => this.#origins[index]?.name ?? "");
    return senders.length === 1 ? senders : senders.slice(0, -1);
  }

  async #open(index: number): Promise<Result<Opened, RegistryFailure>> {
    const origin = this.#origins[index];
    if (origin === undefined) throw new Error(`no origin ${index}`);
    const from = this.#withoutRanges.has(index) ? 0 : this.#received;
    const answer = await origin.open(from, this.#signal);
    if (!answer.ok) {
      if (from === 0 || answer.problem.httpStatus !== 416) return answer;
      this.#withoutRanges.add(index);
      return this.#open(index);
    }
    const start = startOf(answer.value, this.#descriptor);
    if (start.ok && start.value <= this.#received)
      return done({ answer: answer.value, at: index, skip: this.#received - start.value });
    answer.value.body.destroy();
    if (from === 0) return start.ok ? failed(this.#unasked(answer.value)) : start;
    this.#withoutRanges.add(index);
    return this.#open(index);
  }

  #unasked({ host, status }: Answer): RegistryFailure {
    return invalidAnswer(
      `${host} sends a part of blob ${this.#descriptor.digest} that was not asked for`,
      host,
      status,
    );
  }

  /** Yields what is new in the answer; returns why it ended early, undefined when the blob is complete and correct. */
  async *#read({ answer, at, skip }: Opened): AsyncGenerator<Buffer, RegistryFailure | undefined, undefined> {
    const { digest, size } = this.#descriptor;
    const { host, body } = answer;
    const { clock, limits } = this.#parts;
    const watch = new StallWatch(clock, limits, () => body.destroy());
    let left = skip;
    try {
      const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
      for (;;) {
        const next = await watch.during(() => chunks.next());
        if (next.done === true) break;
        const chunk = left === 0 ? next.value : next.value.subarray(left);
        left -= next.value.length - chunk.length;
        watch.received(next.value.length);
        this.#received += chunk.length;
        if (this.#received > size)
          return this.#giveUp(
            wrongContent(answer, digest, `${host} sends more than the ${size} bytes of blob ${digest}`),
          );
        this.#hash.update(chunk);
        if (chunk.length === 0) continue;
        this.#senders.add(at);
        yield chunk;
      }
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!watch.isStalled) return failureOfError(error, host);
    } finally {
      watch.stop();
      body.destroy();
    }
    if (watch.isStalled) return tooSlow(`${host} sends blob ${digest} too slowly: ${watch.measure}`, host);
    if (this.#received < size) {
      const text = `${host} ended blob ${digest} after ${this.#received} of ${size} bytes`;
      return { ...wrongContent(answer, digest, text), isPassing: !isWebPage(answer) };
    }
    const actual = `sha256:${this.#hash.digest("hex")}`;
    if (actual === digest) return undefined;
    return this.#giveUp(wrongContent(answer, digest, `${host} sent content of digest ${actual} as blob ${digest}`));
  }

  /** Content that has been passed on cannot be called back: the blob ends here. */
  #giveUp(failure: RegistryFailure): RegistryFailure {
    this.#isWrong = true;
    this.#resumes = Number.POSITIVE_INFINITY;
    return failure;
  }

  async #resume(at: number, failure: RegistryFailure): Promise<Opened | undefined> {
    const { clock, entropy, limits, retry } = this.#parts;
    if (this.#received - this.#mark >= limits.progressBytes) this.#tried = 0;
    this.#mark = Math.max(this.#mark, this.#received);
    const delay = delayAfter(failure, ++this.#tried, retry, entropy.fraction());
    if (++this.#resumes > limits.resumes) {
      this.#fail(at, failure);
      return undefined;
    }
    if (delay === undefined) {
      this.#fail(at, failure);
      this.#tried = 0;
      return this.openFrom(at + 1);
    }
    await clock.sleep(delay, this.#signal);
    return this.openFrom(at);
  }

  #fail(at: number, failure: RegistryFailure): void {
    this.failures.push({ name: this.#origins[at]?.name ?? "", failure });
  }
}

/** The byte of the blob with which the answer begins. */
function startOf(answer: Answer, { digest, size }: Descriptor): Result<number, RegistryFailure> {
  const { status, header, host } = answer;
  const range = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(header("content-range") ?? "");
  const start = status === 206 ? Number(range?.[1] ?? Number.NaN) : 0;
  const length = header("content-length");
  const total = status === 206 ? range?.[3] : length;
  if (Number.isNaN(start)) return failed(invalidAnswer(`${host} answers a range without saying which`, host, status));
  if (total !== undefined && total !== "*" && Number(total) !== size)
    return failed(
      wrongContent(answer, digest, `${host} holds a blob of ${total} bytes where the manifest says ${size}`),
    );
  return done(start);
}

/** The failure of other content than the blob; a login page or the page of a proxy is named as such. */
function wrongContent(answer: Answer, digest: string, text: string): RegistryFailure {
  const { host, status } = answer;
  const page = `${host} answered ${status} to a request for blob ${digest}, but the content is a web page`;
  return invalidAnswer(isWebPage(answer) ? page : text, host, status);
}
