#!/usr/bin/env node
// Kept in old syntax and free of static imports, so that it can print an error on a Node that cannot parse the rest.
"use strict";
const wanted = [22, 22, 2];
const found = process.versions.node.split(".").map(Number);
const tooOld =
  found[0] < wanted[0] ||
  (found[0] === wanted[0] && (found[1] < wanted[1] || (found[1] === wanted[1] && found[2] < wanted[2])));
if (tooOld) {
  process.stderr.write(
    "purser needs Node " +
      wanted.join(".") +
      " or newer; this is Node " +
      process.versions.node +
      ". Install a current Node (24 LTS is what purser is tested on) and run the command again.\n",
  );
  process.exit(1);
}
// node:sqlite and process.execve are experimental on some supported versions; every other warning is shown.
const emitWarning = process.emitWarning;
process.emitWarning = function (warning, kind) {
  const type = typeof kind === "object" && kind !== null ? kind.type : kind;
  if (
    type === "ExperimentalWarning" &&
    /sqlite|execve/i.test(String(warning && warning.message ? warning.message : warning))
  )
    return;
  return emitWarning.apply(process, arguments);
};
// A cluster lives long beside others, so it takes its memory from one pool of the C library, not from one a thread, each
// with its own gaps (some 15 MB). Blocks from 24 kB on, those of V8's compilers among them, stand outside of it and go back
// to the system when they are freed; those of a TLS connection (17 kB) do not, as they come and go with every request.
// The library reads its settings at process start, so this process executes itself again.
const settings = { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "24576" };
// V8 reads these when a process begins too: what is young moves between halves of 2 MB, which fit into a processor's cache.
const flags = ["--min-semi-space-size=2", "--max-semi-space-size=2"];
const again = "PURSER_STARTED_AGAIN";
const own = Object.keys(settings).concat(again);
if (process.env[again] !== undefined) {
  // Child processes must not inherit these variables.
  for (const name of own) delete process.env[name];
} else if (
  (process.argv[2] === "up" || process.argv[2] === "run") &&
  process.platform === "linux" &&
  process.channel === undefined &&
  typeof process.execve === "function" &&
  process.env.GLIBC_TUNABLES === undefined &&
  !Object.keys(settings).some((name) => name in process.env)
) {
  const args = [process.argv0].concat(flags, process.execArgv, process.argv.slice(1));
  try {
    process.execve(process.execPath, args, Object.assign({}, process.env, settings, { [again]: "1" }));
  } catch {
    // execve may be forbidden; purser also runs without these settings.
  }
}
process.getBuiltinModule("node:module").enableCompileCache();
import("./cli.js").catch(function (error) {
  process.stderr.write("purser could not start: " + (error && error.stack ? error.stack : error) + "\n");
  process.exit(1);
});
