#!/usr/bin/env node
import { runCommand } from "./run-command.ts";

// node:sqlite is experimental on some supported versions of Node; every other warning is shown.
process.removeAllListeners("warning");
process.on("warning", (warning) => {
  if (warning.name !== "ExperimentalWarning") console.error(warning.stack ?? warning.message);
});
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopping.abort());
let isUnread = false;
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  // A reader such as head that closes the pipe after the first line is no failure.
  if (code === "EPIPE" || code === "EIO") return;
  isUnread = true;
  console.error(`cannot write to standard output: ${message}`);
  stopping.abort();
});
process.stderr.on("error", () => undefined);
const exitCode = await runCommand(process.argv.slice(2), {
  out: (line) => console.log(line),
  err: (line) => console.error(line),
  signal: stopping.signal,
});
process.exitCode = isUnread ? 1 : exitCode;
