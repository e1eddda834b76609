import assert from "node:assert/strict";
import { test } from "node:test";
import { allSteps } from "@purser/kubernetes/steps";
import { derivedInSteps, derivedOnce } from "./derived-once.ts";

test("a result is derived anew only for another value or other options", () => {
  const derived: string[] = [];
  const once = derivedOnce(
    ({ name }: { readonly name: string }, suffix: string) => {
      derived.push(name + suffix);
      return { text: name + suffix };
    },
    (suffix) => suffix,
  );
  const [a, b] = [{ name: "a" }, { name: "a" }];
  assert.equal(once(a, "1"), once(a, "1"));
  assert.deepEqual(derived, ["a1"]);
  assert.equal(once(b, "1").text, "a1");
  assert.equal(once(a, "2").text, "a2");
  assert.equal(once(b, "1").text, "a1");
  assert.deepEqual(derived, ["a1", "a1", "a2"]);
});

test("a result that was derived in steps is there at once, and steps that were abandoned leave nothing", () => {
  let steps = 0;
  const { now, inSteps } = derivedInSteps(
    function* (from: { readonly name: string }) {
      steps++;
      yield;
      return { name: from.name };
    },
    () => "",
  );
  const from = { name: "a" };
  inSteps(from, undefined).next();
  const result = allSteps(inSteps(from, undefined));
  assert.equal(now(from, undefined), result);
  assert.equal(allSteps(inSteps(from, undefined)), result);
  assert.equal(steps, 2);
});
