// Loaded with `--import` before every test file. node:test tracks every promise of the process with an async hook, only to
// find the test that an uncaught error belongs to. That costs a seventh of the time of a test with a server, and most of
// the time of one that awaits in a loop. Without the hook such an error still fails the file, and its stack is printed here.
// When Node's internals change so that this finds no hook, tests are slower and nothing else.
import asyncHooks from "node:async_hooks";
import { inspect } from "node:util";

const { createHook } = asyncHooks;
const inactive = { enable: () => inactive, disable: () => inactive };

asyncHooks.createHook = (callbacks) => {
  const isOfTestRunner = new Error("only its stack is read").stack?.includes("node:internal/test_runner/") === true;
  return isOfTestRunner ? inactive : createHook(callbacks);
};

// Other processes keep their own treatment of uncaught errors: the runner itself must end on one.
if (process.env["NODE_TEST_CONTEXT"] !== undefined)
  for (const event of ["uncaughtException", "unhandledRejection"] as const)
    process.on(event, (error: unknown) => {
      process.stderr.write(`uncaught in a test: ${inspect(error)}\n`);
    });
