import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageError } from "../command.ts";
import { catalogSelector } from "./extension-choices.ts";

test("a selector of catalogs becomes the expressions of a LabelSelector", () => {
  const expected = [
    { key: "a", operator: "In", values: ["x", "y"] },
    { key: "b", operator: "NotIn", values: ["z"] },
    { key: "c", operator: "Exists" },
    { key: "d", operator: "DoesNotExist" },
    { key: "e", operator: "In", values: ["own"] },
  ];
  assert.deepEqual(catalogSelector("a in (x,y),b notin (z),c,!d,e=own"), { matchExpressions: expected });
});

test("a selector of catalogs that selects by no label or by order is refused with the way out", () => {
  const refused: readonly (readonly [string, string, string])[] = [
    ["", "--catalog-selector is empty", "leave it out to select every catalog"],
    ["a>1", '--catalog-selector "a>1": a selector of catalogs has no < and >', "name the values"],
    ["a<1", '--catalog-selector "a<1": a selector of catalogs has no < and >', "name the values"],
  ];
  for (const [text, message, remedy] of refused)
    assert.throws(
      () => catalogSelector(text),
      (error) => error instanceof UsageError && error.message === message && error.hints[0] === remedy,
      text,
    );
  assert.throws(() => catalogSelector("a in"), { name: "UsageError" });
});
