// With PURSER_TEST_SLOWEST set it is loaded with `--import` before every test file: notes the processor time that each file took, which
// other programs on the machine change far less than elapsed time.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";

export interface FileTime {
  readonly file: string;
  readonly seconds: number;
}

/** Linux counts in hundredths of a second, whatever the kernel's timer does. */
const ticksPerSecond = 100;

/** Processor seconds of this process and, on Linux, of its children that have ended. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  try {
    return secondsOfStat(readFileSync("/proc/self/stat", "utf8"));
  } catch {
    return (user + system) / 1e6;
  }
}

/** @param stat what `/proc/PID/stat` holds: own and children's time, in user and in kernel mode, are its fields 14 to 17 */
export function secondsOfStat(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
}

const directory = process.env["PURSER_TEST_SLOWEST"] === undefined ? undefined : process.env["PURSER_TEST_RUN"];
const notes = join(directory ?? "", "processor-time.jsonl");
let notedSeconds = 0;

/** Notes what this process took since the last call as the time of a file. */
export function noteFile(file: string): void {
  if (directory === undefined) return;
  const seconds = processorSeconds();
  const time: FileTime = { file, seconds: seconds - notedSeconds };
  notedSeconds = seconds;
  appendFileSync(notes, `${JSON.stringify(time)}\n`);
}

const isTestFile = process.env["NODE_TEST_CONTEXT"] !== undefined;

/** For the runner's own process: what the test files of this run took. */
export function notedTimes(): readonly FileTime[] {
  if (directory === undefined || isTestFile) return [];
  const lines = readFileSync(notes, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as FileTime);
}

if (directory !== undefined && isMainThread && isTestFile) process.on("exit", () => noteFile(process.argv[1] ?? ""));
