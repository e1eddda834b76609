// The embedded API server with its built-in controllers and nothing else, behind the launcher: `purser.js up DATA-FOLDER`.
import { runCommand } from "../src/command/run-command.ts";

const stopping = new AbortController();
process.on("SIGTERM", () => stopping.abort());
const exitCode = await runCommand(["--data", process.argv[3] ?? ""], {
  out: (lines) => console.log(lines),
  err: (line) => console.error(line),
  signal: stopping.signal,
});
process.exit(exitCode);
