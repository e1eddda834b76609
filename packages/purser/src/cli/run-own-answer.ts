import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { CommandSpec } from "./command.ts";
import { exitCodes } from "./exit-code.ts";
import { writtenData, writtenPieces } from "./output/shown.ts";
import { type StopRequests, stopRequests } from "./stop-requests.ts";

/** Runs a command with {@link CommandSpec.answer}, prints its output and returns its exit code. */
export async function runOwnAnswer(
  answer: NonNullable<CommandSpec["answer"]>,
  args: readonly string[],
  startedByNpm: boolean,
): Promise<number> {
  let requests: StopRequests | undefined;
  const asText = process.stdout.isTTY ? writtenPieces() : undefined;
  try {
    const { exit, stdout, stderr } = await answer(args, {
      interrupt: () => (requests ??= stopRequests(process, systemClock, startedByNpm)).signal,
      out: (bytes) => void process.stdout.write(asText === undefined ? bytes : asText(bytes)),
      err: (text) => void process.stderr.write(writtenData(text)),
    });
    process.stdout.write(process.stdout.isTTY ? writtenData(stdout) : stdout);
    process.stderr.write(writtenData(stderr));
    return exit;
  } catch (error) {
    process.stderr.write(writtenData(`Error: ${error instanceof Error ? error.message : String(error)}\n`));
    return exitCodes.failed;
  } finally {
    requests?.close();
  }
}
