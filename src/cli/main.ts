#!/usr/bin/env node
import { basename, resolve } from "node:path";
import { commands } from "./commands.ts";
import { folderOfCaller } from "./own-script-folder.ts";
import { runProgram } from "./run-program.ts";

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
// A link named opm stands in for that tool.
const words = basename(program) === "opm" ? ["opm", ...args] : args;
process.exitCode = await runProgram("purser", commands, words, caller !== undefined);
