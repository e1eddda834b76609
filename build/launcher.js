#!/usr/bin/env node
// Kept in old syntax and free of static imports, so that it can speak up on a Node that could not even parse the rest.
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
// node:sqlite still warns on some supported versions; every other warning is shown.
const emitWarning = process.emitWarning;
process.emitWarning = function (warning, kind) {
  const type = typeof kind === "object" && kind !== null ? kind.type : kind;
  if (type === "ExperimentalWarning" && /sqlite/i.test(String(warning && warning.message ? warning.message : warning)))
    return;
  return emitWarning.apply(process, arguments);
};
process.getBuiltinModule("node:module").enableCompileCache();
import("./cli.js").catch(function (error) {
  process.stderr.write("purser could not start: " + (error && error.stack ? error.stack : error) + "\n");
  process.exit(1);
});
