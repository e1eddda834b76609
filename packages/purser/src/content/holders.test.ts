import assert from "node:assert/strict";
import { test } from "node:test";
import { Holders } from "./holders.ts";

test("content is given up once, when its last object went long enough ago", () => {
  const holders = new Holders();
  holders.hold("a", "x", 0);
  holders.hold("b", "x", 0);
  holders.release("a", 10);
  assert.deepEqual(holders.givenUp(1000, 100), [], "b holds it");
  holders.release("b", 1000);
  assert.deepEqual(
    [holders.givenUp(1099, 100), holders.givenUp(1100, 100), holders.givenUp(1200, 100)],
    [[], ["x"], []],
  );
});

test("an object that asks for other content gives up the former", () => {
  const holders = new Holders();
  holders.hold("a", "x", 0);
  holders.hold("a", "x", 5);
  holders.hold("a", "y", 10);
  assert.deepEqual(holders.givenUp(110, 100), ["x"]);
});

test("content that is asked for or held again is kept", () => {
  const holders = new Holders();
  holders.hold("a", "x", 0);
  holders.release("a", 0);
  holders.asked("x", 90);
  assert.deepEqual(holders.givenUp(100, 100), []);
  holders.hold("b", "x", 150);
  assert.deepEqual(holders.givenUp(1000, 100), []);
});

test("content that never had an object is never given up", () => {
  const holders = new Holders();
  holders.asked("x", 0);
  holders.release("a", 0);
  assert.deepEqual(holders.givenUp(1000, 0), []);
});
