import assert from "node:assert/strict";
import { test } from "node:test";
import { derivedOnce } from "./derived-once.ts";

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
