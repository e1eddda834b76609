import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import { explainOperatorGroups } from "./explain-error.ts";

const group = (name: string, creationTimestamp: string): OperatorGroup =>
  ({ metadata: { namespace: "ns", name, creationTimestamp } }) as OperatorGroup;
const [morning, noon] = ["2026-11-28T08:00:00Z", "2026-11-28T12:00:00Z"];

for (const [words, groups, names, deleted] of [
  ["the newer one is to be deleted", [group("a", noon), group("b", morning)], ["a", "b"], ["a"]],
  [
    "all but the first one are to be deleted",
    [group("c", noon), group("b", morning), group("a", noon)],
    ["a", "b", "c"],
    ["a", "c"],
  ],
  [
    "as old as one another all but the first by name are to be deleted",
    [group("b", noon), group("a", noon)],
    ["a", "b"],
    ["b"],
  ],
] as const)
  test(`of several OperatorGroups ${words}`, () => {
    const { remedies, facts } = explainOperatorGroups("ns", groups, "");
    assert.deepEqual(
      remedies.map(({ summary }) => summary),
      deleted.map((name) => `Delete OperatorGroup ${name}`),
    );
    assert.deepEqual(facts["names"], names);
  });
