#!/usr/bin/env node
import { runCommand } from "./run-command.ts";

// node:sqlite is experimental on some supported versions of Node; every other warning is shown.
process.removeAllListeners("warning");
process.on("warning", (warning) => {
  if (warning.name !== "ExperimentalWarning") console.error(warning.stack ?? warning.message);
});
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopping.abort());
process.exitCode = await runCommand(process.argv.slice(2), {
  out: (line) => console.log(line),
  err: (line) => console.error(line),
  signal: stopping.signal,
});
