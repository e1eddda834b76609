// Command lines of opm as a person types them: exit code, stdout, stderr and the files that are there afterwards.
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLongOpm, runLongOpm, runOpm } from "../../src/cli/opm/run-opm.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { answer, type Suite } from "../suite.ts";
import { layOut } from "./catalog-files.ts";

/** What a program printed and how it ended. */
export interface Ended {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command line in a directory. */
export type RunLine = (args: readonly string[], directory: string) => Ended | Promise<Ended>;

/** Runs every line of a case in a directory of its own with the case's files, and says what came of it in the shape of `expect`. */
export async function answerLines(input: JsonObject, run: RunLine): Promise<JsonObject> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "opm-lines-")));
  try {
    layOut(member(input, "files"), directory);
    const before = new Map(filesIn(directory, ""));
    const lines = member(input, "lines");
    const runs: JsonValue[] = [];
    for (const line of Array.isArray(lines) ? (lines as readonly JsonValue[]) : [])
      runs.push(comparable(await run((line as readonly string[]).map(String), directory), directory));
    const written = filesIn(directory, "")
      .filter(([path, text]) => before.get(path) !== text)
      .map(([path, text]) => [path, path.endsWith("Dockerfile") ? withoutComments(text) : text]);
    return { runs, ...(written.length === 0 ? {} : { files: Object.fromEntries(written) }) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function filesIn(root: string, below: string): readonly (readonly [string, string])[] {
  return readdirSync(join(root, below))
    .toSorted()
    .flatMap((name) => {
      const path = below === "" ? name : `${below}/${name}`;
      return statSync(join(root, path)).isDirectory()
        ? filesIn(root, path)
        : [[path, readFileSync(join(root, path), "utf8")] as const];
    });
}

/** Instructions alone: comments are our own. */
function withoutComments(dockerfile: string): string {
  return dockerfile.replaceAll(/^(?:#.*)?\n/gm, "");
}

/** Without the time, the directory and the wording of help, which is our own. */
function comparable({ exit, stdout, stderr }: Ended, directory: string): JsonObject {
  const plain = (text: string): string =>
    text
      .replaceAll(directory, "FOLDER")
      // Later versions of opm call an index a catalog.
      .replaceAll("rendering index", "rendering catalog")
      .replaceAll(/time="[^"]*"/g, 'time="TIME"')
      .replaceAll(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d /gm, "TIME ");
  const isHelp = /^Usage:$/m.test(stdout);
  return {
    exit,
    stdout: isHelp ? "HELP" : plain(stdout),
    stderr: plain(stderr.replace(/^Usage:\n[\s\S]*/m, "USAGE\n")),
  };
}

const ours: RunLine = async (args, directory) => {
  const before = process.cwd();
  process.chdir(directory);
  try {
    if (!isLongOpm(args)) return runOpm(args, systemClock);
    let said = "";
    let written = "";
    const world = {
      clock: systemClock,
      signal: new AbortController().signal,
      argv: ["opm", ...args],
      env: { PATH: "/nonexistent" },
      out: (bytes: Uint8Array) => void (written += Buffer.from(bytes).toString("utf8")),
      err: (text: string) => void (said += text),
    };
    const ended = await runLongOpm(args, world);
    return { ...ended, stdout: written + ended.stdout, stderr: said + ended.stderr };
  } finally {
    process.chdir(before);
  }
};

export const suite: Suite = {
  name: "opm-command-line",
  async run({ input }) {
    return answer(await answerLines(input, ours));
  },
};
