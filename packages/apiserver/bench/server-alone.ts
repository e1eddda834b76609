// The embedded API server with its built-in controllers and nothing else, behind the launcher: `purser.js up DATA-DIRECTORY`.
import { createInterface } from "node:readline";
import { runCommand } from "../src/command/run-command.ts";
import { TurnMeter } from "./turn-meter.ts";

const stopping = new AbortController();
process.on("SIGTERM", () => stopping.abort());
// `start` and `stop` of a bench: the answer to `stop` is the longest turn of the event loop in between.
const meter = new TurnMeter();
createInterface({ input: process.stdin }).on("line", (line) => {
  if (line === "start") meter.start();
  console.log(`answer ${line === "stop" ? meter.stop() : 0}`);
});
const exitCode = await runCommand(["--data", process.argv[3] ?? ""], {
  out: (lines) => console.log(lines),
  err: (line) => console.error(line),
  signal: stopping.signal,
});
process.exit(exitCode);
