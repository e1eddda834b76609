import assert from "node:assert/strict";
import { test } from "node:test";
import type { Digest } from "@purser/kubernetes/digest";
import { done, failed } from "@purser/kubernetes/result";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { ContentState } from "../catalog/content.ts";
import { FollowedContent } from "./followed-content.ts";
import type { Look, SourceProblem } from "./source-reader.ts";

interface Found {
  readonly digest: Digest;
  isReleased: boolean;
}

const digest = (letter: string): Digest => `sha256:${letter.repeat(64)}`;
const found = (letter: string): Found => ({ digest: digest(letter), isReleased: false });
const good = (letter: string): Look<Found> => ({ mark: letter, found: done(found(letter)) });
const bad = (cause: string, more: Partial<SourceProblem> = {}): Look<Found> => ({
  mark: cause,
  found: failed({ cause, remedy: "Repair it.", ...more }),
});

type Step = Look<Found> | "unchanged" | "throws" | { readonly adopt: Found };

const never = new AbortController().signal;

/** Content that goes through scripted looks, a second apart. */
async function after(
  steps: readonly Step[],
  {
    keepsLastGood = true,
    pauses = [0],
  }: { readonly keepsLastGood?: boolean; readonly pauses?: readonly number[] } = {},
): Promise<{
  readonly followed: FollowedContent<Found>;
  readonly notices: number;
  readonly nextTries: number;
  readonly looks: number;
}> {
  const clock = new VirtualClock(0);
  let notices = 0;
  let nextTries = 0;
  let looks = 0;
  let next: Step | undefined;
  const followed = new FollowedContent<Found>({
    reader: done({
      look: () => {
        looks++;
        if (next === "throws") return Promise.reject(new Error("thrown"));
        return Promise.resolve(typeof next === "object" && "mark" in next ? next : undefined);
      },
      pauseMs: (failures) => pauses[Math.min(failures, pauses.length - 1)],
    }),
    clock,
    digestOf: (held) => held.digest,
    release: (held) => (held.isReleased = true),
    keepsLastGood,
    onChange: (what) => (what === "state" ? notices++ : nextTries++),
  });
  for (const step of steps) {
    next = step;
    if (typeof step === "object" && "adopt" in step) followed.adopt(step.adopt);
    else await followed.look(never);
    clock.advance(1000);
  }
  return { followed, notices, nextTries, looks };
}

/** `ready a`, `failing: cause, last good a`. */
function shown(state: ContentState): string {
  if (state.kind === "ready") return `ready ${state.digest.at(-1)}`;
  const cause = state.kind === "pending" ? "" : `: ${state.cause}`;
  return `${state.kind}${cause}${state.lastGood === undefined ? "" : `, last good ${state.lastGood.at(-1)}`}`;
}

const table: readonly (readonly [claim: string, steps: readonly Step[], state: string, notices: number])[] = [
  ["content that was never looked at is pending", [], "pending", 0],
  ["good content is ready", [good("a")], "ready a", 1],
  ["other good content is ready in its place", [good("a"), good("b")], "ready b", 2],
  ["the same content under another mark is no news", [good("a"), { ...good("a"), mark: "x" }], "ready a", 1],
  ["an unchanged source is no news", [good("a"), "unchanged"], "ready a", 1],
  ["content that is being changed leaves the state as it is", [good("a"), { mark: "" }], "ready a", 1],
  ["a failure without content is failing", [bad("x")], "failing: x", 1],
  ["a failure after good content keeps it", [good("a"), bad("x")], "failing: x, last good a", 2],
  ["the same failure again is no news", [good("a"), bad("x"), bad("x")], "failing: x, last good a", 2],
  ["another failure is news", [good("a"), bad("x"), bad("y")], "failing: y, last good a", 3],
  ["a failure that lasts stays", [good("a"), bad("x"), "unchanged"], "failing: x, last good a", 2],
  ["what was repaired is ready", [good("a"), bad("x"), good("a")], "ready a", 3],
  ["the last good content is the newest one", [good("a"), good("b"), bad("x")], "failing: x, last good b", 3],
  ["a final problem is refused", [bad("x", { isFinal: true })], "refused: x", 1],
  ["a final problem keeps good content", [good("a"), bad("x", { isFinal: true })], "refused: x, last good a", 2],
  ["what was refused may become ready", [bad("x", { isFinal: true }), good("a")], "ready a", 2],
  ["a reader that throws is failing", [good("a"), "throws"], "failing: thrown, last good a", 2],
  ["kept content is the last good one while nothing was read", [{ adopt: found("a") }], "pending, last good a", 1],
  ["kept content outlives a failure", [{ adopt: found("a") }, bad("x")], "failing: x, last good a", 2],
  ["kept content helps after a failure too", [bad("x"), { adopt: found("a") }], "failing: x, last good a", 2],
  ["content that was read replaces kept content", [{ adopt: found("a") }, good("b")], "ready b", 2],
  ["kept content never replaces what was read", [good("b"), { adopt: found("a") }], "ready b", 1],
];

