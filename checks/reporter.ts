import type { TestEvent } from "node:test/reporters";
import { join } from "node:path";
import { inspect } from "node:util";
import { type FileTime, notedTimes } from "./processor-time.ts";

/**
 * The prefix of skip reasons that depend on this machine: another operating system, another user, a program or a cluster
 * that was not configured. Such tests are listed and not counted.
 */
const notHere = "not here: ";

/** Checks what test files of one process leave to one another: no tests of the product. */
const watchOfSharedProcesses = join(import.meta.dirname, "run-together.ts");

/** Names of tests by the reason why they did not run. */
type Left = Map<string, string[]>;

function* linesOf(word: string, left: Left): Generator<string> {
  for (const [reason, [name = "", ...others]] of left)
    yield `${word}  ${others.length === 0 ? name : `${others.length + 1} tests`}  (${reason})\n`;
}

/** The `count` files that took the most, then what all of them took; nothing where no time was noted. */
export function* linesOfTimes(times: readonly FileTime[], count: number): Generator<string> {
  if (times.length === 0) return;
  const line = (seconds: number, words: string): string => `${seconds.toFixed(1).padStart(7)} s  ${words}\n`;
  for (const { file, seconds } of times.toSorted((a, b) => b.seconds - a.seconds).slice(0, count))
    yield line(seconds, file);
  const all = times.reduce((sum, { seconds }) => sum + seconds, 0);
  yield line(all, `of processor time in ${times.length} files`);
}

/**
 * A test reporter that prints what failed, then one line for every reason why tests did not run, and one closing line;
 * passing tests stay silent. With `PURSER_TEST_SLOWEST=N` the N files that took the most processor time come before that.
 */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let passed = 0;
  let failed = 0;
  const skipped: Left = new Map();
  const elsewhere: Left = new Map();
  for await (const event of events) {
    if (event.type === "test:pass") {
      const { skip, name, details } = event.data;
      if (skip !== undefined) {
        const reason = String(skip);
        const left = reason.startsWith(notHere) ? elsewhere : skipped;
        const short = reason.replace(notHere, "");
        left.set(short, [...(left.get(short) ?? []), name]);
      } else if (details.type !== "suite" && event.data.file !== watchOfSharedProcesses) passed++;
    } else if (event.type === "test:fail") {
      if (event.data.details.type !== "suite") failed++;
      const { cause } = event.data.details.error;
      yield `FAILED   ${event.data.file ?? ""}:${event.data.line ?? ""} ${event.data.name}\n${cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause ?? event.data.details.error)}\n`;
    } else if (event.type === "test:stderr" || event.type === "test:stdout") yield event.data.message;
  }
  yield* linesOfTimes(notedTimes(), Number(process.env["PURSER_TEST_SLOWEST"] ?? 0));
  yield* linesOf("not here", elsewhere);
  yield* linesOf("skipped ", skipped);
  const count = [...skipped.values()].flat().length;
  yield `${passed} passed, ${failed} failed, ${count} skipped\n`;
}
