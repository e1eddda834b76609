#!/usr/bin/env node
import { basename } from "node:path";
import { scriptsFolder } from "../engine/package-folder.ts";
import { getSystemErrorMessage } from "node:util";
import { setFlagsFromString } from "node:v8";
import { exitCodes } from "./exit-code.ts";
import { folderOfCaller } from "./own-script-folder.ts";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough, such as head, is no failure of ours.
  if (error.code === "EPIPE") process.exit();
  if (isClosed(error)) return;
  const why = error.errno === undefined ? error.message : getSystemErrorMessage(error.errno);
  process.stderr.write(`purser: cannot write to standard output: ${why}\n`);
  process.exit(exitCodes.failed);
});
process.stderr.on("error", (error: NodeJS.ErrnoException) => {
  if (!isClosed(error)) process.exit(exitCodes.failed);
});

/** A terminal that was closed takes no text any more: the shutdown that follows still runs to its end. */
function isClosed({ code }: NodeJS.ErrnoException): boolean {
  return code === "EIO" || code === "EPIPE";
}

const caller = folderOfCaller(process.env, scriptsFolder());
if (caller !== undefined) process.chdir(caller);

const [, program = "", ...args] = process.argv;
// A link named opm stands in for that tool. Scripts call it often and wait for it, so it loads none of the other commands.
const opmArgs = basename(program) === "opm" ? args : args[0] === "opm" ? args.slice(1) : undefined;
process.exitCode = await (opmArgs === undefined ? runAny() : runOpm(opmArgs));

async function runAny(): Promise<number> {
  const [{ runProgram }, { commands }] = await Promise.all([import("./run-program.ts"), import("./commands.ts")]);
  return runProgram("purser", commands, args, caller !== undefined);
}

async function runOpm(ownArgs: readonly string[]): Promise<number> {
  // Of what one document takes little outlives it: a young generation that grows saves no time and takes 8 MB.
  setFlagsFromString("--semi-space-growth-factor=1");
  const [{ runOwnAnswer }, { answerOpm }] = await Promise.all([
    import("./run-own-answer.ts"),
    import("./opm/answer-opm.ts"),
  ]);
  return runOwnAnswer(answerOpm, ownArgs, caller !== undefined);
}
