import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** A process of one test file, as `ps` lists it. */
interface TestProcess {
  readonly pid: number;
  readonly seconds: number;
  readonly file: string;
}

/** What `ps -A -o pid=,ppid=,etime=,args=` prints, as the children of `runner` and how long each has run. */
export function testProcesses(listing: string, runner: number): readonly TestProcess[] {
  return listing.split("\n").flatMap((line) => {
    const [, pid, parent, days = "0", hours = "0", minutes, seconds, args = ""] =
      /^\s*(\d+)\s+(\d+)\s+(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)\s+(.*)$/.exec(line) ?? [];
    if (Number(parent) !== runner) return [];
    const hour = Number(days) * 24 + Number(hours);
    return [
      {
        pid: Number(pid),
        seconds: hour * 3600 + Number(minutes) * 60 + Number(seconds),
        file: args.split(" ").findLast((word) => word.endsWith(".test.ts")) ?? args,
      },
    ];
  });
}

const reports = mkdtempSync(join(tmpdir(), "purser-stuck-"));
process.on("exit", () => rmSync(reports, { recursive: true, force: true }));

/** Flags for node: a test process writes a diagnostic report when it gets the signal. */
export const reportFlags: readonly string[] = [
  "--report-on-signal",
  "--report-signal=SIGUSR2",
  "--report-exclude-network",
  "--report-exclude-env",
  `--report-directory=${reports}`,
];

/** Ends the processes of `runner` that have run for longer than the limit, and prints where each of them was. */
export async function endStuckFiles(runner: number, limitSeconds: number): Promise<void> {
  const { error, stdout: listing } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,etime=,args="], { encoding: "utf8" });
  // Without `ps`, stuck files are not detected.
  if (error !== undefined) return;
  for (const { pid, seconds, file } of testProcesses(listing, runner)) {
    if (seconds < limitSeconds) continue;
    signal(pid, "SIGUSR2");
    await pause(3000);
    console.error(`FAILED   ${file} did not end within ${limitSeconds} s\n${whereItStands(pid)}`);
    signal(pid, "SIGKILL");
  }
}

/** Ignores a process that has ended meanwhile. */
function signal(pid: number, name: "SIGUSR2" | "SIGKILL"): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

interface Report {
  readonly javascriptStack: { readonly message?: string; readonly stack?: readonly string[] };
  readonly libuv: readonly { readonly type: string; readonly is_active?: boolean; readonly is_referenced?: boolean }[];
}

function whereItStands(pid: number): string {
  const written = readdirSync(reports).find((name) => name.includes(`.${pid}.`));
  if (written === undefined) return "  it does not say where it stands";
  let report: Report;
  try {
    report = JSON.parse(readFileSync(join(reports, written), "utf8")) as Report;
  } catch {
    return "  its report was not finished";
  }
  const { javascriptStack, libuv } = report;
  const open = libuv.flatMap(({ type, is_active, is_referenced }) =>
    is_active === true && is_referenced === true ? [type] : [],
  );
  return [...(javascriptStack.stack ?? []), `it is kept alive by: ${open.join(", ")}`]
    .map((line) => `  ${line}`)
    .join("\n");
}
