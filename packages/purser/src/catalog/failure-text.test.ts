import assert from "node:assert/strict";
import { test } from "node:test";
import { failureText, isSameFailure, withoutNextTry } from "./failure-text.ts";

const failing = { kind: "failing", since: 0, cause: "host answered 503", remedy: "Try it there." } as const;
const at = (retryAt: number): string => failureText({ ...failing, retryAt });

test("a failure names cause, remedy and the time of the next try", () => {
  assert.equal(at(61_500), "host answered 503. Try it there; next try at 1970-01-01T00:01:01Z");
});

test("a failure without a time of its own, and a refusal, name cause and remedy only", () => {
  assert.equal(failureText(failing), "host answered 503. Try it there.");
  assert.equal(failureText({ ...failing, kind: "refused" }), "host answered 503. Try it there.");
});

test("a failure is the same at another time, and another one with another cause", () => {
  assert.ok(isSameFailure(`a: ${at(1000)}\nb`, `a: ${at(90_000)}\nb`));
  assert.ok(!isSameFailure(at(1000), at(1000).replace("503", "404")));
  assert.ok(!isSameFailure(at(1000), undefined));
});

test("a failure is taken apart into itself and the earliest time at which it is tried again", () => {
  assert.deepEqual(withoutNextTry(`${at(90_000)}, ${at(1000)}`), {
    text: "host answered 503. Try it there, host answered 503. Try it there",
    nextTry: "1970-01-01T00:00:01Z",
  });
  assert.deepEqual(withoutNextTry("no edge"), { text: "no edge", nextTry: undefined });
});
