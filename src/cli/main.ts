#!/usr/bin/env node
import { basename } from "node:path";
import { commands } from "./commands.ts";
import { runProgram } from "./run-program.ts";

const [, program = "", ...args] = process.argv;
// A link named opm stands in for that tool.
process.exitCode = await runProgram("purser", commands, basename(program) === "opm" ? ["opm", ...args] : args);
