import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { test } from "node:test";
import { builtProduct } from "../../e2e/built-product.ts";

const main = builtProduct();

/** A device of Linux on which every write fails because the disk is full. */
const fullDisk = "/dev/full";
const skip = existsSync(fullDisk) ? false : `not here: ${fullDisk} does not exist`;

function run(args: readonly string[], full: readonly ("stdout" | "stderr")[]) {
  const disk = openSync(fullDisk, "w");
  const to = (name: "stdout" | "stderr") => (full.includes(name) ? disk : "pipe");
  const { status, stderr } = spawnSync(process.execPath, [main, ...args], {
    encoding: "utf8",
    stdio: ["ignore", to("stdout"), to("stderr")],
  });
  closeSync(disk);
  return { status, stderr };
}

for (const args of [["--help"], ["completion", "bash"], ["opm", "version"]])
  test(`purser ${args.join(" ")} on a full disk fails with one line that says why`, { skip }, () => {
    assert.deepEqual(run(args, ["stdout"]), {
      status: 1,
      stderr: "purser: cannot write to standard output: no space left on device\n",
    });
  });

test("a full disk for errors and answers leaves the exit code", { skip }, () => {
  assert.equal(run(["--help"], ["stdout", "stderr"]).status, 1);
  assert.equal(run(["no-such-command"], ["stderr"]).status, 1);
});

test(
  "a reader that closes the pipe early is not a failure",
  { skip: !existsSync("/bin/sh") && "not here: no shell" },
  () => {
    const { status, stderr } = spawnSync("/bin/sh", ["-c", `"${process.execPath}" "${main}" --help | true`], {
      encoding: "utf8",
    });
    assert.deepEqual([status, stderr], [0, ""]);
  },
);
