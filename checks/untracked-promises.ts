// Loaded with `--import` before every test file. node:test follows every promise of the process with an async hook, to find
// the test that an uncaught error belongs to. That costs a seventh of the time of a test with a server, and most of the
// time of one that awaits in a loop. Here the hook follows all other resources, which suites and their hooks need: an
// uncaught error behind an `await` may fail the file in place of its test, and its stack is printed.
// When Node's internals change so that this finds no hook, tests are slower and nothing else.
import asyncHooks from "node:async_hooks";
import { inspect } from "node:util";
import { isMainThread } from "node:worker_threads";

const { createHook } = asyncHooks;

asyncHooks.createHook = (options) => {
  const isOfTestRunner = new Error("only its stack is read").stack?.includes("node:internal/test_runner/") === true;
  return createHook(isOfTestRunner ? { ...options, trackPromises: false } : options);
};

// Other processes and threads keep their own treatment of uncaught errors: the runner itself must end on one, and a thread
// reports its own to the thread that started it.
if (isMainThread && process.env["NODE_TEST_CONTEXT"] !== undefined) {
  for (const event of ["uncaughtException", "unhandledRejection"] as const)
    process.on(event, (error: unknown) => {
      // With a listener Node ends with 0; a file that cannot be loaded has no test yet that could fail for it.
      process.exitCode = 1;
      process.stderr.write(`uncaught in a test: ${inspect(error)}\n`);
    });
  // The runner was killed: each report of an error would fail, which is an error to report again.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => process.exit(1));
}
