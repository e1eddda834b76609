import assert from "node:assert/strict";
import { test } from "node:test";
import { distribute, groupFile, sharing } from "./shared-processes.ts";

const packages = [{ name: "@x/low", directory: "low", exports: { "./a": "./src/a.ts" } }];

/** Whether `t.test.ts` with this text may share, beside these other files. */
function mayShare(text: string, others: Readonly<Record<string, string>> = {}): boolean {
  const files: Readonly<Record<string, string>> = { "p/t.test.ts": text, ...others };
  return sharing(packages, (path) => {
    const found = files[path];
    if (found === undefined) throw new Error(`${path} was read`);
    return found;
  })("p/t.test.ts");
}

const plain = `import { test } from "node:test";\n`;

for (const [what, text, expected] of [
  ["takes only tests and suites", `import { after, describe, it, suite, test } from "node:test";\n`, true],
  ["takes hooks", `import { afterEach, before, beforeEach, test } from "node:test";\n`, true],
  ["takes a type", `import { type TestContext, test } from "node:test";\n`, true],
  ["waits while it is loaded", `${plain}const text = await Promise.resolve("a");\n`, false],
  ["waits for what it makes tests of", `${plain}for (const a of await all()) test(a, () => {});\n`, false],
  ["waits when it runs", `${plain}test("a", async () => {\n  const b = await c();\n});\n`, true],
  ["takes all of a module", `${plain}import * as programs from "node:child_process";\n`, false],
  ["takes mocks", `import { mock, test } from "node:test";\n`, false],
  ["takes the default of node:test", `import test from "node:test";\n`, false],
  ["reads and writes files", `${plain}import { readFileSync } from "node:fs";\n`, true],
  ["starts processes", `${plain}import { spawn } from "node:child_process";\n`, false],
  ["asks whether a text is an address", `${plain}import { isIP, type Socket } from "node:net";\n`, true],
  ["asks that and opens sockets", `${plain}import { connect, isIP } from "node:net";\n`, false],
  ["opens sockets", `${plain}import { createServer } from "node:net";\n`, false],
  ["loads a module for its effects", `${plain}import "node:vm";\n`, false],
  ["loads it when it runs", `${plain}test("a", () => import("node:worker_threads"));\n`, false],
  ["loads what it computes", `${plain}const module = await import(name);\n`, false],
  [
    "imports over several lines",
    `${plain}import {\n  spawn,\n  type ChildProcess,\n} from "node:child_process";\n`,
    false,
  ],
  ["imports a type", `${plain}import type { ChildProcess } from "node:child_process";\n`, true],
  ["changes the process", `${plain}process.exitCode = 0;\n`, false],
  ["imports the process", `${plain}import { env } from "node:process";\n`, false],
  ["speaks of a process in a name", `${plain}// A process ends.\ntest("a process ends", () => {});\n`, true],
  ["speaks of a process in a template", `${plain}test(\`a process ${"$"}{how}\`, () => {});\n`, true],
  ["speaks of a process in single quotes", `${plain}test('a "process" ends', () => {});\n`, true],
  ["ends the process in a template", `${plain}const words = \`${"$"}{process.exit()}\`;\n`, false],
  ["reads the environment", `${plain}const path = process.env["PATH"] ?? process.cwd() + process.platform;\n`, true],
  ["compares a variable", `${plain}const isAll = process.env["A"] === "all";\n`, true],
  ["sets a variable", `${plain}process.env["A"] = "b";\n`, false],
  ["sets a variable that is not set", `${plain}process.env.A ??= "b";\n`, false],
  ["deletes a variable", `${plain}delete process.env["A"];\n`, false],
  ["changes the directory", `${plain}process.chdir("/");\n`, false],
  ["listens to the process", `${plain}process.on("exit", () => {});\n`, false],
  ["adds a global", `${plain}Object.assign(globalThis, { a: 1 });\n`, false],
] as const)
  test(`a test file that ${what} ${expected ? "shares its process" : "runs alone"}`, () =>
    assert.equal(mayShare(text), expected));

test("a test file runs alone when what it imports through other files and packages starts threads", () => {
  const text = `${plain}import { b } from "./b.ts";\n`;
  const through = { "p/b.ts": 'export { a } from "@x/low/a";\n' };
  assert.equal(
    mayShare(text, {
      ...through,
      "packages/low/src/a.ts": 'import { c } from "./c.ts";\n',
      "packages/low/src/c.ts": 'import "node:worker_threads";\n',
    }),
    false,
  );
  assert.equal(mayShare(text, { ...through, "packages/low/src/a.ts": "export const a = 1;\n" }), true);
});

test("a test file that starts API servers through the helper that ends them shares its process", () => {
  const helper = "packages/apiserver/src/testing/server.ts";
  const text = `${plain}import { testServer } from "../packages/apiserver/src/testing/server.ts";\n`;
  assert.equal(mayShare(text, { [helper]: 'import "node:worker_threads";\n' }), true);
  const other = text.replace("testing/server.ts", "testing/listener.ts");
  assert.equal(
    mayShare(other, { "packages/apiserver/src/testing/listener.ts": 'import "node:worker_threads";\n' }),
    false,
  );
});

test("files that import one another are read once", () => {
  assert.equal(
    mayShare(`${plain}import { b } from "./b.ts";\n`, { "p/b.ts": 'import "./b.ts";\nimport "./t.test.ts";\n' }),
    true,
  );
});

test("every file runs once: neighbours of those that may share in groups of equal size, all others alone", () => {
  const files = Array.from({ length: 40 }, (_, index) => `f${String(index).padStart(2, "0")}`);
  const { alone, groups } = distribute(files, (file) => !file.endsWith("0"));
  assert.deepEqual(alone, ["f00", "f10", "f20", "f30"]);
  assert.deepEqual(
    groups.map((group) => [group.length, group[0], group.at(-1)]),
    [
      [12, "f01", "f13"],
      [12, "f14", "f26"],
      [12, "f27", "f39"],
    ],
  );
});

test("a file that may share runs alone when no other may", () => {
  assert.deepEqual(
    distribute(["a", "b"], (file) => file === "a"),
    { alone: ["a", "b"], groups: [] },
  );
});

test("the file of a group names its first member and how many more there are", () => {
  const [name, text] = groupFile("/root", ["p/a.test.ts", "p/b.test.ts"], 3);
  assert.equal(name, "3-a-and-1-more.test.mjs");
  assert.equal(
    text,
    'import { runTogether } from "/root/checks/run-together.ts";\nawait runTogether(["/root/p/a.test.ts","/root/p/b.test.ts"]);\n',
  );
});
