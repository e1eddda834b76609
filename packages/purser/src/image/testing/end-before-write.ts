// Loaded by processes that a test starts (--import): ends the process by SIGKILL right before one of its writes.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";

/** How many writes the process may do, and where to list those it began. */
const { WRITES: most = "", WRITES_LOG: log = "" } = process.env;
let writes = 0;

const write = fs.writeSync;
const listed = fs.openSync(log, "w");

function before(name: string, path: unknown): void {
  const isLast = writes++ === Number(most);
  write(listed, `${name} ${basename(String(path)).replace(/^\.scratch-.*/, ".scratch")}\n`);
  if (isLast) process.kill(process.pid, "SIGKILL");
}

const { promises } = fs;
for (const name of ["rename", "chmod", "unlink", "rmdir", "utimes", "mkdir"] as const) {
  const original = promises[name] as (...args: readonly unknown[]) => Promise<unknown>;
  Object.assign(promises, {
    [name](...args: readonly unknown[]) {
      before(name, args[0]);
      return original(...args);
    },
  });
}
for (const name of ["renameSync", "rmSync", "utimesSync", "mkdirSync", "unlinkSync"] as const) {
  const original = fs[name] as (...args: readonly unknown[]) => unknown;
  Object.assign(fs, {
    [name](...args: readonly unknown[]) {
      before(name, args[0]);
      return original(...args);
    },
  });
}
// One by one, so that each of its writes is one of these.
Object.assign(promises, {
  async rm(path: string) {
    const found = fs.lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return;
    if (!found.isDirectory()) return promises.unlink(path);
    for (const entry of fs.readdirSync(path).sort()) await promises.rm(`${path}/${entry}`);
    await promises.rmdir(path);
  },
});
syncBuiltinESMExports();
