// Preloaded into every test file's process by run-tests.ts: a file that does not end by itself is ended, with its name
// and what keeps it alive, instead of holding up the whole run for ever.
const limitSeconds = 600;

if (process.env["NODE_TEST_CONTEXT"] !== undefined)
  setTimeout(() => {
    const file = process.argv[1] ?? "a test file";
    const open = [...new Set(process.getActiveResourcesInfo())].join(", ");
    console.error(`FAILED   ${file} did not end within ${limitSeconds} s; it is kept alive by: ${open}`);
    process.exit(1);
  }, limitSeconds * 1000).unref();
