// The program around the commands: help, formats, usage errors, unexpected errors, exit codes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type CommandSpec, type OwnWorld, type RootCommand, UsageError } from "./command.ts";
import { exitCodes } from "./exit-code.ts";
import { failure } from "./failure.ts";
import { runProgram } from "./run-program.ts";
import { shown } from "./output/shown.ts";

let given: readonly unknown[] = [];
const command = (name: string, spec: Omit<CommandSpec, "run"> & Partial<CommandSpec>): RootCommand => ({
  name,
  group: "Other",
  summary: `does ${name}`,
  load: async () => ({ run: () => assert.fail("is not run"), ...spec }),
});
const commands: readonly RootCommand[] = [
  command("print", {
    arguments: [{ name: "word", summary: "a word", variadic: true }],
    run: async ({ arguments: words, options, terminal }) => {
      given = [words, options["output"], options["headers"]];
      terminal.err("a note");
      return { exitCode: exitCodes.waiting, data: { words }, human: shown(words.join(" ")) };
    },
  }),
  command("refuse", {
    run: async ({ terminal }) => {
      terminal.err("a note");
      return { explanation: failure("NotFound", "nothing is there") };
    },
  }),
  command("misuse", { run: () => Promise.reject(new UsageError("wrong", "right")) }),
  command("break", { run: () => Promise.reject(new Error("broken")) }),
  command("follow", {
    reportsWhileRunning: true,
    run: async ({ terminal }) => {
      terminal.err("a line");
      throw new UsageError("wrong");
    },
  }),
  command("own", {
    answer: async (args: readonly string[], { out, err }: OwnWorld) => {
      out(Buffer.from("early "));
      err("note\u001b\n");
      if (args[0] === "break") throw new Error("broken\u001b");
      return { exit: 5, stdout: args.join(","), stderr: "done\n" };
    },
  }),
];

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

interface Printed {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the program in this process; the bytes that the test runner writes meanwhile pass. */
async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Printed> {
  const printed = { out: "", err: "" };
  const [write, writeError] = [process.stdout.write.bind(process.stdout), process.stderr.write.bind(process.stderr)];
  const before = { ...process.env };
  const listeners = signals.map((signal) => process.listeners(signal));
  const isOwn = (text: unknown): boolean => typeof text === "string" || (text as Buffer).toString() === "early ";
  process.stdout.write = ((text: string | Uint8Array): boolean => {
    if (!isOwn(text)) return write(text);
    printed.out += String(text);
    return true;
  }) as never;
  process.stderr.write = ((text: string): boolean => {
    printed.err += text;
    return true;
  }) as never;
  Object.assign(process.env, { XDG_CONFIG_HOME: "/nonexistent", LC_ALL: "C", ...env });
  try {
    return { exit: await runProgram("purser", commands, args, false), ...printed };
  } finally {
    process.stdout.write = write;
    process.stderr.write = writeError;
    process.env = before;
    // Signals are counted to the end of a process; this one goes on.
    for (const [at, signal] of signals.entries())
      for (const listener of process.listeners(signal))
        if (listeners[at]?.includes(listener) !== true) process.off(signal, listener);
  }
}

test("a result goes to stdout, notes to stderr, and the exit code is the command's", async () => {
  assert.deepEqual(await run(["print", "a", "b"]), { exit: exitCodes.waiting, out: "a b\n", err: "a note\n" });
});

for (const [what, args, env, format] of [
  ["the format of the flag", ["print", "-o", "json"], {}, "json"],
  ["the format of PURSER_OUTPUT", ["print"], { PURSER_OUTPUT: "yaml" }, "yaml"],
  ["the flag before PURSER_OUTPUT", ["print", "-ojson"], { PURSER_OUTPUT: "yaml" }, "json"],
  ["no format for an empty PURSER_OUTPUT", ["print"], { PURSER_OUTPUT: "" }, undefined],
] as const)
  test(`a command gets ${what}`, async () => {
    await run(args, env);
    assert.deepEqual(given, [[], format, true]);
  });

test("PURSER_OUTPUT stands before arguments behind --", async () => {
  await run(["print", "--", "-x"], { PURSER_OUTPUT: "json" });
  assert.deepEqual(given, [["-x"], "json", true]);
  await run(["print", "--", "a", "--", "b"], { PURSER_OUTPUT: "json" });
  assert.deepEqual(given, [["a", "--", "b"], "json", true]);
});

test("PURSER_OUTPUT leaves help as it is", async () => {
  for (const args of [["help"], ["print", "--help"], ["print", "-h"], []]) {
    const { exit, out, err } = await run(args, { PURSER_OUTPUT: "nonsense" });
    assert.deepEqual([exit, err], [0, ""]);
    assert.match(out, /Usage: purser/);
  }
});

test("a document is printed in its format, and its notes come with success only", async () => {
  assert.deepEqual(await run(["print", "a", "-o", "json"]), {
    exit: exitCodes.waiting,
    out: '{\n  "words": [\n    "a"\n  ]\n}\n',
    err: "a note\n",
  });
  assert.deepEqual((await run(["print", "a", "-o", "jsonpath={.words[0]}"])).out, "a");
  assert.deepEqual((await run(["print", "a", "-o", "custom-columns=W:.words[0]", "--no-headers"])).out, "a\n");
  assert.deepEqual((await run(["print", "a", "-o", "custom-columns=W:.words[0]"])).out, "W\na\n");
  const refused = await run(["refuse", "-o", "json"]);
  assert.deepEqual([refused.exit, refused.out], [6, ""]);
  assert.equal((JSON.parse(refused.err) as { summary: string }).summary, "nothing is there");
  assert.match((await run(["refuse"])).err, /^a note\nFAIL nothing is there/);
});

test("notes of a command that reports while it runs are not held back", async () => {
  const { exit, err } = await run(["follow", "-o", "json"]);
  assert.equal(exit, 2);
  assert.match(err, /^a line\n\{/);
});

test("a wrong usage has exit code 2, also before a command is chosen", async () => {
  assert.deepEqual(await run(["misuse"]), { exit: 2, out: "", err: "FAIL wrong\n  right\n" });
  assert.deepEqual(await run(["pint"]), {
    exit: 2,
    out: "",
    err: 'FAIL unknown command "pint"\n  did you mean "purser print"?\n',
  });
  const document = JSON.parse((await run(["pint", "-o", "json"])).err) as { code: string; summary: string };
  assert.deepEqual([document.code, document.summary], ["UsageError", 'unknown command "pint"']);
  assert.equal((await run(["print", "-o", "jsonpath={"])).exit, 2);
});

test("an unexpected error is reported as such, with its stack on -v", async () => {
  const plain = await run(["break"]);
  assert.equal(plain.exit, 1);
  assert.equal(
    plain.err,
    "FAIL Purser stopped on an unexpected error: broken\n  do    run it again with -v, and report the details\n",
  );
  assert.match((await run(["break", "-v"])).err, /report the details\nError: broken\n {4}at /);
});

test("a command that keeps another command line prints as it does, and its errors end with 1", async () => {
  assert.deepEqual(await run(["own", "a", "--help"]), {
    exit: 5,
    out: "early a,--help",
    err: "note\\u001b\ndone\n",
  });
  assert.deepEqual(await run(["own", "break"]), {
    exit: 1,
    out: "early ",
    err: "note\\u001b\nError: broken\\u001b\n",
  });
});

test("completions are lines of stdout", async () => {
  assert.deepEqual(await run(["__complete", ""]), {
    exit: 0,
    out: "print\nrefuse\nmisuse\nbreak\nfollow\nown\n",
    err: "",
  });
});
