#!/usr/bin/env node
import { basename } from "node:path";
import { scriptsDirectory } from "../engine/package-directory.ts";
import { setFlagsFromString } from "node:v8";
import { exitCodes } from "./exit-code.ts";
import { directoryOfCaller } from "./own-script-directory.ts";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader such as head that closes the pipe early is not a failure.
  if (error.code === "EPIPE") process.exit();
  if (isClosed(error)) return;
  const why =
    error.errno === undefined
      ? error.message
      : process.getBuiltinModule("node:util").getSystemErrorMessage(error.errno);
  process.stderr.write(`purser: cannot write to standard output: ${why}\n`);
  process.exit(exitCodes.failed);
});
process.stderr.on("error", (error: NodeJS.ErrnoException) => {
  if (!isClosed(error)) process.exit(exitCodes.failed);
});

/** Writing to a closed terminal fails; the error is ignored so that the shutdown that follows can finish. */
function isClosed({ code }: NodeJS.ErrnoException): boolean {
  return code === "EIO" || code === "EPIPE";
}

const caller = directoryOfCaller(process.env, scriptsDirectory());
if (caller !== undefined) process.chdir(caller);

const [, program = "", ...args] = process.argv;
// A link named opm runs as `purser opm`. Scripts call it often, so none of the other commands are loaded.
const linkedAs = basename(program);
const opmArgs = linkedAs === "opm" ? args : args[0] === "opm" ? args.slice(1) : undefined;
process.exitCode = await (opmArgs === undefined ? runAny() : runOpm(opmArgs));

async function runAny(): Promise<number> {
  const [{ runProgram }, { commands }] = await Promise.all([import("./run-program.ts"), import("./commands.ts")]);
  // As a plugin of kubectl, which asks a program of this name for completions, and ends the list with cobra's directive.
  if (linkedAs === "kubectl_complete-purser") {
    const exit = await runProgram("purser", commands, ["__complete", ...args], caller !== undefined);
    process.stdout.write(":0\n");
    return exit;
  }
  return runProgram("purser", commands, args, caller !== undefined);
}

async function runOpm(ownArgs: readonly string[]): Promise<number> {
  // Most memory of a document is garbage after it is processed: a larger young generation costs 8 MB and saves no time.
  setFlagsFromString("--semi-space-growth-factor=1");
  const [{ runOwnAnswer }, { answerOpm }] = await Promise.all([
    import("./run-own-answer.ts"),
    import("./opm/answer-opm.ts"),
  ]);
  return runOwnAnswer(answerOpm, ownArgs, caller !== undefined);
}
