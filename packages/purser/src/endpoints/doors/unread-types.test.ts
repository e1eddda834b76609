import assert from "node:assert/strict";
import { test } from "node:test";
import { unreadTypes } from "./unread-types.ts";

const names = ["a", "b.g", "c", "d", "e", "f"].map((resource) => ({ resource }));
const problem = 'secrets is forbidden: User "u" cannot list resource "secrets" in API group "" at the cluster scope';

for (const [name, types, text] of [
  ["names nothing when every list is complete", [], "the first lists are not complete"],
  ["names up to five types", names.slice(0, 5), "the first lists are not complete: a, b.g, c, d, e"],
  ["counts the types beyond five", names, "the first lists are not complete: a, b.g, c, d, e and 1 more"],
  [
    "shows a refusal once and not the types that are only late",
    [...names, { resource: "x", problem }, { resource: "y", problem }],
    problem,
  ],
] as const)
  test(name, () => assert.equal(unreadTypes(types), text));
