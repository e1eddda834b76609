import assert from "node:assert/strict";
import { test } from "node:test";
import { BundleUses } from "./bundle-uses.ts";

const hourMs = 3_600_000;

test("a bundle of no object is given up once, an hour after it was asked for last", () => {
  const uses = new BundleUses();
  uses.asked("x", undefined, 0);
  uses.asked("x", undefined, 10);
  assert.deepEqual(uses.givenUp(hourMs + 9), []);
  assert.deepEqual(uses.givenUp(hourMs + 10), ["x"]);
  assert.deepEqual(uses.givenUp(9 * hourMs), []);
});

test("an object at rest holds its bundles until it is deleted", () => {
  const uses = new BundleUses();
  uses.asked("x", "a", 0);
  uses.asked("y", "a", hourMs - 1);
  uses.asked("x", "b", 0);
  assert.deepEqual(uses.givenUp(100 * hourMs), []);
  uses.release("a");
  assert.deepEqual(uses.givenUp(100 * hourMs), ["y"], "b holds x");
  uses.release("b");
  assert.deepEqual(uses.givenUp(100 * hourMs), ["x"]);
});

test("an object that asks for another bundle gives up those that it has not asked for during the hour before", () => {
  const uses = new BundleUses();
  uses.asked("old", "a", 0);
  uses.asked("former", "a", 5 * hourMs);
  uses.asked("new", "a", 6 * hourMs - 1);
  assert.deepEqual(uses.givenUp(7 * hourMs), ["old"]);
  uses.asked("new", "a", 6 * hourMs);
  assert.deepEqual(uses.givenUp(7 * hourMs), ["former"]);
  assert.deepEqual(uses.givenUp(100 * hourMs), []);
});

test("a bundle that is asked for while it is unused stays for another hour", () => {
  const uses = new BundleUses();
  uses.asked("x", "a", 0);
  uses.release("a");
  uses.asked("x", undefined, 2 * hourMs);
  assert.deepEqual(uses.givenUp(3 * hourMs - 1), []);
  assert.deepEqual(uses.givenUp(3 * hourMs), ["x"]);
});
