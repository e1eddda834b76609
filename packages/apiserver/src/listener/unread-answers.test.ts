import assert from "node:assert/strict";
import { test } from "node:test";
import { UnreadAnswers } from "./unread-answers.ts";

test("the response whose client read least recently is cut off first, and no more than necessary", () => {
  const unread = new UnreadAnswers(100);
  const ended: string[] = [];
  const open = (name: string): ReturnType<UnreadAnswers["open"]> => unread.open(() => ended.push(name));
  const [first, second, third] = [open("first"), open("second"), open("third")];
  const taken = {};
  first.hold(taken, 10);
  first.hold({}, 30);
  second.hold({}, 40);
  first.release(taken);
  third.hold({}, 40);
  assert.deepEqual(ended, ["second"]);
  assert.equal(unread.size, 70);
});

test("bytes shared by several responses count once, until the last one releases them", () => {
  const unread = new UnreadAnswers(100);
  const line = {};
  const answers = Array.from({ length: 50 }, () => unread.open(() => assert.fail("there is room")));
  for (const answer of answers) answer.hold(line, 60);
  assert.equal(unread.size, 60);
  for (const answer of answers.slice(1)) answer.release(line);
  assert.equal(unread.size, 60);
  answers[0]?.close();
  assert.equal(unread.size, 0);
});

test("a response larger than the limit is cut off itself", () => {
  const unread = new UnreadAnswers(100);
  let isEnded = false;
  unread.open(() => (isEnded = true)).hold({}, 101);
  assert.deepEqual([isEnded, unread.size], [true, 0]);
});
