#!/usr/bin/env node
import { basename, resolve } from "node:path";
import { commands } from "./commands.ts";
import { folderOfCaller } from "./own-script-folder.ts";
import { runProgram } from "./run-program.ts";

// A reader that has seen enough, such as head, is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

const caller = folderOfCaller(process.env, resolve(import.meta.dirname, "../.."));
if (caller !== undefined) process.chdir(caller);

const [, program = "", ...args] = process.argv;
// A link named opm stands in for that tool.
process.exitCode = await runProgram("purser", commands, basename(program) === "opm" ? ["opm", ...args] : args);
