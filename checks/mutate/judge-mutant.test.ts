import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { judgeMutant } from "./judge-mutant.ts";
import { mutantsOf } from "./mutants.ts";
import { openRecord, versionOf } from "./record.ts";
import { runJudge } from "./run-judge.ts";
import { createScratch } from "./scratch.ts";

const checkout = mkdtempSync(join(tmpdir(), "purser-mutate-test-"));
after(() => rmSync(checkout, { recursive: true }));
const write = (path: string, text: string): void => {
  mkdirSync(join(checkout, path, ".."), { recursive: true });
  writeFileSync(join(checkout, path), text);
};
write("packages/a/x.ts", "export const isOne = (a: number): boolean => a === 1;\n");
write("packages/a/kill.ts", 'import { isOne } from "./x.ts";\nif (!isOne(1)) process.exit(1);\n');
write("packages/a/broken.ts", "process.exit(1);\n");
write("packages/a/idle.ts", "");
write("checks/untracked-promises.ts", "");
write("tsconfig.json", '{ "include": ["packages"] }');
// Stands for the compiler: it refuses nothing.
write("node_modules/typescript/bin/tsc", "");
write(".gitignore", "node_modules/\n");
const git = (...args: readonly string[]) =>
  spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: checkout });
git("init", "-q");

const judge = (name: string) => ({ name, args: [`packages/a/${name}.ts`] });
const [mutant] = mutantsOf("packages/a/x.ts", readFileSync(join(checkout, "packages/a/x.ts"), "utf8"));
assert.ok(mutant !== undefined);
const recordPath = join(checkout, "node_modules/.cache/mutate/x.jsonl");

test("a mutant is killed by the first judge that fails with it alone, and the checkout stays as it is", async () => {
  const scratch = createScratch(checkout);
  const record = openRecord(recordPath);
  const bench = { checkout, scratch: scratch.root, record };
  const judges = ["broken", "idle", "kill"].map(judge);
  assert.deepEqual(await judgeMutant(bench, mutant, judges), { fate: "killed", by: "kill" });
  assert.deepEqual(await judgeMutant(bench, mutant, [judge("broken")]), { fate: "survived", by: undefined });
  assert.equal(record.unmutated("broken"), "failed");
  assert.equal(typeof record.unmutated("kill"), "number");
  const original = readFileSync(join(checkout, "packages/a/x.ts"), "utf8");
  assert.equal(readFileSync(join(scratch.root, "packages/a/x.ts"), "utf8"), original);
  assert.match(original, /===/);
  scratch.delete();
  assert.equal(existsSync(scratch.root), false);
});

test("a judge that only a busy machine made late gets the time that it takes now", async () => {
  write("packages/a/slow.ts", "setTimeout(() => {}, 1000);\n");
  const scratch = createScratch(checkout);
  const record = openRecord(join(checkout, "node_modules/.cache/mutate/slow.jsonl"));
  // Its limit is a tenth of a second, as if the first run had been faster than the machine is now.
  record.addUnmutated("slow", -2980);
  const bench = { checkout, scratch: scratch.root, record };
  assert.deepEqual(await judgeMutant(bench, mutant, [judge("slow")]), { fate: "survived", by: undefined });
  scratch.delete();
});

test("what only the compiler refuses is no survivor", async () => {
  const scratch = createScratch(checkout);
  rmSync(join(scratch.root, "node_modules/typescript/bin/tsc"));
  writeFileSync(join(scratch.root, "node_modules/typescript/bin/tsc"), "process.exit(2);\n");
  const bench = { checkout, scratch: scratch.root, record: openRecord(recordPath) };
  assert.deepEqual(await judgeMutant(bench, mutant, []), { fate: "refused by the compiler", by: "tsc" });
  scratch.delete();
});

/** False also for a process that has ended and whose parent has not asked for it. */
const isRunning = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[2] !== "Z";

test("a judge that does not end is killed with the processes that it started", async () => {
  write(
    "packages/a/parent.ts",
    'import { spawn } from "node:child_process";\nimport { writeFileSync } from "node:fs";\nconst child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);\nwriteFileSync("child.pid", String(child.pid));\n',
  );
  const ran = await runJudge(judge("parent"), checkout, checkout, 3000);
  assert.equal(ran.verdict, "timed out");
  const child = Number(readFileSync(join(checkout, "child.pid"), "utf8"));
  // The signal was sent; a busy machine delivers it a little later.
  for (let waited = 0; isRunning(child) && waited < 10_000; waited += 10) await sleep(10);
  assert.equal(isRunning(child), false, "the child still runs");
});

test("a record is read again, without a line that was not finished", () => {
  const file = join(checkout, "node_modules/.cache/mutate/again.jsonl");
  const first = openRecord(file);
  first.addOutcome(mutant, { fate: "killed", by: "kill" });
  first.addUnmutated("kill", 12);
  writeFileSync(file, `${readFileSync(file, "utf8")}{"mutant":"half`);
  openRecord(file).addUnmutated("hang", "failed");
  const again = openRecord(file);
  assert.deepEqual(again.outcome(mutant), { fate: "killed", by: "kill" });
  assert.equal(again.outcome({ ...mutant, after: "other" }), undefined);
  assert.equal(again.unmutated("kill"), 12);
  assert.equal(again.unmutated("hang"), "failed");
});

test("a version changes with what is not committed", () => {
  git("add", "-A");
  git("commit", "-q", "-m", "a");
  const clean = versionOf(checkout);
  assert.match(clean, /^[0-9a-f]{12}$/);
  write("packages/a/idle.ts", "1;\n");
  assert.match(versionOf(checkout), new RegExp(`^${clean}-[0-9a-f]{8}$`));
});

test("a change of a copy does not reach the checkout, whose caches are left out", () => {
  const scratch = createScratch(checkout);
  writeFileSync(join(scratch.root, "tsconfig.json"), "{}");
  assert.notEqual(readFileSync(join(checkout, "tsconfig.json"), "utf8"), "{}");
  assert.equal(existsSync(join(scratch.root, "node_modules/.cache")), false);
  scratch.delete();
});