for (const [claim, steps, state, notices] of table)
  test(claim, async () => {
    const result = await after(steps);
    assert.deepEqual([shown(result.followed.state), result.notices], [state, notices]);
  });

test("the newest content and the one before stay open, older ones and duplicates are released", async () => {
  const contents = ["a", "b", "c"].map(found);
  const twin = found("c");
  const { followed } = await after([...contents, twin].map((held) => ({ mark: "", found: done(held) })));
  assert.deepEqual(
    [...contents, twin].map(({ isReleased }) => isReleased),
    [true, false, false, true],
  );
  assert.deepEqual(
    followed.held.map((held) => held.digest),
    [digest("c"), digest("b")],
  );
});

test("a source whose former content cannot be read any more has no last good content", async () => {
  const { followed } = await after([good("a"), bad("x")], { keepsLastGood: false });
  assert.deepEqual([shown(followed.state), followed.content], ["failing: x", undefined]);
});

test("a failing source is looked at again after its pause, and its state has that time", async () => {
  const { followed, looks } = await after([bad("x"), bad("x"), bad("x")], { pauses: [0, 1500] });
  assert.equal(looks, 2);
  assert.deepEqual(followed.state, { kind: "failing", cause: "x", remedy: "Repair it.", since: 0, retryAt: 3500 });
});

test("the same failure again is no news but for the time of the next try, which counts once for each look", async () => {
  const { notices, nextTries } = await after([bad("x"), "unchanged", bad("x"), bad("x")], { pauses: [0, 500] });
  assert.deepEqual([notices, nextTries], [1, 2]);
});

test("the same content that the signature policy accepts otherwise is news", async () => {
  let notices = 0;
  let policy = 0;
  const followed = new FollowedContent<Found>({
    reader: done({ look: () => Promise.resolve(good("a")), pauseMs: () => 0 }),
    clock: new VirtualClock(0),
    digestOf: (held) => held.digest,
    acceptanceOf: () => ({ policy: `/policy${policy}.json`, scope: "default" }),
    keepsLastGood: true,
    onChange: () => notices++,
  });
  await followed.look(never);
  await followed.look(never);
  assert.equal(notices, 1);
  policy++;
  await followed.look(never);
  assert.equal(notices, 2);
  const accepted = { policy: "/policy1.json", scope: "default" };
  assert.deepEqual(followed.state, { kind: "ready", digest: digest("a"), accepted });
});

test("a poll is announced, also of an unchanged source", async () => {
  const announced: string[] = [];
  const times: number[] = [];
  const followed = new FollowedContent<Found>({
    reader: done({ look: () => Promise.resolve(undefined), pauseMs: () => 0, polledAt: () => times.at(-1) }),
    clock: new VirtualClock(0),
    digestOf: (held) => held.digest,
    keepsLastGood: true,
    onChange: (what) => announced.push(what),
  });
  await followed.look(never);
  assert.deepEqual([announced, followed.polledAt], [[], undefined]);
  const look = followed.look(never);
  times.push(7);
  await look;
  assert.deepEqual([announced, followed.polledAt], [["times"], 7]);
});

test("a source that knows when it looks again says so although it is asked all the time", async () => {
  const { followed } = await after([bad("x", { retryAt: 9000, code: "BundleUnavailable" })]);
  const known = { cause: "x", remedy: "Repair it.", code: "BundleUnavailable" };
  assert.deepEqual(followed.state, { kind: "failing", ...known, since: 0, retryAt: 9000 });
});

test("a refused request is refused at once and its source never looked at", async () => {
  const followed = new FollowedContent<Found>({
    reader: failed({ cause: "no images here", remedy: "Use a directory." }),
    clock: new VirtualClock(0),
    digestOf: (held) => held.digest,
    keepsLastGood: true,
    onChange: () => {},
  });
  await followed.look(never);
  assert.deepEqual(followed.state, { kind: "refused", cause: "no images here", remedy: "Use a directory." });
});
