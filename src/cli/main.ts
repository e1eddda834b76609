#!/usr/bin/env node
import { commands } from "./commands.ts";
import { runProgram } from "./run-program.ts";

process.exitCode = await runProgram("purser", commands, process.argv.slice(2));
