#!/usr/bin/env node
import { basename, resolve } from "node:path";
import { folderOfCaller } from "./own-script-folder.ts";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough, such as head, is no failure of ours.
  if (error.code === "EPIPE") process.exit();
  throwUnlessClosed(error);
});
process.stderr.on("error", throwUnlessClosed);

/** A terminal that was closed takes no text any more: the shutdown that follows still runs to its end. */
function throwUnlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== "EIO" && error.code !== "EPIPE") throw error;
}

const caller = folderOfCaller(process.env, resolve(import.meta.dirname, "../.."));
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
  const [{ runOwnAnswer }, { answerOpm }] = await Promise.all([
    import("./run-own-answer.ts"),
    import("./opm/answer-opm.ts"),
  ]);
  return runOwnAnswer(answerOpm, ownArgs, caller !== undefined);
}
