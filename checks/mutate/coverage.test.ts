import assert from "node:assert/strict";
import { test } from "node:test";
import { type Executed, executedBy, noticingOf, type Report } from "./coverage.ts";

const url = (path: string): string => `file:///checkout/${path}`;
const range = (startOffset: number, endOffset: number, count: number) => ({ startOffset, endOffset, count });
const source = "packages/a/src/x.ts";

/** A report of a process that loaded a test, or none, and executed `ranges` of the source. */
const report = (name: string | undefined, ...ranges: readonly ReturnType<typeof range>[]): Report => ({
  result: [
    ...(name === undefined ? [] : [{ url: url(name), functions: [{ ranges: [range(0, 5, 1)] }] }]),
    { url: `${url(source)}?v=1`, functions: ranges.map((one) => ({ ranges: [one] })) },
    { url: "node:fs", functions: [] },
    { url: url("checks/run-tests.ts"), functions: [{ ranges: [range(0, 5, 1)] }] },
  ],
});
const executed = (
  reports: readonly (readonly [number, Report])[],
  started: readonly (readonly [number, number])[],
): readonly Executed[] => {
  const byProcess = [...Map.groupBy(reports, ([pid]) => pid)];
  return executedBy(
    "/checkout",
    new Map(byProcess.map(([pid, some]) => [pid, some.map(([, one]) => one)])),
    new Map(started),
  );
};

test("pieces that an inner range did not execute are cut out of the outer one", () =>
  assert.deepEqual(
    executed([[7, report("packages/a/src/x.test.ts", range(0, 100, 1), range(20, 30, 0), range(25, 27, 2))]], []),
    [{ judges: ["packages/a/src/x.test.ts"], isPartial: false, pieces: { [source]: [0, 20, 25, 27, 30, 100] } }],
  ));

test("a process counts for the judge whose process started it, however far away", () =>
  assert.deepEqual(
    executed(
      [
        [1, report(undefined, range(0, 1, 1))],
        [2, report("packages/a/src/x.test.ts", range(0, 10, 1))],
        [4, report(undefined, range(40, 50, 1))],
      ],
      [
        [2, 1],
        [3, 2],
        [4, 3],
      ],
    ),
    // The third wrote nothing: it was killed.
    [{ judges: ["packages/a/src/x.test.ts"], isPartial: true, pieces: { [source]: [0, 10, 40, 50] } }],
  ));

test("test files that share a process share what it executed, and several reports of a process are joined", () =>
  assert.deepEqual(
    executed(
      [
        [2, { result: [...report("a.test.ts").result, ...report("b.test.ts", range(0, 10, 1)).result] }],
        [2, report(undefined, range(90, 95, 1))],
      ],
      [[2, 1]],
    ),
    [{ judges: ["a.test.ts", "b.test.ts"], isPartial: false, pieces: { [source]: [0, 10, 90, 95] } }],
  ));

test("a judge can notice a mutant that it executes in part, that is not known, or whose processes were killed", () => {
  const entry = (judge: string, isPartial: boolean, ...pieces: readonly number[]): Executed => ({
    judges: [judge],
    isPartial,
    pieces: { [source]: pieces },
  });
  const canNotice = noticingOf([
    entry("near", false, 0, 10, 40, 50),
    entry("killed", true),
    entry("twice", false),
    entry("twice", false, 12, 13),
  ]);
  const mutant = (start: number, end: number, path = source) => ({
    path,
    start,
    end,
    line: 1,
    column: 1,
    operator: "",
    before: "",
    after: "",
  });
  const rows: readonly (readonly [string, number, number, boolean])[] = [
    ["near", 9, 12, true],
    ["near", 10, 40, false],
    ["near", 10, 41, true],
    // What is inserted has no length.
    ["near", 9, 9, true],
    ["near", 10, 10, false],
    ["near", 50, 60, false],
    ["killed", 10, 40, true],
    ["unknown", 10, 40, true],
    ["twice", 12, 13, true],
    ["twice", 13, 14, false],
  ];
  for (const [judge, start, end, expected] of rows)
    assert.equal(canNotice(judge, mutant(start, end)), expected, `${judge} ${start} ${end}`);
  assert.equal(canNotice("near", mutant(0, 5, "packages/a/src/other.ts")), false);
});
