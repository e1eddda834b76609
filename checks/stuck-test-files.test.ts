import assert from "node:assert/strict";
import { test } from "node:test";
import { testProcesses } from "./stuck-test-files.ts";

test("only the children of the runner are test files, each with its age in seconds and its name", () => {
  const listing = `    1     0 12-10:00:01 /sbin/init
  700   600       00:07 node --test --test-concurrency=2 src/a.test.ts src/b.test.ts
  701   700       02:05 node --test-reporter=x src/a.test.ts
  702   700    01:00:09 node src/b.test.ts
  703   700  1-00:00:00 node src/c.test.ts
  704   701       02:05 node src/cli/main.ts up
`;
  assert.deepEqual(testProcesses(listing, 700), [
    { pid: 701, seconds: 125, file: "src/a.test.ts" },
    { pid: 702, seconds: 3609, file: "src/b.test.ts" },
    { pid: 703, seconds: 86_400, file: "src/c.test.ts" },
  ]);
});
